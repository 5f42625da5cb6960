"""The map: the timeline in its colours, and what was learned."""

from __future__ import annotations

import itertools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.recall import anchors
from memory.recall.mapping import memory_map
from memory.recollection import Stretch
from memory.store import certificates, debts, jumps, questions
from memory.store.certificates import DEEP, LIGHT, Reading

from .asking import answered, misled
from .conftest import NOW, Store

LAST = 60
SPANS = st.lists(st.tuples(st.integers(1, LAST), st.integers(1, LAST)).map(sorted), max_size=4)


def fill(store: Store, count: int = LAST) -> None:
    with store.db.transaction():
        for n in range(count):
            store.add(f"memory {n}", hours_ago=count - n)


def colour(store: Store, depth: int, spans: list[list[int]]) -> None:
    family = questions.put(store.db, "which?", NOW).family
    for lo, hi in spans:
        certificates.put(store.db, Reading(family, "judge", "j"), depth, lo, hi, b"", NOW)


def owe(store: Store, spans: list[list[int]]) -> None:
    for number, (lo, hi) in enumerate(spans):
        family = questions.put(store.db, f"owed {number}", NOW).family
        debts.replace(store.db, family, "judge", [Stretch(lo, hi)], worth=1.0, at=NOW)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(SPANS, SPANS, SPANS, st.integers(1, 80))
def test_each_memory_counts_once_and_by_the_best_that_any_question_has_of_it(
    store: Store, deep: list[list[int]], light: list[list[int]], owed: list[list[int]], most: int
) -> None:
    if not store.db.value("SELECT count(*) FROM nodes"):
        fill(store)
    with store.db.transaction():
        store.db.execute("DELETE FROM questions")
        colour(store, DEEP, deep)
        colour(store, LIGHT, light)
        owe(store, owed)

    found = memory_map(store.db, most, 9).buckets

    def inside(position: int, spans: list[list[int]]) -> bool:
        return any(lo <= position <= hi for lo, hi in spans)

    assert len(found) == min(most, LAST)
    assert [found[0].lo, found[-1].hi] == [1, LAST]
    for before, after in itertools.pairwise(found):
        assert before.hi + 1 == after.lo
    for bucket in found:
        told = [0, 0, 0]
        for position in range(bucket.lo, bucket.hi + 1):
            for place, spans in enumerate((owed, deep, light)):
                if inside(position, spans):
                    told[place] += 1
                    break
        assert [bucket.owed, bucket.deep, bucket.light] == told
        assert bucket.none == bucket.nodes - sum(told)


def test_the_map_names_pointers_anchors_debts_and_jumps(store: Store) -> None:
    fill(store)
    target, there = store.add("the valve\n opens at nine"), store.add("there")
    answered(store, "When does it open?", target, 0, entry=3)
    answered(store, "When does it open?", target, 0, entry=3)
    misled(store, "Who opens it?", target, 90, entry=3)
    fill(store, 40)
    anchors.register(store.db, target.seq, 3, NOW)
    jumps.put(store.db, 0, there.seq, NOW, words="look there")
    owe(store, [[1, 5]])
    found = memory_map(store.db, 400, 9)
    (pointer,) = found.pointers
    assert (pointer.source.label, pointer.target.label) == ("memory 2", "the valve opens at nine")
    assert [(key.question, key.positive, key.weight) for key in pointer.keys] == [
        ("When does it open?", True, 2.0),
        ("Who opens it?", False, 2.0),
    ]
    assert [(each.target.id, each.level) for each in found.anchors] == [(target.id, 2)]
    assert [(each.source.id, each.words) for each in found.jumps] == [("", "look there")]
    assert [(each.question, each.nodes) for each in found.debts] == [("owed 0", 5)]
    counted = (found.pointer_count, found.anchor_count, found.debt_count, found.question_count)
    assert counted == (1, 1, 1, 3)
    assert found.overflow == 0


def test_the_map_of_nothing_is_empty(store: Store) -> None:
    found = memory_map(store.db, 400, 200)
    assert (found.buckets, found.pointers, found.jumps) == ((), (), ())
