"""Exact reading: a judge reads raw text, batch by batch, and what it says is kept at once.

Each place is put before the judge at most once in one reading, however many steps of the ladder
want to know. What it does not answer, because it fails, is slow or says something else, is unknown,
and unknown changes nothing. A reading that is broken off, by whatever, has kept all batches before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from memory.config import BATCH_CANDIDATES, JUDGE_FAILURES, JUDGE_SECONDS
from memory.protocols import Clock, Judge
from memory.recall import batches, ledger
from memory.recall.batches import Answer, Part
from memory.recall.ledger import Batch, Recorded
from memory.recollection import Candidate, Judgement, Stretch
from memory.store import pieces
from memory.store.database import Database
from memory.store.lane import Lanes
from memory.store.pointers import Key
from memory.store.writes import Writes

TAKEN = 64
"""Places whose texts are read from the file in one go."""
ASKED_AT_ONCE = 512
"""Positions of the timeline whose places are looked up in one go."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call came to."""

    answers: Mapping[str, Answer]
    """Id of a candidate → answer, where it was yes or no."""
    tokens: int
    why: str = ""
    """Why nothing was answered, in words."""


async def ask(judge: Judge, question: str, candidates: Sequence[Candidate]) -> Asked:
    """One call, ended after ``JUDGE_SECONDS``; never raises but when cancelled."""
    try:
        async with asyncio.timeout(JUDGE_SECONDS):
            said = await judge.judge(question, candidates)
    except TimeoutError:
        return Asked({}, 0, f"The judge {judge.stamp} did not answer within {JUDGE_SECONDS:g} s.")
    except Exception as error:  # noqa: BLE001 (whatever is wrong with a judge, nothing is known)
        return Asked({}, 0, f"The judge {judge.stamp} failed: {error or type(error).__name__}")
    if not isinstance(said, Judgement) or not isinstance(said.answers, dict):
        return Asked({}, 0, f"The judge {judge.stamp} gave no answer that could be read.")
    asked = {each.id for each in candidates}
    answers: dict[str, Answer] = {
        name: answer
        for name, answer in said.answers.items()
        if name in asked and answer in ("yes", "no")
    }
    tokens = said.tokens if isinstance(said.tokens, int) else 0
    why = "" if answers else said.why or f"The judge {judge.stamp} answered nothing."
    return Asked(answers, max(0, tokens), why)


@dataclass(slots=True)
class Read:
    """What one reading came to so far."""

    calls: int = 0
    tokens: int = 0
    answers: dict[int, Answer] = field(default_factory=dict)
    """Place → answer, of all that was put before the judge."""
    done: set[int] = field(default_factory=set)
    """Positions of nodes that were answered to the end."""
    failures: int = 0
    """Calls in a row that came to nothing."""
    why: str = ""
    """Why the last of them did."""
    overflow: int = 0

    @property
    def found(self) -> list[int]:
        """Places that bear on the question, in the order in which they were read."""
        return [place for place, answer in self.answers.items() if answer == "yes"]

    @property
    def given_up(self) -> bool:
        """Whether the judge is out of order."""
        return self.failures >= JUDGE_FAILURES


class Reader:
    """Reads for one question. ``family`` is 0 until something was written for a new question."""

    def __init__(
        self,
        judge: Judge,
        question: str,
        family: int,
        lanes: Lanes,
        writes: Writes,
        clock: Clock,
        *,
        entry: int = 0,
        stale: tuple[int, ...] = (),
    ) -> None:
        self.family = family
        self.read = Read()
        self.entry = entry
        """The place where the question came in: pointers begin there."""
        self._judge = judge
        self._question = question
        self._stale = stale
        self._lanes, self._writes, self._clock = lanes, writes, clock
        self._most = batches.room(judge.window, question)

    async def places(
        self,
        wanted: Iterable[int],
        *,
        calls: int | None = None,
        tokens: int | None = None,
        enough: int | None = None,
        leads: Mapping[int, Key] | None = None,
    ) -> None:
        """Put places before the judge, in this order; those that were are passed over.

        Args:
            calls, tokens: how many this reading may have cost in all when it ends.
            enough: how many finds end it.
            leads: place → the key by which a pointer led there.
        """
        waiting: list[Part] = []
        coming = [place for place in dict.fromkeys(wanted) if place not in self.read.answers]
        while coming or waiting:
            if coming and len(waiting) < BATCH_CANDIDATES:
                some, coming = coming[:TAKEN], coming[TAKEN:]
                texts = await self._lanes.read.run(partial(pieces.text_of, places=some))
                for place, text in texts.items():
                    waiting += batches.parts(place, text, self._most)
                continue
            if self._ended(calls, tokens, enough):
                return
            waiting = await self._call(waiting, leads or {})

    async def stretches(
        self,
        wanted: Iterable[Stretch],
        *,
        calls: int | None = None,
        tokens: int | None = None,
        enough: int | None = None,
    ) -> None:
        """Put all places of these stretches before the judge, newest first. As ``places``."""
        newest_first = sorted(wanted, key=lambda each: -each.lo)
        for each in newest_first:
            hi = each.hi
            while hi >= each.lo:
                if self._ended(calls, tokens, enough):
                    return
                lo = max(each.lo, hi - ASKED_AT_ONCE + 1)
                found = await self._lanes.read.run(partial(pieces.in_stretch, lo=lo, hi=hi))
                await self.places(reversed(found), calls=calls, tokens=tokens, enough=enough)
                hi = lo - 1

    def _ended(self, calls: int | None, tokens: int | None, enough: int | None) -> bool:
        read = self.read
        return (
            read.given_up
            or (calls is not None and read.calls >= calls)
            or (tokens is not None and read.tokens >= tokens)
            or (enough is not None and len(read.found) >= enough)
        )

    async def _call(self, waiting: list[Part], leads: Mapping[int, Key]) -> list[Part]:
        """Ask about the first of these and keep what was answered; what is left."""
        count = _whole_places(waiting, self._most)
        left = waiting[:count]
        said: dict[str, Answer] = {}
        while left and not self.read.given_up:
            some, left = _split(left, batches.fill(left, self._most))
            said.update(await self._ask(some))
            if any(said.get(part.candidate.id) == "yes" for part in some):
                left = [part for part in left if part.place != some[-1].place]
        await self._keep(waiting[:count], said, leads)
        return waiting[count:]

    async def _ask(self, batch: Sequence[Part]) -> Mapping[str, Answer]:
        asked = await ask(self._judge, self._question, [part.candidate for part in batch])
        read = self.read
        read.calls += 1
        read.tokens += asked.tokens or sum(part.tokens for part in batch)
        read.failures = read.failures + 1 if asked.why else 0
        read.why = asked.why or read.why
        return asked.answers

    async def _keep(
        self, asked: Sequence[Part], said: Mapping[str, Answer], leads: Mapping[int, Key]
    ) -> None:
        """Write what was answered before anything else is asked."""
        names: dict[int, list[str]] = {}
        for part in asked:
            names.setdefault(part.place, []).append(part.candidate.id)
        places = tuple(names)
        for place in places:
            self.read.answers[place] = batches.answer(names[place], said)
        if all(self.read.answers[place] == "unknown" for place in places):
            return
        batch = Batch(
            *(self._question, self.family, self._judge.stamp, self.entry, places),
            *(dict(self.read.answers), self._clock.now(), self._stale, leads),
        )
        work = partial(_record, batch=batch)
        recorded = await self._writes.whole(self._lanes.write.run(work))
        self.family, self._stale = recorded.family, ()
        self.read.done |= recorded.answered
        self.read.overflow += recorded.overflow


def _whole_places(waiting: Sequence[Part], most: int) -> int:
    """How many of the first parts to ask about before anything is kept: those of one call without
    the place that does not fit in it; all windows of the first place if that alone does not."""
    count = batches.fill(waiting, most)
    if count == len(waiting) or waiting[count].place != waiting[count - 1].place:
        return count
    torn = [number for number, part in enumerate(waiting) if part.place == waiting[count].place]
    return torn[0] or torn[-1] + 1


def _split(parts: list[Part], count: int) -> tuple[list[Part], list[Part]]:
    return parts[:count], parts[count:]


def _record(db: Database, batch: Batch) -> Recorded:
    return ledger.record(db, batch)
