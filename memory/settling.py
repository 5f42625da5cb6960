"""Settling: embedding behind the turn what was stored in it.

A node is found by its words at once and by its meaning once it has settled. What a process leaves
unsettled the next one finds pending; two processes that settle the same node do no harm.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.config import EMBED_BATCH
from memory.protocols import Embedder
from memory.store import nodes, vectors
from memory.store.database import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector = tuple[int, bytes]
"""A node's position and its vector as little-endian float32."""


class SharedEmbedder:
    """An embedder that two threads may ask: recall and settling take turns."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._turn = threading.Lock()

    @property
    def stamp(self) -> str:
        """As of the embedder itself."""
        return self._embedder.stamp

    @property
    def dimensions(self) -> int:
        """As of the embedder itself."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder itself."""
        with self._turn:
            return self._embedder.embed(texts)


@dataclass(frozen=True, slots=True)
class Batch:
    """Nodes to embed in one go."""

    rows: list[tuple[int, str]]
    """(position, text), newest first."""
    newest: int
    """Position of the newest node when the batch was taken."""
    last: bool
    """Whether nothing up to ``newest`` is pending beyond it."""


class Settling:
    """Takes pending nodes in batches; remembers up to where nothing is left."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._done_to = 0

    def pending(self, db: Database) -> Batch:
        """The next batch; without rows when all is settled."""
        newest = nodes.last_seq(db)
        if newest == self._done_to:
            return Batch([], newest, True)
        # No space has the number 0, so before the first vector every node is pending.
        space = vectors.known_space(db, self._embedder.stamp) or 0
        rows = vectors.pending(db, space, EMBED_BATCH, after=self._done_to)
        return Batch(rows, newest, len(rows) < EMBED_BATCH)

    def embed(self, batch: Batch) -> list[Vector]:
        """Vectors of a batch. Blocking; loads the embedder at the first call."""
        matrix = self._embedder.embed([text for _, text in batch.rows])
        seqs = (seq for seq, _ in batch.rows)
        return [(seq, row.astype("<f4").tobytes()) for seq, row in zip(seqs, matrix, strict=True)]

    def put(self, db: Database, embedded: Sequence[Vector]) -> None:
        """Store them, in one transaction."""
        with db.transaction():
            space = vectors.space_of(db, self._embedder.stamp, self._embedder.dimensions)
            vectors.put(db, space, embedded)

    def done(self, batch: Batch) -> None:
        """All up to the batch's newest node is settled: later looks begin behind it."""
        self._done_to = batch.newest
