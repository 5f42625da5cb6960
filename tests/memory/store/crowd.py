"""A store of many places with vectors, made in a moment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.store import vectors
from memory.store.database import Database

DIMENSIONS = 24


def stand(db: Database, count: int, first: int = 1) -> None:
    """So many nodes at positions from ``first`` on, without their words in the index."""
    with db.transaction():
        db.many(
            "INSERT INTO nodes VALUES (?, ?, 'user', '', '', 0, '', '', 0, '{}', x'')",
            [(seq, f"n{seq}") for seq in range(first, first + count)],
        )


def pieces(db: Database, node: int, count: int) -> None:
    """Cut a node into so many pieces."""
    db.many("INSERT INTO pieces (node, lo, hi) VALUES (?, 0, 1)", [(node,)] * count)


def clusters(count: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows in a narrow cone, around centres, as texts lie."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((40, DIMENSIONS))
    rows = centres[draw.integers(0, 40, count)] + 0.7 * draw.standard_normal((count, DIMENSIONS))
    rows += 3 * np.ones(DIMENSIONS)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit.astype(np.float32)


def put(db: Database, space: int, places: Sequence[int], rows: NDArray[np.float32]) -> int:
    """Store rows at places; how many were stored."""
    given = [row.astype("<f4").tobytes() for row in rows]
    return vectors.put(db, space, list(zip(places, given, strict=True)))


def asked(row: NDArray[np.float32]) -> bytes:
    """A row as a question."""
    return row.astype("<f4").tobytes()
