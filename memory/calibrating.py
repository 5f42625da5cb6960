"""Calibrating: a judge is asked about pairs whose answer is known, and what it is good for is kept.

Nothing of what memory knows changes by it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from memory.config import JUDGE_SECONDS
from memory.protocols import Judge, Scorer
from memory.recall import judge_calibration as calibration
from memory.recall.judge_calibration import LEAST_PAIRS, Answer, Calibration, Pair
from memory.recollection import Candidate
from memory.store import settings
from memory.store.lane import Lanes
from memory.store.writes import Writes

PAIRS = 40
"""Related pairs that a judge is asked about, unless said otherwise."""
TOGETHER = 8
"""Candidates of one call, as reading puts several together too."""


class Calibrating:
    """Judges against one memory file. Every verb may raise ``MemoryFileError``."""

    def __init__(self, lanes: Lanes, writes: Writes) -> None:
        self._lanes, self._writes = lanes, writes

    async def calibrated(self, stamp: str) -> Calibration | None:
        """What was found of a judge before; ``None`` if it never was measured on this file."""
        kept = await self._lanes.read.run(lambda db: settings.kept(db, calibration.key(stamp)))
        return calibration.from_plain(kept)

    async def calibrate(self, judge: Judge | Scorer, most: int = PAIRS) -> Calibration:
        """Ask a judge about at most so many related pairs and some unrelated ones of this file, and
        keep what comes of it. A judge that scores gets its bars from one half of the pairs and is
        measured on the other.

        What raises, or stays silent, counts as unknown; ``why`` tells of it. With too few pairs
        it is not asked, and nothing is kept.
        """
        known, origin = await self._lanes.read.run(lambda db: calibration.pairs(db, most))
        if sum(pair.related for pair in known) < LEAST_PAIRS:
            return calibration.measured(judge.stamp, origin, ())
        if isinstance(judge, Scorer):
            answered, bars, why = await _scored(judge, known)
        else:
            (answered, why), bars = await _judged(judge, known), None
        found = calibration.measured(judge.stamp, origin, answered, bars=bars, why=why)
        if found.enough and not (why and found.unknown == 1):  # one out of order is asked again
            name, plain = calibration.key(found.stamp), calibration.to_plain(found)
            await self._writes.whole(
                self._lanes.write.run(lambda db: settings.keep(db, name, plain))
            )
        return found


async def _judged(judge: Judge, known: Sequence[Pair]) -> tuple[list[tuple[Pair, Answer]], str]:
    """The pairs with a judge's answers. Texts of one question go into one call, and related and
    unrelated ones look alike."""
    answered: list[tuple[Pair, Answer]] = []
    why = ""
    by_question: dict[str, list[Pair]] = {}
    for pair in known:
        by_question.setdefault(pair.question, []).append(pair)
    for question, texts in by_question.items():
        for start in range(0, len(texts), TOGETHER):
            asked = sorted(texts[start : start + TOGETHER], key=lambda pair: pair.text)
            names = [f"m{number}" for number in range(len(asked))]
            candidates = [
                Candidate(name, pair.text) for name, pair in zip(names, asked, strict=True)
            ]
            said, fault = await _tried(judge.judge, question, candidates)
            answers = said.answers if said is not None else {}
            why = fault or (said.why if said is not None else "") or why
            answered += [
                (pair, answers.get(name, "unknown"))
                for name, pair in zip(names, asked, strict=True)
            ]
    return answered, why


async def _scored(
    judge: Scorer, known: Sequence[Pair]
) -> tuple[list[tuple[Pair, Answer]], tuple[float, float] | None, str]:
    scores: list[tuple[Pair, float]] = []
    why = ""
    # Texts of one question after another: what is known of a question alone is weighed once.
    for pair in sorted(known, key=lambda pair: pair.question):
        said, fault = await _tried(judge.scores, pair.question, [pair.text])
        why = fault or why
        if said is not None:
            scores.append((pair, said[0]))
    # Halves by question, so that no question is in both.
    turns = {pair.question: number % 2 for number, pair in enumerate(known) if pair.related}
    first = [(pair, score) for pair, score in scores if turns[pair.question] == 0]
    bars = calibration.bars_of(
        [score for pair, score in first if pair.related],
        [score for pair, score in first if not pair.related],
    )
    answered = [
        (pair, calibration.by_bars(score, bars))
        for pair, score in scores
        if turns[pair.question] == 1
    ]
    return answered, bars, why


async def _tried(
    call: Callable[..., Awaitable[Any]], question: str, asked: Sequence[object]
) -> tuple[Any, str]:
    """(what a judge said, "") or (``None``, why it said nothing)."""
    try:
        async with asyncio.timeout(JUDGE_SECONDS):
            return await call(question, asked), ""
    except TimeoutError:
        return None, f"no answer within {JUDGE_SECONDS:.0f} s"
    except Exception as error:  # noqa: BLE001  a judge is others' code; what it raises is unknown
        return None, str(error) or type(error).__name__
