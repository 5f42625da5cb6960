"""Finds memories by meaning: the nearest vectors, if they are nearer than chance brings.

What cosine counts as near differs with the embedder and with what is stored, so the bar is learned
from the store: random pairs of its vectors are unrelated, and a hit has to be nearer than nearly
all of those pairs. Two Chinese texts are nearer to each other than two English ones whatever they
say, since they share more of their few tokens, so each script has a bar of its own.
"""

from __future__ import annotations

from memory.protocols import Embedder
from memory.store import pieces, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable

from .by_text import NOTHING, Found

SAMPLE = 384
"""Nodes drawn from a space to learn about chance."""
CHANCE = 0.998
"""The share of random pairs that a hit has to beat (measured: see the bench ``recall_quality``)."""
FEWEST = 32
"""Fewer vectors of a script tell nothing about chance; there vectors only help to rank."""
UNREACHABLE = 2.0
"""A bar above any cosine."""

_DRAWN = """
    SELECT seq FROM embedded WHERE space = ? AND stored = 1
    ORDER BY (seq * 2654435761) & 4294967295, seq LIMIT ?
"""
"""Knuth's multiplier scatters the positions: a draw without chance, the same on every machine."""


class NullDistribution:
    """Remembers, for one memory file, how alike unrelated memories are in each vector space.

    A space is sampled again whenever it has doubled; the draw depends only on what is stored.
    """

    def __init__(self) -> None:
        self._bars: dict[tuple[int, int], dict[bool, float]] = {}

    def bar(self, db: Database, space: int, stored: int, question: str) -> float:
        """The cosine that hardly any random pair reaches of texts in the question's script."""
        key = (space, stored.bit_length())
        if key not in self._bars:
            self._bars[key] = _sampled_bars(db, space)
        return self._bars[key][is_wide(question)]


def is_wide(text: str) -> bool:
    """Whether a text is written in Chinese, Japanese or Korean, by its first letters."""
    letters = [char for char in text[:200] if char.isalpha()]
    return 3 * sum(char >= "\u1100" for char in letters) > len(letters)


def _sampled_bars(db: Database, space: int) -> dict[bool, float]:
    import numpy as np

    from memory.hyperspace.metrics import pair_quantile

    drawn = pieces.text_of(db, sorted(place for (place,) in db.rows(_DRAWN, (space, SAMPLE))))
    stored = vectors.vectors_of(db, space, list(drawn))
    bars = {}
    for wide in (False, True):
        alike = [
            stored[place]
            for place, text in drawn.items()
            if place in stored and is_wide(text) == wide
        ]
        if len(alike) < FEWEST:
            bars[wide] = UNREACHABLE
            continue
        rows = np.frombuffer(b"".join(alike), dtype="<f4").reshape(len(alike), -1)
        bars[wide] = pair_quantile(rows / np.linalg.norm(rows, axis=1, keepdims=True), CHANCE)
    return bars


def find(
    db: Database, embedder: Embedder, question: str, k: int, chance: NullDistribution
) -> Found | None:
    """The ``k`` nearest nodes by cosine, and which of them are nearer than chance.

    ``None``, without loading the embedder, when nothing is stored under its stamp: the way was not
    open. Raises ``VectorsUnavailable`` when it was, but fails, and any other ``MemoryFileError``.
    """
    stamp = embedder.stamp
    space, stored = _stored(db, stamp)
    if not stored:
        return None
    (vector,) = vectors.embedded(embedder, [question])
    if embedder.stamp != stamp:
        # It fell back while loading: its vectors do not compare with those of the stamp before.
        space, stored = _stored(db, embedder.stamp)
        if not stored:
            raise VectorsUnavailable(
                f"The embedder {stamp} does not load, so nothing is found by meaning until "
                f"{embedder.stamp} has embedded what is remembered."
            )
    if not vectors.has_direction(vector):
        return NOTHING
    ranking = vectors.nearest(db, space, vector, k)
    bar = chance.bar(db, space, stored, question)
    return Found(tuple(ranking), frozenset(seq for seq, cosine in ranking if cosine >= bar))


def _stored(db: Database, stamp: str) -> tuple[int, int]:
    """The space of a stamp, 0 for none, and how many vectors it holds."""
    space = vectors.known_space(db, stamp) or 0
    return space, vectors.count(db, space)
