"""The stream of questions: what is asked when, of whom something is learned, and what moves.

Of each conversation 60 % of the questions are seen, in five passes: as they are, then in four
strengths of other words. *Unseen* questions need nothing that a seen one needs, *siblings* exactly
what a seen one needs; neither is ever learned from. Then a fifth of the evidence trades places with
other turns, and the questions that it concerns are asked three times more. Every question is asked
of the memory-less arm, too, so that help and harm show as paired differences.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.bench.learning.corpus import Corpus
from tests.bench.learning.paraphrase import STRENGTHS

SEEN = 0.6
"""The share of each conversation's questions that are seen."""
MOVED = 0.2
"""The share of the evidence that trades places."""
PLAIN = "plain"
"""The wording of a question as it is."""


@dataclass(frozen=True, slots=True)
class Split:
    """Numbers of questions, by what they are for, and which places trade their words."""

    seen: tuple[int, ...]
    sibling: tuple[int, ...]
    unseen: tuple[int, ...]
    trades: Mapping[int, int]
    stale: tuple[int, ...]
    """Seen questions whose evidence moves."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Questions that are asked in one go."""

    name: str
    wording: str
    questions: tuple[int, ...]
    learns: bool
    drifted: bool = False


def split(corpus: Corpus, seed: int) -> Split:
    """The same for every memory."""
    chance = random.Random(seed)
    talks: dict[int, list[int]] = defaultdict(list)
    for number, question in enumerate(corpus.questions):
        talks[question.talk].append(number)
    seen: list[int] = []
    held: list[int] = []
    for members in talks.values():
        chance.shuffle(members)
        cut = round(SEEN * len(members))
        seen += members[:cut]
        held += members[cut:]
    needed = [question.evidence for question in corpus.questions]
    touched = frozenset().union(*(needed[number] for number in seen))
    whole = {needed[number] for number in seen}
    trades = _trades(corpus, sorted(touched), chance)
    return Split(
        seen=tuple(seen),
        sibling=tuple(number for number in held if needed[number] in whole),
        unseen=tuple(number for number in held if not needed[number] & touched),
        trades=trades,
        stale=tuple(number for number in seen if needed[number] & trades.keys()),
    )


def passes(given: Split, seed: int) -> list[Pass]:
    """The stream, in order."""
    made = [Pass("first", PLAIN, _shuffled(given.seen, seed, "first"), True)]
    for strength in STRENGTHS:
        made.append(Pass(strength, strength, _shuffled(given.seen, seed, strength), True))
        name = f"unseen after {strength}"
        made.append(Pass(name, PLAIN, _shuffled(given.unseen, seed, name), False))
    made.append(Pass("sibling", PLAIN, _shuffled(given.sibling, seed, "sibling"), False))
    made.append(Pass("again", PLAIN, _shuffled(given.seen, seed, "again"), True))
    for ask, wording in enumerate((PLAIN, *list(STRENGTHS)[:2]), start=1):
        name = f"drift {ask}"
        made.append(Pass(name, wording, _shuffled(given.stale, seed, name), True, True))
    return made


def wording(text: str, name: str) -> str:
    """A question in other words; ``plain`` as it is."""
    return text if name == PLAIN else STRENGTHS[name](text)


def after(needed: frozenset[int], trades: Mapping[int, int]) -> frozenset[int]:
    """Where what is needed is after the trade."""
    return frozenset(trades.get(place, place) for place in needed)


def _shuffled(numbers: Sequence[int], seed: int, name: str) -> tuple[int, ...]:
    order = list(numbers)
    random.Random(f"{seed}|{name}").shuffle(order)
    return tuple(order)


def _trades(corpus: Corpus, touched: list[int], chance: random.Random) -> dict[int, int]:
    """Place of evidence → a place of the same conversation that nothing needs."""
    needed = frozenset().union(*(question.evidence for question in corpus.questions))
    free: dict[int, list[int]] = defaultdict(list)
    for place, turn in enumerate(corpus.turns):
        if place not in needed:
            free[turn.talk].append(place)
    chance.shuffle(touched)
    trades = {}
    for place in touched[: int(MOVED * len(touched))]:
        others = free[corpus.turns[place].talk]
        if others:
            trades[place] = others.pop(chance.randrange(len(others)))
    return trades
