"""The ledger: what is owed when a question stops early, and how it is paid."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory import Memory
from memory.recollection import Query
from memory.store import debts, questions
from tests.memory.recall.oracle import Oracle, reading, remembered, rows

ALPHA, BETA = "Where is the alpha piano?", "Where is the beta piano?"
NOISE = [f"the kettle number {number} is blue" for number in range(40)]
OWED = "SELECT text, lo, hi FROM debts JOIN questions ON questions.id = debts.family ORDER BY lo"
KEYS = """
    SELECT target, text, sign FROM keys JOIN pointers ON pointers.id = pointer
    JOIN questions ON questions.id = question ORDER BY target
"""


async def leap(memory: Memory, question: str = ALPHA) -> None:
    """Ask so that what is near answers, and the rest is leapt over."""
    found = await memory.recall(Query(question))
    assert found.answered_by == "near"


async def test_what_was_leapt_over_is_owed_to_its_question(tmp_path: Path) -> None:
    # row 72
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano is loud", "the beta piano is not"])

        await leap(memory)
        assert rows(tmp_path, OWED) == [(ALPHA, 1, 42)]

        await memory.recall(Query(BETA, deeper=True))
        assert rows(tmp_path, OWED) == [(ALPHA, 1, 42)]


async def test_the_same_stretch_is_owed_once_and_of_too_many_the_least_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # row 73
    monkeypatch.setattr("memory.store.debts.MOST_DEBTS", 3)
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano, the beta piano, one to five"])
        await leap(memory)
        await leap(memory)
        assert rows(tmp_path, OWED) == [(ALPHA, 1, 41)]

        for number in ("one", "two", "three", "four"):
            await leap(memory, f"Where is the alpha piano number {number}?")

        assert len(rows(tmp_path, OWED)) == 3
        assert ALPHA not in {text for text, _, _ in rows(tmp_path, OWED)}
        assert await memory._reader.run(debts.overflowed) == 2
        assert (await memory.map()).overflow == 2


async def test_each_question_is_owed_the_same_stretch(tmp_path: Path) -> None:
    # row 74
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano and the beta piano are loud"])
        await leap(memory)
        await leap(memory, BETA)

        assert sorted(rows(tmp_path, OWED)) == [(ALPHA, 1, 41), (BETA, 1, 41)]


async def test_paying_finds_what_was_leapt_over(tmp_path: Path) -> None:
    # row 75
    async with reading(tmp_path, Oracle()) as memory:
        *_, hidden, near = await remembered(
            memory, [*NOISE, "it stands upstairs <ahpla>", "the alpha piano is loud"]
        )
        await leap(memory)

        paid = await memory.pay(calls=10)

        assert (paid.found, paid.nodes, paid.left) == (1, 42, 0)
        assert rows(tmp_path, KEYS) == [(hidden.seq, ALPHA, 1)]
        assert rows(tmp_path, OWED) == []
        found = await memory.recall(Query(ALPHA))
        assert [hit.node.id for hit in found.hits] == [hidden.id]
        assert found.complete
        assert near.id not in {hit.node.id for hit in found.hits}


async def test_paying_nothing_is_nothing(tmp_path: Path) -> None:
    # row 76
    judge = Oracle()
    async with reading(tmp_path, judge) as memory:
        paid = await memory.pay()

        assert (paid.calls, paid.nodes, paid.found, paid.left) == (0, 0, 0, 0)
        assert judge.calls == 0


async def test_without_an_able_judge_nothing_is_paid(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano is loud"])
        await leap(memory)
        memory.use_judge(Oracle("unable"))

        paid = await memory.pay()

        assert (paid.calls, paid.left) == (0, 1)
        assert paid.why


async def test_a_large_debt_is_paid_in_instalments_that_a_kill_does_not_undo(
    tmp_path: Path,
) -> None:
    # row 77
    seen: list[str] = []
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*(f"{text} {more}" for more in range(15) for text in NOISE)])
        await remembered(memory, ["the alpha piano is loud"])
        await leap(memory)
    for _ in range(40):
        judge = Oracle(window=400)
        async with reading(tmp_path, judge) as memory:
            paid = await memory.pay(calls=2)
        assert judge.calls <= 2
        assert judge.largest * 24 <= 400
        seen += judge.seen
        if not paid.left:
            break

    assert not paid.left
    assert len(seen) == len(set(seen)) == 601


async def test_what_the_judge_left_open_stays_owed(tmp_path: Path) -> None:
    # row 78
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano is loud"])
        await leap(memory)
        judge = Oracle("forgetful")
        memory.use_judge(judge)

        paid = await memory.pay(calls=10)

        owed = {seq for _, lo, hi in rows(tmp_path, OWED) for seq in range(lo, hi + 1)}
        deep = {
            seq
            for lo, hi in rows(tmp_path, "SELECT lo, hi FROM certificates WHERE depth = 2")
            for seq in range(lo, hi + 1)
        }
        assert paid.left
        assert owed.isdisjoint(deep)
        assert owed | deep == set(range(1, 42))


async def test_questions_that_led_nowhere_are_forgotten_where_there_are_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.store.debts.MOST_DEBTS", 1)
    monkeypatch.setattr("memory.store.certificates.MOST_CERTIFICATES", 1)
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano, the beta piano, one to five"])
        for number in ("one", "two", "three"):
            await leap(memory, f"Where is the alpha piano number {number}?")

        gone = await memory._writer.run(lambda db: questions.prune(db, 1))

        assert gone == 2
        assert len(rows(tmp_path, OWED)) == 1
        await leap(memory, "Where is the alpha piano number one?")


async def test_a_question_that_failed_waits_for_the_others(tmp_path: Path) -> None:
    async with reading(tmp_path, Oracle()) as memory:
        await remembered(memory, [*NOISE, "the alpha piano and the beta piano are loud"])
        await leap(memory)
        await leap(memory, BETA)
        memory.use_judge(Oracle("raises"))
        await memory.pay(calls=2)
        (failed,) = rows(tmp_path, "SELECT family FROM debts WHERE tries = 1")

        memory.use_judge(Oracle(window=2_000))
        await memory.pay(calls=1)

        assert rows(tmp_path, "SELECT family FROM debts WHERE hi = 41") == [failed]
