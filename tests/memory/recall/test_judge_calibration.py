from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from memory import Memory
from memory.recall import judge_calibration as calibration
from memory.recall.judge_calibration import Calibration
from memory.recollection import Candidate, Judgement, Query
from memory.types import NewNode

THINGS = [
    *("apple", "barrel", "candle", "door", "engine", "feather", "garden", "hammer", "island"),
    *("jacket", "kettle", "ladder", "mirror", "needle", "oven", "pillow", "quilt", "rope"),
    *("saddle", "table", "urn", "violin", "wagon", "yarn"),
]


class Reader:
    """Says yes where the thing that a question names stands in a text."""

    able = True
    window = 1_000

    def __init__(self, wrong: int = 0, stamp: str = "reader/1") -> None:
        self.stamp = stamp
        self.calls = 0
        self._wrong = wrong
        """Every so manieth answer is turned around; 0 is none."""
        self._said = 0

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        self.calls += 1
        return Judgement({each.id: self._answer(question, each.text) for each in candidates})  # type: ignore[misc]

    def _answer(self, question: str, text: str) -> str:
        self._said += 1
        right = any(thing in question and thing in text for thing in THINGS)
        turned = self._wrong and self._said % self._wrong == 0
        return "yes" if right != bool(turned) else "no"


class Broken(Reader):
    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        raise RuntimeError("out of order")


class Scoring:
    """Scores: 1 or more for what belongs together, less for what does not, or noise."""

    stamp = "scoring/1"

    def __init__(self, noise: bool = False) -> None:
        self._noise = noise
        self._count = 0

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        self._count += 1
        if self._noise:
            return [float(self._count * 7919 % 101) for _ in texts]
        return [float(any(t in question and t in text for t in THINGS)) for text in texts]


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "m.db")
    yield opened
    await opened.close()


async def fill(memory: Memory, things: Sequence[str] = THINGS) -> None:
    for thing in things:
        words = f"We talked of the {thing} today. The {thing} stands behind the house, it is old."
        await memory.remember(NewNode("user", words))


async def test_a_judge_is_measured_on_halves_of_texts_where_nothing_was_confirmed(
    memory: Memory,
) -> None:
    await fill(memory)
    found = await memory.calibrate(Reader())
    assert (found.origin, found.related, found.unrelated) == ("halves", 24, 48)
    assert (found.right_yes, found.wrong_yes, found.able) == (24, 0, True)
    assert (found.precision, found.recall, found.unknown) == (1.0, 1.0, 0.0)


async def test_confirmed_questions_are_taken_before_halves(memory: Memory) -> None:
    await fill(memory)
    for thing in THINGS:
        seen = await memory.recall(Query(f"where stands the {thing}"))
        right = [hit.node.id for hit in seen.hits if thing in hit.node.text]
        await memory.confirm(seen.id, right[:1])
    found = await memory.calibrate(Reader())
    assert (found.origin, found.related, found.right_yes) == ("confirmed", 24, 24)


async def test_what_was_found_of_a_judge_is_kept_for_the_next_process(
    memory: Memory, tmp_path: Path
) -> None:
    await fill(memory)
    found = await memory.calibrate(Scoring())
    await memory.close()
    again = await Memory.open(tmp_path / "m.db")
    assert await again.calibrated("scoring/1") == found
    assert await again.calibrated("another") is None
    await again.close()


async def test_a_judge_that_is_often_wrong_is_not_able(memory: Memory) -> None:
    await fill(memory)
    assert not (await memory.calibrate(Reader(wrong=5))).able
    assert (await memory.calibrate(Reader(wrong=40))).able


async def test_a_judge_that_raises_says_nothing_and_is_not_kept(memory: Memory) -> None:
    await fill(memory)
    found = await memory.calibrate(Broken())
    assert (found.unknown, found.able, found.why) == (1.0, False, "out of order")
    assert await memory.calibrated(found.stamp) is None


async def test_too_few_memories_say_nothing_and_cost_no_call(memory: Memory) -> None:
    await fill(memory, THINGS[:5])
    judge = Reader()
    found = await memory.calibrate(judge)
    assert (found.enough, found.able, judge.calls) == (False, False, 0)


async def test_scores_get_bars_from_one_half_and_are_measured_on_the_other(memory: Memory) -> None:
    await fill(memory)
    found = await memory.calibrate(Scoring(), 40)
    assert found.bars == (0.25, 0.75)
    assert (found.related, found.unrelated, found.able) == (12, 24, True)


async def test_a_score_that_is_noise_is_not_able(memory: Memory) -> None:
    await fill(memory, [*THINGS, *(f"{thing} stool" for thing in THINGS)])
    assert not (await memory.calibrate(Scoring(noise=True))).able


def test_between_the_bars_nothing_is_known() -> None:
    bars = calibration.bars_of([0.5, 0.9, 0.7], [0.1, 0.6])
    assert bars == (0.5, 0.6)
    assert [calibration.by_bars(s, bars) for s in (0.4, 0.5, 0.6, 0.61)] == [
        "no", "unknown", "unknown", "yes",
    ]  # fmt: skip
    assert calibration.by_bars(9.0, None) == "unknown"
    assert calibration.bars_of([], [0.1]) is None


@pytest.mark.parametrize(
    ("right_yes", "wrong_no", "wrong_yes", "right_no", "able"),
    [
        (20, 0, 0, 40, True),
        (10, 2, 2, 20, True),
        (20, 0, 3, 37, False),
        (17, 3, 0, 40, False),
        (9, 0, 0, 40, False),
        (20, 0, 0, 19, False),
    ],
)
def test_a_judge_is_able_by_what_it_gets_wrong_and_by_how_much_it_knows(
    right_yes: int, wrong_no: int, wrong_yes: int, right_no: int, able: bool
) -> None:
    found = Calibration("s", "halves", 20, 40, right_yes, wrong_no, wrong_yes, right_no)
    assert found.able is able
