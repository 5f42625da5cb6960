"""How near two vectors are, and how far a score stands out."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def standardise(scores: Sequence[float]) -> list[float]:
    """Z-scores: how many standard deviations each lies above the mean. All 0 where all are equal.
    Sums exactly, so that the order of the scores does not matter."""
    if not scores:
        return []
    mean = fsum(scores) / len(scores)
    spread = sqrt(fsum((score - mean) ** 2 for score in scores) / len(scores))
    # Equal scores can differ from their mean by rounding alone.
    if spread <= 1e-12 * max(1.0, abs(mean)):
        return [0.0] * len(scores)
    return [(score - mean) / spread for score in scores]


def pair_quantile(vectors: NDArray[np.float32], share: float) -> float:
    """The cosine below which ``share`` (0 to 1) of all pairs of the given unit rows lie.
    Needs two rows at least; raises ``ValueError`` with fewer."""
    import numpy as np

    if len(vectors) < 2:
        raise ValueError("no pairs in fewer than two vectors")
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), k=1)]
    return float(np.quantile(cosines, share))
