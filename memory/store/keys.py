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
    """Holds the keys of one memory file for one thread; at most ``MOST_KEYS``, last used first."""

    def __init__(self) -> None:
        self._seen: tuple[int, str] | None = None
        self._held: Keys | None = None

    def fresh(self, db: Database, stamp: str) -> Keys:
        """The keys as they are now. Reads one number if nothing was learned since."""
        seen = (questions.changes(db), stamp)
        if self._held is None or seen != self._seen:
            with db.snapshot():
                seen = (questions.changes(db), stamp)
                self._held, self._seen = self._read(db, stamp), seen
        return self._held

    def _read(self, db: Database, stamp: str) -> Keys:
        of: dict[int, list[Key]] = {}
        for key in pointers.newest_keys(db, MOST_KEYS):
            of.setdefault(key.question, []).append(key)
        asked = tuple(questions.by_ids(db, list(of)))
        return Keys(
            stamp,
            asked,
            self._vectors(db, stamp, [question.id for question in asked]),
            {number: tuple(keys) for number, keys in of.items()},
        )

    def _vectors(self, db: Database, stamp: str, ids: list[int]) -> NDArray[np.float32]:
        """Rows that are held stay; the others are read."""
        import numpy as np

        old = self._held if self._held is not None and self._held.stamp == stamp else None
        rows = {} if old is None else {each.id: row for row, each in enumerate(old.questions)}
        known = (
            set()
            if old is None
            else {number for number, row in rows.items() if old.vectors[row].any()}
        )
        read = questions.vectors_of(db, stamp, [number for number in ids if number not in known])
        made = {number: np.frombuffer(vector, dtype="<f4") for number, vector in read.items()}
        width = old.vectors.shape[1] if old is not None and known else 0
        width = max([width, *(len(vector) for vector in made.values())])
        matrix = np.zeros((len(ids), width), dtype=np.float32)
        for place, number in enumerate(ids):
            if old is not None and number in known:
                matrix[place] = old.vectors[rows[number]]
            elif number in made:
                length = float(np.linalg.norm(made[number]))
                if np.isfinite(length) and length > 0:
                    matrix[place] = made[number] / length
        return matrix
