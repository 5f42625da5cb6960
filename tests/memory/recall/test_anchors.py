"""Anchors: where they are left, what pulls them, and when they are dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import Memory
from memory.config import ANCHOR_REJECTIONS, MOST_ANCHORS
from memory.recall import anchors, feedback
from memory.recall.anchors import DAY
from memory.store import anchors as rows
from memory.store import nodes
from memory.store.anchors import Anchor
from memory.store.database import Database, open_database
from memory.types import NewNode, Node
from tests.doubles.embedding import SetClock
from tests.memory.front_desk.talk import Talk

from .asking import answered, asked
from .conftest import NOW, Store


def crowd(store: Store, count: int) -> None:
    with store.db.transaction():
        for n in range(count):
            store.add(f"something else {n}")


@pytest.mark.parametrize(
    ("drift", "level"), [(0, None), (15, None), (16, 1), (31, 1), (32, 2), (300, 2)]
)
def test_how_far_back_a_memory_lies_decides_the_level_of_its_anchor(
    store: Store, drift: int, level: int | None
) -> None:
    # row 67
    node = store.add("target")
    crowd(store, drift)
    anchor = anchors.register(store.db, node.seq, 0, NOW)
    assert (anchor.level if anchor else None) == level
    assert rows.of(store.db, node.seq) == anchor


def test_an_anchor_goes_when_its_memory_lies_near(store: Store) -> None:
    # row 68
    crowd(store, 40)
    node = store.add("target")
    rows.put(store.db, Anchor(node.seq, 0, 2, 40, 3.0, NOW))
    assert anchors.register(store.db, node.seq, 0, NOW) is None
    assert rows.every(store.db) == []


def test_a_memory_has_one_anchor_that_gets_warmer_and_stands_where_it_was_last_left(
    store: Store,
) -> None:
    # row 69
    node = store.add("target")
    crowd(store, 20)
    anchors.register(store.db, node.seq, 7, NOW)
    crowd(store, 20)
    anchors.register(store.db, node.seq, 8, NOW)
    assert rows.every(store.db) == [Anchor(node.seq, 8, 2, 41, 2.0, NOW)]
    crowd(store, 1)
    assert anchors.register(store.db, node.seq, 0, NOW) == Anchor(node.seq, 8, 2, 42, 3.0, NOW)


def test_a_question_pulls_what_is_like_it_however_hot_others_are() -> None:
    # row 70
    every = [Anchor(n, 0, 1, 50, 100.0, NOW) for n in range(1, 9)] + [Anchor(9, 0, 1, 50, 1.0, NOW)]
    likeness = dict.fromkeys(range(1, 9), 0.2) | {9: 0.8}
    assert [each.target for each in anchors.pulled(every, likeness, 0.5, NOW)] == [9]
    assert anchors.pulled(every, {}, 0.5, NOW) == ()
    assert len(anchors.pulled(every, dict.fromkeys(range(1, 10), 0.9), 0.5, NOW)) == 4


def test_heat_decides_between_two_that_are_alike_and_ages() -> None:
    hot_once = Anchor(1, 0, 1, 50, 20.0, NOW - 200 * DAY)
    warm_now = Anchor(2, 0, 1, 50, 2.0, NOW)
    found = anchors.pulled([hot_once, warm_now], {1: 0.7, 2: 0.7}, 0.5, NOW)
    assert [each.target for each in found] == [2, 1]


def test_an_anchor_that_is_pulled_for_nothing_is_dropped_however_hot(store: Store) -> None:
    # row 71
    node = store.add("target")
    rows.put(store.db, Anchor(node.seq, 0, 2, 40, 99.0, NOW))
    for _ in range(ANCHOR_REJECTIONS):
        assert rows.of(store.db, node.seq) is not None
        number = asked(store, "what is for lunch?", [node], rung="anchors")
        feedback.misled(store.db, number, [node.id], NOW)
    assert rows.of(store.db, node.seq) is None


def test_each_rejection_makes_an_anchor_less_like_a_question() -> None:
    plain, rejected = Anchor(1, 0, 1, 50, 1.0, NOW), Anchor(2, 0, 1, 50, 1.0, NOW, 2)
    found = anchors.pulled([rejected, plain], {1: 0.7, 2: 0.7}, 0.65, NOW)
    assert [each.target for each in found] == [1]


def test_an_anchor_that_was_needed_is_forgiven_its_rejections(store: Store) -> None:
    node = store.add("target")
    crowd(store, 20)
    rows.put(store.db, Anchor(node.seq, 0, 1, 40, 1.0, NOW, 2))
    number = asked(store, "where is it?", [node], rung="anchors")
    feedback.confirm(store.db, number, [node.id], NOW)
    assert rows.of(store.db, node.seq) == Anchor(node.seq, 0, 1, 21, 2.0, NOW, 0)


def test_of_too_many_anchors_the_coldest_goes_and_never_the_one_just_left(store: Store) -> None:
    with store.db.transaction():
        for n in range(MOST_ANCHORS + 3):
            store.add(f"target {n}")
        crowd(store, 40)
        for n in range(MOST_ANCHORS):
            rows.put(store.db, Anchor(n + 1, 0, 2, 1, 5.0 + n, NOW))
        anchors.register(store.db, MOST_ANCHORS + 1, 0, NOW)
    left = {each.target for each in rows.every(store.db)}
    assert left == set(range(2, MOST_ANCHORS + 2))


def test_only_what_a_pointer_led_to_leaves_an_anchor(store: Store) -> None:
    led, placeholder = store.add("led to"), store.add("found by likeness alone")
    answered(store, "where?", led, 0)
    crowd(store, 40)
    left = anchors.leave(store.db, [led.id, placeholder.id, "unknownnode1"], NOW)
    assert [each.target for each in left] == [led.seq]


# ---- through the window --------------------------------------------------------------------------


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


def on_file(memory: Memory) -> Database:
    return open_database(memory.path, reading=True)


async def swapped_out(memory: Memory, *, placeholder: bool, dropped: bool = False) -> Node:
    """A memory to which a pointer leads, found in a conversation and then crowded out of it."""
    target = await memory.remember(NewNode("user", "the valve of boiler one opens at 9 bar. " * 9))
    learn = open_database(memory.path)
    try:
        answered(Store(learn), "when does the valve open?", target, 0)
    finally:
        learn.close()
    for n in range(20):
        await memory.remember(NewNode("user", f"something else {n}"))
    talk = await Talk.begun(memory)
    await talk.ask("When does the valve open?", [target])
    await memory.found(talk.window, [target.id], [target.id] if placeholder else [])
    await talk.answer("At 9 bar.")
    if dropped:
        await memory.evict(talk.window, target.id)
    for n in range(100):
        if target.id not in talk.window.queue:
            return target
        fact = await memory.remember(NewNode("user", f"fact {n}: the pump has {n} blades. " * 9))
        await talk.ask(f"What about fact {n}? " + "Say more. " * 20, [fact])
        await talk.answer("So it is. " * 20)
        await talk.make_room()
    raise AssertionError("it is still in the window")


async def test_a_pointers_target_that_is_swapped_out_leaves_an_anchor_where_it_was(
    memory: Memory,
) -> None:
    target = await swapped_out(memory, placeholder=False)
    db = on_file(memory)
    try:
        (anchor,) = rows.every(db)
        assert (anchor.target, anchor.level) == (target.seq, 2)
        assert target.seq < anchor.frontier <= nodes.last_seq(db)
    finally:
        db.close()


@pytest.mark.parametrize("facts", [{"placeholder": True}, {"placeholder": False, "dropped": True}])
async def test_a_placeholder_leaves_no_anchor_and_neither_does_what_the_user_dropped(
    memory: Memory, facts: dict[str, bool]
) -> None:
    await swapped_out(memory, **facts)
    db = on_file(memory)
    try:
        assert rows.every(db) == []
    finally:
        db.close()
