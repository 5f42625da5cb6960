"""Colours: what need not be read again, for which question, and when it must be all the same."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from memory.recall import colours
from memory.recall.families import sense
from memory.recollection import Query, Stretch
from memory.store import certificates
from memory.types import NewNode
from tests.memory.recall.oracle import LyingEmbedder, Oracle, reading, remembered, rows

ALPHA, BETA = "Where is the alpha piano?", "Where is the beta piano?"
NOISE = [f"the kettle number {number} is blue" for number in range(20)]
DEEP = "SELECT lo, hi FROM certificates WHERE method = 'judge' AND depth = 2 ORDER BY lo"

stretches = st.lists(
    st.builds(lambda lo, more: Stretch(lo, lo + more), st.integers(1, 40), st.integers(0, 9)),
    max_size=6,
)


def members(of: tuple[Stretch, ...] | list[Stretch]) -> set[int]:
    return {position for each in of for position in range(each.lo, each.hi + 1)}


async def test_what_was_read_is_still_led_to(tmp_path: Path) -> None:
    # row 36
    async with reading(tmp_path, Oracle()) as memory:
        target, *_ = await remembered(memory, ["it stands upstairs <ahpla>", *NOISE])
        await memory.recall(Query(ALPHA))
        assert rows(tmp_path, DEEP) == [(1, 21)]

        found = await memory.recall(Query(ALPHA))

        assert [hit.node.id for hit in found.hits] == [target.id]


async def test_a_scan_covers_nothing_that_has_no_vector_yet(tmp_path: Path) -> None:
    # row 41
    scanned = "SELECT lo, hi FROM certificates WHERE method = 'scan'"
    async with reading(tmp_path, None, NgramEmbedder()) as memory:
        await remembered(memory, NOISE)
        await memory.settle(60.0)
        await memory.remember(NewNode("user", "the vault door is green"))
        await memory.recall(Query("what colour has the vault door?", deeper=True))
        assert rows(tmp_path, scanned) == []

        await memory.settle(60.0)
        await memory.recall(Query("what colour has the vault door?", deeper=True))

        assert rows(tmp_path, scanned) == [(1, 21)]


async def test_a_scan_passes_over_what_it_looked_at(tmp_path: Path) -> None:
    async with reading(tmp_path, None, NgramEmbedder()) as memory:
        await remembered(memory, NOISE)
        await memory.settle(60.0)
        asked = Query("what colour has the vault door?", deeper=True)
        await memory.recall(asked)

        again = await memory.recall(asked)

        assert [step.note for step in again.steps if step.rung == "scan"] == ["20 looked at before"]


async def test_a_question_without_an_answer_costs_nothing_again(tmp_path: Path) -> None:
    # row 42
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, NOISE)
        await memory.recall(Query(ALPHA))
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query("where is the alpha piano, please"))

        assert (judge.calls, found.hits, found.complete) == (0, (), True)


async def test_what_was_read_for_one_question_is_read_for_another(tmp_path: Path) -> None:
    # row 43
    async with reading(tmp_path, Oracle(), LyingEmbedder(1)) as memory:
        *_, wanted = await remembered(memory, [*NOISE, "it stands upstairs <ateb>"])
        await memory.settle(60.0)
        await memory.recall(Query(ALPHA))
        assert rows(tmp_path, DEEP) == [(1, 21)]

        found = await memory.recall(Query(BETA))

        assert [hit.node.id for hit in found.hits] == [wanted.id]


async def test_what_is_near_is_read_first_whatever_was_read(tmp_path: Path) -> None:
    # row 44
    async with reading(tmp_path, Oracle()) as memory:
        near, *_ = await remembered(memory, ["the beta piano stands there <ateb>", *NOISE])
        await memory.recall(Query(ALPHA, deeper=True))
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query(BETA, deeper=True))

        assert judge.seen[0] == near.text
        assert [(hit.node.id, hit.confirmed) for hit in found.hits] == [(near.id, True)]


async def test_what_is_new_is_read(tmp_path: Path) -> None:
    # row 45
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, NOISE)
        await memory.recall(Query(ALPHA))
        (new,) = await remembered(memory, ["it stands upstairs <ahpla>"])
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query(ALPHA))

        assert judge.seen == [new.text]
        assert [hit.node.id for hit in found.hits] == [new.id]


async def test_what_another_judge_read_is_read_again(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, NOISE)
        await memory.recall(Query(ALPHA))
        judge = Oracle(stamp="oracle/2")
        memory.use_judge(judge)

        await memory.recall(Query(ALPHA))

        assert len(judge.seen) == len(NOISE)


async def test_what_was_superseded_uncovers_what_was_read_with_it(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        old, *_, new = await remembered(memory, ["it stands upstairs <ahpla>", *NOISE])
        await memory.recall(Query(ALPHA))
        await memory.retire(old.id, (new.id,))

        found = await memory.recall(Query(ALPHA))

        assert (found.hits, found.complete) == ((), True)


async def test_what_was_changed_on_file_is_read_again(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        changed, *_ = await remembered(memory, NOISE)
        await memory.recall(Query(ALPHA))
        text = "it stands upstairs <ahpla>"
        new = (text, hashlib.sha256(text.encode()).digest(), changed.seq)
        sql = "UPDATE nodes SET text = ?, sha256 = ? WHERE seq = ?"
        await memory._writer.run(lambda db: db.execute(sql, new))
    async with reading(tmp_path, Oracle()) as memory:
        found = await memory.recall(Query(ALPHA))

        assert [hit.node.id for hit in found.hits] == [changed.id]


async def test_without_pointers_nothing_is_taken_as_read(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        target, *_ = await remembered(memory, ["it stands upstairs <ahpla>", *NOISE])
        await memory.recall(Query(ALPHA))
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query(ALPHA, without=frozenset(("pointers",))))

        assert [hit.node.id for hit in found.hits] == [target.id]
        assert len(judge.seen) == 21


@given(stretches, stretches)
def test_stretches_are_sets_of_positions(one: list[Stretch], other: list[Stretch]) -> None:
    assert members(colours.union(one)) == members(one)
    assert members(colours.without(one, other)) == members(one) - members(other)
    assert members(colours.common(one, other)) == members(one) & members(other)
    assert colours.length(one) == len(members(one))
    joined = colours.union(one)
    assert all(left.hi + 1 < right.lo for left, right in pairwise(joined))


@given(st.integers(1, 50), st.integers(0, 60), st.integers(1, 20))
def test_parts_tile_what_they_are_of(lo: int, more: int, most: int) -> None:
    parts = colours.parts(lo, lo + more, most)

    assert [position for part in parts for position in range(part.lo, part.hi + 1)] == list(
        range(lo, lo + more + 1)
    )
    assert len(parts) == min(most, more + 1)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Where is the key?", "where is key", True),
        ("请问端口是多少？", "端口是多少", True),
        ("Where is the key of alpha?", "Where is the key of beta?", False),
        ("Is the port 8080?", "Is the port 8081?", False),
        ("Is it open?", "Is it not open?", False),
        ("When did we deploy it?", "Why did we deploy it?", False),
        ("does Ann like Tom", "does Tom like Ann", False),
    ],
)
def test_only_the_same_telling_words_make_a_family(one: str, other: str, same: bool) -> None:
    assert (sense(one) == sense(other)) is same


async def test_a_hole_leaves_what_lies_around_it(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, NOISE)
        await memory.recall(Query(ALPHA))
        await memory._writer.run(lambda db: certificates.uncover(db, 1, 7))
        judge = Oracle()
        memory.use_judge(judge)

        await memory.recall(Query(ALPHA))

        assert judge.seen == [NOISE[6]]
