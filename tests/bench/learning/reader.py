"""A simulated exact reader: reads what is proposed first, then pages of five in order of rank.

It stops when it has read all that the question needs, or fifty turns. It never errs unless it lies:
then it may take a proposal that holds nothing of what is needed for good, and the question fails.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

PAGE = 5
BUDGET = 50
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """What a memory says to a question."""

    proposed: tuple[int, ...]
    """Places to read first; empty for no shortcut."""
    ranked: tuple[int, ...]
    """What search brings, best first."""
    number: int = 0
    """By which the memory knows the question when it is told what came of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one question came to."""

    answered: bool
    tokens: int
    recall10: float
    fired: bool
    useless: bool
    """Something was proposed and nothing of it needed."""
    believed: int
    """The wrong proposal that was taken for good; -1 for none."""
    found: frozenset[int]
    """What was needed and read."""
    by_shortcut: bool
    """Whether what was proposed was enough."""


def read(
    answer: Answer,
    needed: frozenset[int],
    tokens: Sequence[int],
    *,
    blind: bool = False,
    lies: float = 0.0,
    chance: random.Random | None = None,
) -> Outcome:
    """Read until all that is needed was read. ``tokens``: of each place. ``blind``: proposals are
    believed and never followed by a search."""
    seen = set(answer.proposed)
    spent = sum(tokens[place] for place in answer.proposed)
    enough = bool(seen) and needed <= seen
    believed = -1
    if seen and not enough and not needed & seen:
        fooled = blind or (chance is not None and lies > 0 and chance.random() < lies)
        believed = answer.proposed[0] if fooled else -1
    rest = [place for place in answer.ranked if place not in seen]
    if not enough and believed < 0 and not (blind and seen):
        spent += _leaf(rest, needed, tokens, seen)
    answered = enough or (believed < 0 and needed <= seen)
    order = [*answer.proposed, *rest][:DEPTH]
    proposed = bool(answer.proposed)
    return Outcome(
        answered=answered,
        tokens=spent,
        recall10=len(needed & set(order)) / len(needed),
        fired=proposed,
        useless=proposed and not needed & set(answer.proposed),
        believed=believed,
        found=frozenset() if believed >= 0 else needed & seen,
        by_shortcut=enough,
    )


def _leaf(
    rest: Sequence[int], needed: frozenset[int], tokens: Sequence[int], seen: set[int]
) -> int:
    """Read on page by page until all that is needed was ``seen``; the tokens read."""
    spent = 0
    for at in range(0, len(rest), PAGE):
        if len(seen) >= BUDGET:
            break
        page = rest[at : at + PAGE]
        seen |= set(page)
        spent += sum(tokens[place] for place in page)
        if needed <= seen:
            break
    return spent
