"""A store for the random tests of reach, and what is true of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memory import Memory
from memory.recall.families import sense
from memory.recollection import Query, Recollection
from memory.store import pieces, pointers, questions
from memory.store.database import Database, open_database
from memory.types import NewNode, Node
from tests.memory.recall.oracle import LyingEmbedder, Mood, Oracle, bears

MANY = 1_000
WORDINGS = ("Where is the alpha?", "Where is the beta?", "Who told us of gamma")
"""One of each family that has an answer."""


class Clock:
    """A millisecond later at each look."""

    def __init__(self) -> None:
        self._at = itertools.count(1_700_000_000_000)

    def now(self) -> int:
        return next(self._at)


class World:
    """One store, and what is true of it."""

    def __init__(self, path: Path, directions: int) -> None:
        self.path, self.clock = path, Clock()
        self.embedder = LyingEmbedder(directions)
        self.memory: Memory
        self.nodes: list[Node] = []
        self.retired: set[str] = set()
        self.jumped: set[str] = set()
        self.wrong: set[tuple[str, str]] = set()
        """(sense of the question, node) that the user said is wrong."""
        self.last: Recollection | None = None
        self.families: dict[str, str] = {}

    async def open(self) -> None:
        self.memory = await Memory.open(self.path, embedder=self.embedder, clock=self.clock)

    async def reopen(self) -> None:
        await self.memory.close()
        await self.open()

    async def remember(self, told: Sequence[str]) -> None:
        for text in told:
            self.nodes.append(await self.memory.remember(NewNode("user", text, session="s")))

    def relevant(self, question: str) -> set[str]:
        living = (node for node in self.nodes if node.id not in self.retired)
        return {node.id for node in living if bears(question, node.text)}

    async def ask(self, query: Query, mood: Mood) -> Recollection:
        judge = Oracle(mood, window=200)
        self.memory.use_judge(judge)
        answer = await self.memory.recall(query)
        self.last = answer
        self.families[sense(query.text)] = query.text
        self.check(query, judge, answer)
        return answer

    def check(self, query: Query, judge: Oracle, answer: Recollection) -> None:
        """The law."""
        found, truth = {hit.node.id for hit in answer.hits}, self.relevant(query.text)
        for node in self.nodes:
            if node.id in truth - found:
                assert any(each.lo <= node.seq <= each.hi for each in answer.unread)
                assert not answer.complete
        assert answer.complete == (not answer.unread)
        assert (answer.price is None) == answer.complete
        if judge.mood == "well" and not _repeats(self):
            assert len(judge.seen) == len(set(judge.seen))
        if query.exhaustive and judge.mood == "well":
            assert found - self.jumped == truth - self.jumped
            assert answer.complete

    def check_file(self) -> None:
        """What was learned is true, whatever the judge did."""
        db = open_database(self.path, reading=True)
        try:
            for pointer in pointers.after(db, 0, MANY):
                for key in pointer.keys:
                    self._check_key(db, key)
        finally:
            db.close()

    def _check_key(self, db: Database, key: pointers.Key) -> None:
        (question,) = questions.by_ids(db, (key.question,))
        position = pieces.position(db, key.target)
        if position is None:
            return  # cut anew since
        node = next(node for node in self.nodes if node.seq == position)
        if (sense(question.text), node.id) in self.wrong or node.id in self.retired:
            return  # what stands there now is another memory
        text = pieces.text_of(db, (key.target,))[key.target]
        assert bears(question.text, node.text if key.sign > 0 else text) == (key.sign > 0)

    async def pay_all(self) -> None:
        self.memory.use_judge(Oracle(window=200))
        while (await self.memory.pay(calls=MANY)).nodes:
            pass

    async def asks_again(self) -> None:
        """What was learned of each question is held to the law by the next one."""
        for wording in (*WORDINGS, *WORDINGS):
            await self.ask(Query(wording, session="s", limit=MANY, deeper=True), "well")

    async def agrees(self) -> None:
        """Once all is paid, asking again finds what a full read finds."""
        for wording in self.families.values():
            await self.ask(Query(wording, session="s", limit=MANY), "well")
        await self.pay_all()
        for known, wording in self.families.items():
            answer = await self.ask(Query(wording, session="s", limit=MANY), "well")
            barred = {node for told, node in self.wrong if told == known}
            found = {hit.node.id for hit in answer.hits}
            assert found - self.jumped - barred == self.relevant(wording) - self.jumped - barred
            assert answer.complete or barred


def _repeats(world: World) -> bool:
    """Whether two memories say the same, or one the same twice: then a judge may see it twice."""
    told = [node.text for node in world.nodes]
    return len(set(told)) < len(told) or any(len(text) > 400 for text in told)


class Chooser:
    """Begins a piece at each so many sentences."""

    window = 10_000

    def __init__(self, number: int) -> None:
        self._step = 2 + number % 5

    async def breaks(self, sentences: Sequence[str]) -> Sequence[int]:
        return range(0, len(sentences), self._step)


async def play(world: World, step: tuple[object, ...]) -> None:
    match step:
        case ("remember", told):
            await world.remember(told)  # type: ignore[arg-type]
        case ("ask", query, mood):
            await world.ask(query, mood)  # type: ignore[arg-type]
        case ("pay", calls, mood):
            world.memory.use_judge(Oracle(mood, window=200))  # type: ignore[arg-type]
            await world.memory.pay(calls=calls)  # type: ignore[arg-type]
        case ("killed", query):
            await _killed(world, query)  # type: ignore[arg-type]
        case ("recut", number):
            node = world.nodes[number % len(world.nodes)]  # type: ignore[operator]
            if node.id not in world.retired:
                await world.memory.recut(node.id, Chooser(number))  # type: ignore[arg-type]
        case ("settle",):
            await world.memory.settle(60.0)
        case ("reopen",):
            await world.reopen()
        case (name, *numbers):
            await _told(world, name, numbers)  # type: ignore[arg-type]


async def _told(world: World, name: str, numbers: Sequence[int]) -> None:
    """What the user says of a memory."""
    living = [node for node in world.nodes if node.id not in world.retired]
    node = living[numbers[0] % len(living)] if living else None
    last = world.last
    if name == "cite" and last is not None and last.id:
        truth = world.relevant(last.query)
        cited = [hit.node.id for hit in last.hits if hit.node.id in truth]
        with suppress(LookupError):
            await world.memory.confirm(last.id, cited[:1])
    elif name == "jump" and node is not None:
        await world.memory.jump(node.id)
        world.jumped.add(node.id)
    elif name == "wrong" and last is not None and last.id and last.hits:
        hit = last.hits[numbers[0] % len(last.hits)]
        world.wrong.add((sense(last.query), hit.node.id))
        world.memory.use_judge(Oracle(window=200))
        with suppress(LookupError):
            world.last = await world.memory.wrong(last.id, (hit.node.id,))
    elif name == "retire" and node is not None and len(living) > 1:
        other = living[numbers[1] % len(living)]
        world.retired.add(node.id)
        await world.memory.retire(node.id, (other.id,) if other.id != node.id else ())
        if node.id in world.jumped and other.id != node.id:
            world.jumped.add(other.id)


async def _killed(world: World, query: Query) -> None:
    """The process ends in the middle of a reading."""
    judge = Oracle("stuck", window=200)
    world.memory.use_judge(judge)
    asking = asyncio.ensure_future(world.memory.recall(query))
    stuck = asyncio.ensure_future(judge.reached.wait())
    await asyncio.wait((asking, stuck), return_when=asyncio.FIRST_COMPLETED)
    for task in (asking, stuck):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    await world.reopen()
