"""What a run comes to: figures of one split, and their means with paired 90 % intervals."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Mapping, Sequence

from tests.bench.learning.reader import Outcome

Rows = Sequence[tuple[Outcome, Outcome]]
"""Pairs of with memory and without."""

DRAWS = 2_000
"""Of the bootstrap over splits."""


def ratio(rows: Rows) -> float:
    """Tokens read with memory, in per cent of those without, over what both answered."""
    both = [(one.tokens, other.tokens) for one, other in rows if one.answered and other.answered]
    spent, plain = sum(one for one, _ in both), sum(other for _, other in both)
    return 100 * spent / plain if plain else 100.0


def recall10(rows: Rows) -> float:
    """Mean recall within ten, in per cent."""
    return _mean(one.recall10 for one, _ in rows)


def recall10_delta(rows: Rows) -> float:
    """How much more of it than without memory, in points."""
    return _mean(one.recall10 - other.recall10 for one, other in rows)


def harmed(rows: Rows) -> float:
    """Questions answered without memory and not with it, in per cent."""
    return _mean(float(other.answered and not one.answered) for one, other in rows)


def useless(rows: Rows) -> float:
    """Questions to which something was proposed and nothing of it needed, in per cent."""
    return _mean(float(one.useless) for one, _ in rows)


def success_delta(rows: Rows) -> float:
    """How many more were answered than without memory, in points."""
    return _mean(float(one.answered) - float(other.answered) for one, other in rows)


def of_run(run: Mapping[str, Rows]) -> dict[str, float]:
    """The figures of one stream. A pass that was left out has none."""
    figures: dict[str, float] = {}
    if "reworded" in run:
        figures["reworded_tokens_ratio"] = ratio(run["reworded"])
        figures["reworded_recall10"] = recall10(run["reworded"])
    for strength in ("framed", "terse", "hasty"):
        if strength in run:
            figures[f"{strength}_recall10"] = recall10(run[strength])
    if "sibling" in run:
        figures["sibling_recall10"] = recall10(run["sibling"])
    unseen = [pair for name, rows in run.items() if name.startswith("unseen") for pair in rows]
    if unseen:
        figures["unseen_harmed"] = harmed(unseen)
        figures["unseen_recall10_delta"] = recall10_delta(unseen)
        figures["unseen_useless"] = useless(unseen)
    for ask in (1, 2, 3):
        if f"drift {ask}" in run:
            name = "drift_first_minus_none" if ask == 1 else f"drift_{ask}_minus_none"
            figures[name] = success_delta(run[f"drift {ask}"])
    return figures


def interval(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """The 90 % interval of the mean, by drawing splits with replacement."""
    chance = random.Random(seed)
    means = sorted(statistics.fmean(chance.choices(values, k=len(values))) for _ in range(DRAWS))
    return means[round(0.05 * (DRAWS - 1))], means[round(0.95 * (DRAWS - 1))]


def summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean, and the ends of its interval."""
    return (statistics.fmean(values), *interval(values))


def _mean(values: Iterable[float]) -> float:
    held = list(values)
    return 100 * statistics.fmean(held) if held else 0.0
