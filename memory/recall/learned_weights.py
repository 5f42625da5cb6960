"""What an embedder learns of a store: how its questions lie to the memories that answer them.

A question and its answer are different kinds of text, so the answer is not simply what is nearest.
From pairs that were confirmed a linear map is learned (ridge regression, shrunk towards leaving
everything where it is), and the mapped question is one more way to score what was found. It helps
questions whose answers were never needed before, too: with MiniLM alone recall@10 of these rises
from 53 to 67 per cent. Beside token codes (late interaction) it brings nothing, so it serves only
spaces that keep none. With few pairs, or where it does not rank pairs better that it was not made
from, there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.store import vectors
from memory.store.database import Database
from memory.store.keys import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_PAIRS = 48
"""With fewer confirmed pairs nothing is learned."""
MOST_PAIRS = 4_096
"""The pairs that were used last; more tell nothing new."""
SHRINKAGE = 10.0
"""How many pairs of each direction it takes to half believe them (measured: 3 to 30 are alike)."""
FOLDS = 4
"""Parts of the pairs: each is ranked by a map that was made from the others."""
WEIGHT = 0.2
"""What the standardised scores of the map count beside what else was fused, in standard deviations
of that (measured on the learning bench: from 0.2 to 0.4 alike, beyond it costs more than it
brings)."""
GROWN = 1.25
"""The map is made anew when there are so many times more pairs."""


@dataclass(frozen=True, slots=True)
class QueryMap:
    """Where the answers of a question lie, for vectors of one stamp."""

    centre: NDArray[np.float32]
    """Mean of the questions, shape (dimensions,)."""
    shift: NDArray[np.float32]
    """What is added to a question's distance from it, shape (dimensions, dimensions)."""

    def apply(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The direction in which the answers of a question lie, of unit length; shape
        (dimensions,). Its cosines with memories rank them, and mean nothing else."""
        import numpy as np

        away = vector - self.centre
        mapped = away + away @ self.shift
        length = float(np.linalg.norm(mapped))
        return (mapped / length if length > 0.0 else vector).astype(np.float32)


def fit(questions: NDArray[np.float32], answers: NDArray[np.float32]) -> QueryMap | None:
    """The map of pairs, both of shape (pairs, dimensions) with rows of unit length; ``None`` if
    they are too few, or if it would not rank pairs better that it was not made from."""
    import numpy as np

    if len(questions) < FEWEST_PAIRS:
        return None
    fold = np.arange(len(questions)) % FOLDS
    plain = learned = 0.0
    for part in range(FOLDS):
        held = fold == part
        made = _ridge(questions[~held], answers[~held])
        moved = np.stack([made.apply(row) for row in questions[held]])
        plain += _behind(questions[held], answers[held])
        learned += _behind(moved, answers[held])
    return _ridge(questions, answers) if learned < plain else None


class QueryMaps:
    """The map of each embedder's vectors. For one thread; made anew only as the pairs grow."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[int, QueryMap | None]] = {}

    def fresh(self, db: Database, keys: Keys) -> QueryMap | None:
        """The map for vectors of the stamp of ``keys``; ``None`` where nothing was learned."""
        count = sum(key.sign > 0 for of in keys.of.values() for key in of)
        known, made = self._made.get(keys.stamp, (0, None))
        if not known <= count < max(FEWEST_PAIRS, GROWN * known):
            made = fit(*_pairs(db, keys)) if count >= FEWEST_PAIRS else None
            self._made[keys.stamp] = (count, made)
        return made


def gains(
    db: Database, made: QueryMap, stamp: str, vector: NDArray[np.float32], places: Sequence[int]
) -> dict[int, float]:
    """What each of the places that were found gains or loses by the map, in standard deviations of
    their fused scores; those without a vector of this stamp are left out.

    ``vector``: of the question, unit length, of the same stamp as the map.
    """
    import numpy as np

    stored = vectors.vectors_of(db, vectors.known_space(db, stamp) or 0, places)
    there = [place for place in places if place in stored]
    if len(there) < 2:
        return {}
    rows = np.stack([np.frombuffer(stored[place], dtype="<f4") for place in there])
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    cosines = rows @ made.apply(vector)
    scores = WEIGHT * (cosines - cosines.mean()) / max(float(cosines.std()), 1e-9)
    return {place: float(score) for place, score in zip(there, scores, strict=True)}


def _pairs(db: Database, keys: Keys) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors of past questions and of what answered them, row by row."""
    import numpy as np

    right = [
        (row, key)
        for row, each in enumerate(keys.questions)
        if keys.vectors[row].any()
        for key in keys.of[each.id]
        if key.sign > 0
    ]
    right = sorted(right, key=lambda pair: (-pair[1].used, pair[0], pair[1].target))[:MOST_PAIRS]
    space = vectors.known_space(db, keys.stamp) or 0
    stored = vectors.vectors_of(db, space, sorted({key.target for _, key in right}))
    there = [(row, stored[key.target]) for row, key in right if key.target in stored]
    if not there:
        return keys.vectors[:0], keys.vectors[:0]
    answers = np.stack([np.frombuffer(vector, dtype="<f4") for _, vector in there])
    lengths = np.linalg.norm(answers, axis=1, keepdims=True)
    return keys.vectors[[row for row, _ in there]], answers / np.maximum(lengths, 1e-9)


def _ridge(questions: NDArray[np.float32], answers: NDArray[np.float32]) -> QueryMap:
    import numpy as np

    centre = questions.mean(axis=0)
    away = questions - centre
    wanted = (answers - answers.mean(axis=0)) - away
    gram = away.T @ away + SHRINKAGE * np.eye(away.shape[1], dtype=np.float32)
    shift = np.linalg.solve(gram, away.T @ wanted)
    return QueryMap(centre.astype(np.float32), shift.astype(np.float32))


def _behind(questions: NDArray[np.float32], answers: NDArray[np.float32]) -> float:
    """How many of the other answers stand before the right one, in all, each counted by the
    logarithm of its rank: what happens at the top matters."""
    import numpy as np

    scores = questions @ answers.T
    right = np.sum(questions * answers, axis=1)
    # Two questions may share an answer: what scores the same is not before it.
    before = (scores > right[:, None] + 1e-6).sum(axis=1)
    return float(np.log1p(before).sum())
