"""Exact cosines of stored vectors, computed where they lie by sqlite-vec."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from memory.store.database import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 4_096
"""Rows that are in Python's hands at once."""

_COSINE = "1.0 - vec_distance_cosine(vector, ?)"
_PIECES = "SELECT -id FROM pieces WHERE node BETWEEN ? AND ?"

Cosines: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.float64]]"
"""Places, and the cosine of each."""


def has_direction(vector: bytes) -> bool:
    """Whether the length of a float32 vector is a positive finite number."""
    squares = sum(value * value for (value,) in struct.iter_unpack("<f", vector))
    return math.isfinite(squares) and squares > 0


def of(db: Database, space: int, vector: bytes, places: NDArray[np.int64]) -> Cosines:
    """The cosines at these places, in the order of the file; without those that hold none."""
    rows = db.rows(
        f"SELECT id, {_COSINE} FROM vectors_{space:d} WHERE id IN (SELECT value FROM json_each(?))",
        (vector, json.dumps(places.tolist())),
    )
    return _gathered(iter(rows))


def between(db: Database, space: int, vector: bytes, lo: int, hi: int) -> Cosines:
    """The cosines of all nodes from ``lo`` to ``hi``, both included, and of their pieces."""
    rows = db.stream(
        f"SELECT id, {_COSINE} FROM vectors_{space:d} WHERE id IN ({_PIECES})"
        f" UNION ALL SELECT id, {_COSINE} FROM vectors_{space:d} WHERE id BETWEEN ? AND ?",
        (vector, lo, hi, vector, lo, hi),
    )
    return _gathered(rows)


def everywhere(db: Database, space: int, vector: bytes) -> Cosines:
    """The cosines of all that the space holds."""
    return _gathered(db.stream(f"SELECT id, {_COSINE} FROM vectors_{space:d}", (vector,)))


def _gathered(rows: Iterator[tuple[Any, ...]]) -> Cosines:
    import numpy as np

    places, cosines = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    while chunk := list(islice(rows, CHUNK)):
        places.append(np.array([place for place, _ in chunk], dtype=np.int64))
        cosines.append(np.array([cosine for _, cosine in chunk], dtype=np.float64))
    return np.concatenate(places), np.concatenate(cosines)
