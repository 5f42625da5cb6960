"""Finds memories by meaning: the nearest vectors, if they are nearer than chance brings.

What cosine counts as near differs with the embedder and with what is stored, so the bar is learned
from the store: random pairs of its vectors are unrelated, and a hit has to be nearer than nearly
all of those pairs. Two Chinese texts are nearer to each other than two English ones whatever they
say, since they share more of their few tokens, so each script has a bar of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.hyperspace.spaces import is_for_wide, late, spaces
from memory.protocols import Embedder
from memory.store import token_codes, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable

from .chance import UNREACHABLE as UNREACHABLE
from .chance import NullDistribution as NullDistribution


@dataclass(frozen=True, slots=True)
class Near:
    """What the vectors of one space found, and what is asked of them further."""

    space: Embedder
    number: int
    """Of the space on file."""
    vector: bytes
    """The question's."""
    ranking: tuple[tuple[int, float], ...]
    """(place, cosine), nearest first."""
    sure: frozenset[int]
    """Those that are nearer than chance."""
    answer_bar: float
    """What late interaction has to give for a place to answer by more than chance."""

    @property
    def name(self) -> str:
        """Of its cosines among other signals."""
        return "wide vector" if is_for_wide(self.space) else "vector"

    def cosines(self, db: Database, places: Sequence[int]) -> list[float | None]:
        """Of each place to the question; ``None`` where this space has no vector."""
        import numpy as np

        if not vectors.has_direction(self.vector):
            return [None] * len(places)
        known = dict(self.ranking)
        others = vectors.vectors_of(db, self.number, [p for p in places if p not in known])
        if others:
            rows = np.frombuffer(b"".join(others.values()), dtype="<f4").reshape(len(others), -1)
            asked = np.frombuffer(self.vector, dtype="<f4")
            lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
            known |= dict(zip(others, (rows @ asked / lengths).tolist(), strict=True))
        return [known.get(place) for place in places]

    def answers(self, db: Database, question: str, places: Sequence[int]) -> list[float | None]:
        """How well each place answers by late interaction; ``None`` where it has no codes. Raises
        ``VectorsUnavailable`` if the model fails."""
        codes = late(self.space)
        stored = token_codes.of(db, self.number, places) if codes else {}
        if codes is None or not stored:
            return [None] * len(places)
        try:
            scores = codes.answers(question, list(stored.values())).tolist()
        except Exception as error:
            # A model is others' code and may raise anything; all that needs none must go on.
            raise VectorsUnavailable(
                f"{self.space.stamp} fails, so answers are not told from what only shares their"
                f" subject: {type(error).__name__}: {error}."
            ) from error
        known = dict(zip(stored, scores, strict=True))
        return [known.get(place) for place in places]


def near(
    db: Database, embedder: Embedder, question: str, k: int, chance: NullDistribution
) -> list[Near]:
    """The ``k`` nearest places in each space that holds anything, and which are nearer than chance.

    Nothing, without loading the embedder, when nothing is stored under its stamps: the way was not
    open. Raises ``VectorsUnavailable`` when it was, but fails, and any other ``MemoryFileError``.
    """
    found = (_near(db, space, question, k, chance) for space in spaces(embedder))
    return [each for each in found if each is not None]


def _near(
    db: Database, embedder: Embedder, question: str, k: int, chance: NullDistribution
) -> Near | None:
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
        return Near(embedder, space, vector, (), frozenset(), UNREACHABLE)
    ranking = tuple(vectors.nearest(db, space, vector, k))
    bar = chance.bar(db, space, stored, question)
    codes = late(embedder)
    sure = frozenset(place for place, cosine in ranking if cosine >= bar)
    answer_bar = chance.answer_bar(db, space, stored, codes) if codes else UNREACHABLE
    return Near(embedder, space, vector, ranking, sure, answer_bar)


def _stored(db: Database, stamp: str) -> tuple[int, int]:
    """The space of a stamp, 0 for none, and how many vectors it holds."""
    space = vectors.known_space(db, stamp) or 0
    return space, vectors.count(db, space)
