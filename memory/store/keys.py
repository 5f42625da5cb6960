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
    """All keys; vectors that ``old`` holds are not read again."""
    of: dict[int, list[Key]] = {}
    for key in pointers.newest_keys(db, MOST_KEYS):
        of.setdefault(key.question, []).append(key)
    asked = tuple(questions.by_ids(db, list(of)))
    matrix = _vectors(db, stamp, [question.id for question in asked], old)
    return Keys(stamp, asked, matrix, {number: tuple(keys) for number, keys in of.items()})


def _vectors(db: Database, stamp: str, ids: list[int], old: Keys | None) -> NDArray[np.float32]:
    import numpy as np

    held: dict[int, NDArray[np.float32]] = {}
    if old is not None:
        filled = np.flatnonzero(old.vectors.any(axis=1))
        held = {old.questions[row].id: old.vectors[row] for row in filled}
    missing = [number for number in ids if number not in held]
    for number, vector in questions.vectors_of(db, stamp, missing).items():
        row = np.frombuffer(vector, dtype="<f4")
        if len(row):
            held[number] = row / np.linalg.norm(row)
    width = max((len(row) for row in held.values()), default=0)
    matrix = np.zeros((len(ids), width), dtype=np.float32)
    for place, number in enumerate(ids):
        if number in held:
            matrix[place] = held[number]
    return matrix
