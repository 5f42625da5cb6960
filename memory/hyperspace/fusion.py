"""Several signals into one score, by adding them standardised.

Scores, not ranks: on LoCoMo full text alone finds 60.6 % within ten, reciprocal ranks of full text
and MiniLM together 56.0 %, their z-scores 64.6 %. A rank forgets how far ahead the first one was,
so a weak signal drags a strong one down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .metrics import standardise


def weigh(
    signals: Mapping[str, Sequence[float | None]],
    kinds: Sequence[str],
    weights: Mapping[str, Mapping[str, float]],
) -> list[float]:
    """One score for each candidate: its standardised signals, added with the weights of its kind.

    Args:
        signals: name → one score a candidate, higher is better; ``None`` where it has none.
        kinds: of each candidate, what kind of content it is; names a row of ``weights``.
        weights: kind → signal → weight; a signal that is not named weighs nothing.

    Each signal is standardised over the candidates that have it; those that have none stand at 0,
    its mean. Signals of two vector spaces are two signals, so they are never compared.
    """
    total = [0.0] * len(kinds)
    for name, column in signals.items():
        there = [row for row, score in enumerate(column) if score is not None]
        scores = standardise([score for score in column if score is not None])
        for row, score in zip(there, scores, strict=True):
            total[row] += weights[kinds[row]].get(name, 0.0) * score
    return total
