"""Vectors of older files, each space in a vec0 table of sqlite-vec.

They are asked where they are until they have been moved. The tables themselves stay, emptied: a
growbox of an older format that still has the file open goes on writing to them, and what it writes
is moved as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.store.database import Database
from memory.store.extension import load

MOST_NEIGHBOURS = 4_096
"""The largest k that sqlite-vec takes."""


def left(db: Database, space: int) -> bool:
    """Whether anything of this space has not been moved yet."""
    table = f"vec_{space:d}_rowids"
    known = db.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,))
    return known is not None and db.row(f"SELECT 1 FROM {table} LIMIT 1") is not None


def count(db: Database, space: int) -> int:
    """How many vectors have not been moved yet."""
    if not left(db, space):
        return 0
    return int(db.value(f"SELECT count(*) FROM vec_{space:d}_rowids"))


def nearest(db: Database, space: int, vector: bytes, k: int) -> list[tuple[int, float]]:
    """The ``k`` nearest of those left: (place, cosine), in no order."""
    if not left(db, space):
        return []
    load(db)
    rows = db.rows(
        f"SELECT rowid, distance FROM vec_{space:d} WHERE embedding MATCH ? AND k = ?",
        (vector, min(k, MOST_NEIGHBOURS)),
    )
    return [(place, 1.0 - away) for place, away in rows]


def between(db: Database, space: int, vector: bytes, lo: int, hi: int) -> list[tuple[int, float]]:
    """The cosines of those left of all nodes from ``lo`` to ``hi``, both included."""
    if not left(db, space):
        return []
    load(db)
    return db.rows(
        f"SELECT rowid, 1.0 - vec_distance_cosine(embedding, ?) FROM vec_{space:d}"
        " WHERE rowid BETWEEN ? AND ?",
        (vector, lo, hi),
    )


def of(db: Database, space: int, places: Sequence[int]) -> dict[int, bytes]:
    """The vectors at those of the places that are left."""
    if not places or not left(db, space):
        return {}
    load(db)
    found = {}
    for place in places:
        row = db.row(f"SELECT embedding FROM vec_{space:d} WHERE rowid = ?", (place,))
        if row is not None:
            found[place] = bytes(row[0])
    return found


def newest(db: Database, space: int, limit: int) -> dict[int, bytes]:
    """Some of those that are left, newest first."""
    if not left(db, space):
        return {}
    rows = db.rows(f"SELECT rowid FROM vec_{space:d}_rowids ORDER BY rowid DESC LIMIT ?", (limit,))
    return of(db, space, [place for (place,) in rows])


def remove(db: Database, space: int, places: Sequence[int]) -> None:
    """Take places out, in one transaction; the space on disk is free once the last is out."""
    if not places or not left(db, space):
        return
    load(db)
    with db.transaction():
        db.many(f"DELETE FROM vec_{space:d} WHERE rowid = ?", [(place,) for place in places])
        if not left(db, space):
            shape = db.value("SELECT sql FROM sqlite_schema WHERE name = ?", (f"vec_{space:d}",))
            db.execute(f"DROP TABLE vec_{space:d}")
            db.execute(shape)
