"""Pointers on the ladder: what a judge says of them, and what is done where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory import Memory
from memory.recollection import Candidate, Judgement, Query, Rung
from memory.store import pointers
from memory.store.database import open_database
from memory.types import NewNode, Node
from tests.doubles.embedding import SetClock

QUESTION = "Who keeps the orchard's key?"
OFF: frozenset[Rung] = frozenset({"near", "scan"})


class Reader:
    """Says yes of texts that hold a word."""

    stamp, able, window = "reader/1", True, 2_000

    def __init__(self, yes: str) -> None:
        self.yes = yes
        self.read: list[str] = []

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        self.read += [each.text for each in candidates]
        return Judgement({each.id: "yes" if self.yes in each.text else "no" for each in candidates})


class World:
    """A memory that has learned that one node answers the question."""

    def __init__(self, memory: Memory, target: Node) -> None:
        self.memory, self.target = memory, target

    @classmethod
    async def made(cls, path: Path, judge: Reader | None = None, *, targets: int = 1) -> World:
        memory = await Memory.open(path, clock=SetClock(), judge=judge)
        told = [await memory.remember(NewNode("user", f"Ann has it, {n}")) for n in range(targets)]
        memory.use_judge(None)
        for node in told:
            found = await memory.recall(Query(QUESTION, without=OFF))
            await memory.confirm(found.id, [node.id])
        memory.use_judge(judge)
        return cls(memory, told[0])

    async def ask(self, words: str = QUESTION) -> list[tuple[str, str, bool]]:
        found = await self.memory.recall(Query(words, without=OFF, limit=50))
        return [(hit.rung, hit.node.id, hit.confirmed) for hit in found.hits]


async def test_a_pointer_that_the_judge_denies_is_not_followed_and_read_once(
    tmp_path: Path,
) -> None:
    # row 62
    judge = Reader("nobody")
    world = await World.made(tmp_path / "m.db", judge)
    assert await world.ask() == []
    assert judge.read.count(world.target.text) == 1
    await world.memory.close()


async def test_a_pointer_that_the_judge_confirms_ends_the_search(tmp_path: Path) -> None:
    judge = Reader("Ann")
    world = await World.made(tmp_path / "m.db", judge)
    for n in range(30):
        await world.memory.remember(NewNode("user", f"something else {n}"))
    assert await world.ask() == [("pointers", world.target.id, True)]
    assert judge.read == [world.target.text]
    await world.memory.close()


async def test_without_a_judge_what_is_led_to_comes_first_and_waits_for_a_word(
    tmp_path: Path,
) -> None:
    # row 63
    world = await World.made(tmp_path / "m.db")
    assert await world.ask() == [("pointers", world.target.id, False)]
    assert await world.ask("What is for lunch?") == []
    await world.memory.close()


@pytest.mark.parametrize("used", [True, False])
async def test_following_counts_when_it_is_said_what_was_needed(tmp_path: Path, used: bool) -> None:
    world = await World.made(tmp_path / "m.db")
    found = await world.memory.recall(Query(QUESTION, without=OFF))
    await world.memory.confirm(found.id, [world.target.id] if used else [])
    await world.memory.close()
    db = open_database(tmp_path / "m.db", reading=True)
    (each,) = pointers.latest(db, 9)
    db.close()
    (key,) = each.keys
    assert (key.tries, key.successes, key.missed) == (1, int(used), int(not used))


async def test_that_is_wrong_keeps_the_pointer_from_the_question_at_once(tmp_path: Path) -> None:
    world = await World.made(tmp_path / "m.db")
    found = await world.memory.recall(Query(QUESTION, without=OFF))
    again = await world.memory.wrong(found.id)
    assert again.hits == ()
    assert await world.ask() == []
    await world.memory.close()
