"""Exact reading: what is put before a judge, in which order, and what its answers leave behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.config import READ_CALLS
from memory.recall import batches
from memory.recollection import Query
from memory.tokens import estimate
from memory.types import NewNode
from tests.memory.recall.oracle import LyingEmbedder, Oracle, reading, remembered, rows

WHERE = "Where is the alpha piano?"
NOISE = ["the kettle is blue", "a train leaves at noon", "the lamp was sold", "云在走"]
KEYS = """
    SELECT source, target, text, sign, weight FROM keys JOIN pointers ON pointers.id = pointer
    JOIN questions ON questions.id = question ORDER BY source, target
"""


def many(count: int) -> list[str]:
    return [f"{NOISE[number % 4]} {number}" for number in range(count)]


async def test_what_is_read_is_led_to_from_where_the_question_came_in(tmp_path: Path) -> None:
    # row 34
    async with reading(tmp_path, Oracle()) as memory:
        target, *_, entry = await remembered(
            memory, ["it stands upstairs <ahpla>", *NOISE, "an alpha piano, we said, is loud"]
        )

        found = await memory.recall(Query(WHERE, deeper=True))

        assert [(hit.node.id, hit.rung, hit.confirmed) for hit in found.hits] == [
            (target.id, "reading", True)
        ]
        assert rows(tmp_path, KEYS) == [(entry.seq, target.seq, WHERE, 1, 1.0)]
        assert found.complete


async def test_the_same_question_again_costs_one_call_and_reads_nothing_else(
    tmp_path: Path,
) -> None:
    # row 35
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, ["it stands upstairs <ahpla>", *NOISE])
        await memory.recall(Query(WHERE, deeper=True))
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query("where is the alpha piano"))

        assert (judge.calls, judge.seen) == (1, ["it stands upstairs <ahpla>"])
        assert [(hit.rung, hit.key) for hit in found.hits] == [("pointers", WHERE)]
        assert [row[-1] for row in rows(tmp_path, KEYS)] == [2.0]
        assert found.complete


async def test_a_question_costs_a_bounded_number_of_calls_and_the_rest_is_owed(
    tmp_path: Path,
) -> None:
    # row 37
    judge = Oracle()
    async with reading(tmp_path, judge) as memory:
        await remembered(memory, many(1_500))

        found = await memory.recall(Query(WHERE))

        assert judge.calls == READ_CALLS
        assert not found.complete
        assert rows(tmp_path, "SELECT lo, hi FROM debts") == [
            (each.lo, each.hi) for each in found.unread
        ]
        assert found.price is not None
        assert found.price.nodes == 1_500 - len(judge.seen)


async def test_the_newest_is_read_first(tmp_path: Path) -> None:
    # row 38
    judge = Oracle()
    async with reading(tmp_path, judge) as memory:
        await remembered(memory, [*many(70), "it stands upstairs <ahpla>"])

        found = await memory.recall(Query(WHERE, limit=1))

        assert (judge.calls, judge.seen[0]) == (1, "it stands upstairs <ahpla>")
        assert len(found.hits) == 1


async def test_a_fact_is_found_under_sixty_others(tmp_path: Path) -> None:
    # row 39
    async with reading(tmp_path, Oracle()) as memory:
        fact, *_ = await remembered(memory, ["it stands upstairs <ahpla>", *many(60)])

        found = await memory.recall(Query(WHERE))

        assert [hit.node.id for hit in found.hits] == [fact.id]


async def test_reading_ends_when_enough_is_found(tmp_path: Path) -> None:
    # row 40
    judge = Oracle(window=60)
    async with reading(tmp_path, judge) as memory:
        await remembered(memory, [f"one of twenty <ahpla> {number}" for number in range(20)])

        found = await memory.recall(Query(WHERE, limit=8))

        assert len(found.hits) == 8
        assert len(judge.seen) < 20
        assert not found.complete


@pytest.mark.parametrize("mood", ["raises", "silent", "garbage"])
async def test_a_judge_that_fails_changes_no_state(tmp_path: Path, mood: str) -> None:
    # row 46
    kept = (
        "SELECT * FROM certificates WHERE depth = 2",
        "SELECT * FROM keys",
        "SELECT * FROM pointers",
        "SELECT family, lo, hi, worth, tries, at FROM debts",
        "SELECT * FROM anchors",
    )
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*many(100), "it stands upstairs <ahpla>"])
        await memory.recall(Query(WHERE, limit=1))
        before = [rows(tmp_path, query) for query in kept]
        memory.use_judge(Oracle(mood))  # type: ignore[arg-type]

        found = await memory.recall(Query(WHERE, limit=1))

        assert [rows(tmp_path, query) for query in kept] == before
        assert before[0]
        assert before[3]
        assert not found.complete
        assert found.notice


async def test_a_judge_that_never_answers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = Oracle("stuck")
    judge.calls = 1
    monkeypatch.setattr("memory.recall.reading.JUDGE_SECONDS", 0.0)
    async with reading(tmp_path, judge) as memory:
        await remembered(memory, many(40))

        found = await memory.recall(Query(WHERE))

        assert "did not answer" in found.notice
        assert [(each.lo, each.hi) for each in found.unread] == [(1, 40)]


async def test_reading_all_of_it_offers_each_memory_once_whatever_was_read(tmp_path: Path) -> None:
    # row 47
    async with reading(tmp_path, Oracle()) as memory:
        told = await remembered(memory, ["it stands upstairs <ahpla>", *many(50)])
        await memory.recall(Query(WHERE, exhaustive=True))
        judge = Oracle()
        memory.use_judge(judge)

        found = await memory.recall(Query(WHERE, exhaustive=True))

        assert sorted(judge.seen) == sorted(node.text for node in told)
        assert [hit.node.id for hit in found.hits] == [told[0].id]
        assert found.complete


async def test_a_question_is_embedded_once_and_nothing_is_judged_twice(tmp_path: Path) -> None:
    # row 48
    embedder, judge = LyingEmbedder(), Oracle()
    async with reading(tmp_path, judge, embedder) as memory:
        await remembered(memory, ["the alpha piano stands upstairs", "it <ahpla>", *many(40)])
        await memory.settle(60.0)
        await memory.recall(Query("Where was the beta?"))
        asked, judge.seen = embedder.asked, []

        await memory.recall(Query("Where is the alpha piano that we bought yesterday?"))

        assert embedder.asked == asked + 1
        assert len(judge.seen) == len(set(judge.seen)) > 0


async def test_a_judge_that_is_not_able_is_never_asked(tmp_path: Path) -> None:
    judge = Oracle("unable")
    async with reading(tmp_path, judge) as memory:
        await remembered(memory, ["the alpha piano stands upstairs <ahpla>", *many(4)])

        found = await memory.recall(Query(WHERE, deeper=True))

        assert (judge.calls, found.complete) == (0, False)
        assert found.price is not None
        assert found.price.nodes == 5
        assert rows(tmp_path, "SELECT * FROM debts") == []


async def test_a_text_longer_than_a_call_is_read_in_windows(tmp_path: Path) -> None:
    judge = Oracle(window=100)
    async with reading(tmp_path, judge) as memory:
        long = "the kettle is blue. " * 40
        told = await memory.remember(NewNode("user", f"{long}It <ahpla> stands. {long}"))

        found = await memory.recall(Query(WHERE))

        assert [hit.node.id for hit in found.hits] == [told.id]
        assert max(estimate(text) for text in judge.seen) <= batches.room(100, WHERE)


def test_the_windows_of_a_place_are_the_place() -> None:
    text = "A sentence of some words. " * 200

    parts = batches.parts(-3, text, 120)

    assert "".join(part.candidate.text for part in parts) == text
    assert len({part.candidate.id for part in parts}) == len(parts) > 1
    assert max(part.tokens for part in parts) <= 120


def test_a_place_does_not_bear_on_it_only_if_no_window_does() -> None:
    assert batches.answer(["a", "b"], {"a": "no", "b": "no"}) == "no"
    assert batches.answer(["a", "b"], {"a": "no"}) == "unknown"
    assert batches.answer(["a", "b"], {"a": "yes"}) == "yes"
