"""Keys in memory: all questions that lead somewhere, as one matrix, read once.

Another process may learn meanwhile: a count of changes on file tells when to look again, and then
only vectors of questions that were not held yet are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.config import MOST_KEYS
from memory.store import pointers, questions
from memory.store.database import Database
from memory.store.pointers import Key
from memory.store.questions import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 2_048
"""Vectors that are read at once."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What was learned, as it stood at one moment."""

    stamp: str
    """Of the embedder; ``""`` for none."""
    questions: tuple[Question, ...]
    """Those that are the key of a pointer."""
    vectors: NDArray[np.float32]
    """Shape (questions, dimensions): unit rows of this stamp alone; zeros where a question has no
    vector of it yet, and is matched by its words only. No columns where none has."""
    of: Mapping[int, tuple[Key, ...]]
    """Id of a question → what it leads to."""


class ResidentKeys:
    """Holds the keys of one memory file for one thread; at most ``MOST_KEYS``, last used first, for
    each stamp that is asked for."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[int, Keys]] = {}

    def fresh(self, db: Database, stamp: str) -> Keys:
        """The keys as they are now, with vectors of this stamp. Reads one number if nothing was
        learned since."""
        changes, keys = self._held.get(stamp, (-1, None))
        if keys is None or changes != questions.changes(db):
            with db.snapshot():
                fresh = _read(db, stamp, keys)
                self._held[stamp] = (questions.changes(db), fresh)
            return fresh
        return keys


def _read(db: Database, stamp: str, old: Keys | None) -> Keys:
    """All keys; the questions and vectors that ``old`` holds are not read again: of a question only
    when it was last asked ever changes."""
    of: dict[int, list[Key]] = {}
    for key in pointers.newest_keys(db, MOST_KEYS):
        of.setdefault(key.question, []).append(key)
    known = {} if old is None else {each.id: each for each in old.questions}
    known |= {each.id: each for each in questions.by_ids(db, [n for n in of if n not in known])}
    asked = tuple(known[number] for number in of)
    matrix = _vectors(db, stamp, [question.id for question in asked], old)
    return Keys(stamp, asked, matrix, {number: tuple(keys) for number, keys in of.items()})


def _vectors(db: Database, stamp: str, ids: list[int], old: Keys | None) -> NDArray[np.float32]:
    import numpy as np

    at = {number: place for place, number in enumerate(ids)}
    kept: list[tuple[int, int]] = []
    if old is not None:
        filled = np.flatnonzero(old.vectors.any(axis=1)).tolist()
        rows = ((old.questions[row].id, row) for row in filled)
        kept = [(at.pop(number), row) for number, row in rows if number in at]
    matrix = np.zeros((len(ids), old.vectors.shape[1] if old is not None and kept else 0), "<f4")
    if old is not None and kept:
        places, held = zip(*kept, strict=True)
        matrix[list(places)] = old.vectors[list(held)]
    missing = sorted(at)
    for start in range(0, len(missing), CHUNK):
        read = questions.vectors_of(db, stamp, missing[start : start + CHUNK])
        made = {number: vector for number, vector in read.items() if vector}
        if not made:
            continue
        new = np.frombuffer(b"".join(made.values()), dtype="<f4").reshape(len(made), -1)
        if not matrix.shape[1]:
            matrix = np.zeros((len(ids), new.shape[1]), "<f4")
        lengths = np.linalg.norm(new, axis=1, keepdims=True)
        matrix[[at[number] for number in made]] = new / lengths
    return matrix
