"""Finds memories by meaning: the nearest vectors, if they are nearer than chance brings.

What cosine counts as near differs with the embedder and with what is stored, so the bar is learned
from the store: random pairs of its vectors are unrelated, and a hit has to be nearer than nearly
all of those pairs.
"""

from __future__ import annotations

from memory.protocols import Embedder
from memory.store import vectors
from memory.store.database import Database

from .by_text import NOTHING, Found

SAMPLE = 256
"""Vectors drawn from a space: 32,640 pairs."""
CHANCE = 0.999
"""The share of random pairs that a hit has to beat (measured: see the bench ``recall_quality``)."""
FEWEST = 32
"""A smaller store tells nothing about chance, so there vectors only help to rank."""


class NullDistribution:
    """Remembers, for one memory file, how alike unrelated memories are in each vector space.

    A space is sampled again whenever it has doubled; the draw depends only on what is stored.
    """

    def __init__(self) -> None:
        self._bars: dict[tuple[int, int], float] = {}

    def bar(self, db: Database, space: int, stored: int) -> float:
        """The cosine that only one random pair in a thousand reaches; 1 in a small space."""
        if stored < FEWEST:
            return 1.0
        size_class = stored.bit_length()
        if (space, size_class) not in self._bars:
            self._bars[space, size_class] = _sampled_bar(db, space)
        return self._bars[space, size_class]


def _sampled_bar(db: Database, space: int) -> float:
    import numpy as np

    from memory.hyperspace.metrics import pair_quantile

    drawn = vectors.sample(db, space, SAMPLE)
    rows = np.frombuffer(b"".join(drawn), dtype="<f4").reshape(len(drawn), -1)
    return pair_quantile(rows / np.linalg.norm(rows, axis=1, keepdims=True), CHANCE)


def find(
    db: Database, embedder: Embedder, question: str, k: int, chance: NullDistribution
) -> Found | None:
    """The ``k`` nearest nodes by cosine, and which of them are nearer than chance.

    ``None``, without loading the embedder, when nothing is stored under its stamp: the way was not
    open. Raises what the embedder raises, and ``MemoryFileError``.
    """
    space = vectors.known_space(db, embedder.stamp)
    stored = vectors.count(db, space) if space is not None else 0
    if space is None or not stored:
        return None
    (vector,) = embedder.embed([question])
    if not vector.any():
        return NOTHING
    ranking = vectors.nearest(db, space, vector.astype("<f4").tobytes(), k)
    bar = chance.bar(db, space, stored)
    return Found(tuple(ranking), frozenset(seq for seq, cosine in ranking if cosine >= bar))
