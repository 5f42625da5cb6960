"""A memory file that grows, and what is nearest in it by exact cosines."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from memory.store import nodes, vectors
from memory.store.database import open_database
from memory.types import NewNode
from tests.bench.widen import widened

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 10
STAMP = "measured/1"
TEXT_CHARS = 140
"""So much of a text is a node: a turn of a conversation, which is not cut in pieces."""
TURNS = 40
"""Nodes a session."""


class Growing:
    """Adds nodes with words and vectors, and remembers the nearest of each question."""

    def __init__(
        self, path: Path, texts: list[str], base: NDArray[np.float32], asked: NDArray[np.float32]
    ) -> None:
        """``base``: unit rows, one a text; ``asked``: unit rows, one a question."""
        import numpy as np

        self.path = path
        self.put_per_s = 0.0
        self._texts, self._asked = texts, asked
        self._db = open_database(path)
        self._space = vectors.space_of(self._db, STAMP, base.shape[1])
        self._rows = widened(base)
        self._made = 0
        self._top = np.full((len(asked), DEPTH), -2.0)
        self._where = np.zeros((len(asked), DEPTH), dtype=np.int64)

    @property
    def nearest(self) -> list[list[int]]:
        """The places of the nearest of each question."""
        found: list[list[int]] = self._where.tolist()
        return found

    @property
    def file_mb(self) -> float:
        """Megabytes of the file."""
        return self._db.size() / 1e6

    def to(self, size: int) -> None:
        """Grow to at least so many vectors, in whole portions of ``widened``."""
        putting, before = 0.0, self._made
        while self._made < size:
            of, rows = next(self._rows)
            with self._db.transaction():
                places = [self._add(text, at) for at, text in enumerate(of.tolist(), self._made)]
                begun = time.perf_counter()
                given = [row.astype("<f4").tobytes() for row in rows]
                vectors.put(self._db, self._space, list(zip(places, given, strict=True)))
                putting += time.perf_counter() - begun
            self._rank(places, rows)
            self._made += len(rows)
        self.put_per_s = (self._made - before) / putting if putting else 0.0
        self._db.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _add(self, text: int, at: int) -> int:
        said = f"{self._texts[text][:TEXT_CHARS]} {at}"
        new = NewNode("user", said, "/measured", f"s{at // TURNS}", at % TURNS)
        return nodes.add(self._db, new, 1_700_000_000_000 + at).seq

    def _rank(self, places: list[int], rows: NDArray[np.float32]) -> None:
        import numpy as np

        cosines = np.concatenate((self._top, self._asked @ rows.T), axis=1)
        here = np.broadcast_to(np.array(places), (len(self._asked), len(places)))
        where = np.concatenate((self._where, here), axis=1)
        best = np.argpartition(-cosines, DEPTH - 1, axis=1)[:, :DEPTH]
        self._top = np.take_along_axis(cosines, best, axis=1)
        self._where = np.take_along_axis(where, best, axis=1)
