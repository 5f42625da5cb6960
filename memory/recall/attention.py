"""Attention: what past questions that are too far to be followed still lift among what is found.

All of them share one unit of attention with the chance that none of them is meant. So one that
stands out lifts what answered it, and a crowd of half-like ones lifts nothing much.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

from memory.store.keys import Keys
from memory.store.pointers import Key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEENNESS = 20.0
"""How soon attention saturates: a twentieth of it lifts by a quarter of what is possible."""
FAINT = 0.01
"""Attention below which a past question counts for nothing."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Likeness of two questions, calibrated for one embedder from the store's own questions."""

    follow: float
    """Strength that hardly any two unrelated questions reach: from here on a key is followed."""
    boost: float
    """The cosine at which a past question is as likely meant as none: the middle of those that the
    nearest unrelated questions have."""
    spread: float = 0.04
    """How far these lie from each other (standard deviation)."""


def posterior(key: Key) -> float:
    """The share of tries that come to something, with the confirmation that made the key."""
    return (key.successes + 2.0) / (key.successes + key.missed + 3.0)


def lifts(keys: Keys, cosines: NDArray[np.float32], bars: Bars) -> dict[int, float]:
    """What each target gains or loses by the attention that its past questions get."""
    import numpy as np

    weights = np.exp(np.minimum((cosines - bars.boost) / bars.spread, 30.0))
    weights[cosines <= 0.0] = 0.0
    attention = weights / (1.0 + weights.sum())
    gains: dict[int, float] = {}
    for row in np.flatnonzero(attention >= FAINT):
        for key in keys.of[keys.questions[row].id]:
            gain = float(attention[row]) * posterior(key) * (1 if key.sign > 0 else -1)
            gains[key.target] = gains.get(key.target, 0.0) + gain
    full = log1p(KEENNESS)
    return {
        target: log1p(KEENNESS * min(1.0, abs(gain))) / full * (1 if gain > 0 else -1)
        for target, gain in gains.items()
    }
