"""Vectors: one table for each embedder's stamp, kept beside the nodes as a cache.

Every space can be thrown away and made again from the nodes. Vectors of two stamps are never in
one table, so they can never be compared. A vector lies at its place: a node's position, or minus
the number of a piece of a long node.

The nearest are found in two stages: codes of all places (``codes``, 56 bytes each, resident) name
the likely ones, and sqlite-vec computes the exact cosines of these where they lie.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from memory.config import EMBED_CHARS
from memory.protocols import Embedder
from memory.store import code_blocks, old_vectors
from memory.store.codes import Basis
from memory.store.cosines import has_direction as has_direction
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable
from memory.store.extension import load as load
from memory.store.search import nearest as nearest
from memory.store.search import scan as scan

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_CODED = 1_024
"""Vectors from which on a space has codes. Fewer are all read, in a few ms."""
MEAN_SETTLED = 8_192
"""Vectors from which on the mean that codes are centred on stays as it is. When so many are reached
all codes are made anew, once, in some 0.1 s."""
MOVED = 256
"""Vectors of older files that are moved in one transaction."""
CHUNK = 4_096
"""Vectors that are in memory at once while codes are made anew."""

_UNSEEN = """
    SELECT value FROM json_each(?1) AS asked
    WHERE NOT EXISTS (SELECT 1 FROM embedded WHERE space = ?2 AND seq = asked.value)
    AND (EXISTS (SELECT 1 FROM pieces WHERE id = -asked.value
                 AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = node))
         OR EXISTS (SELECT 1 FROM nodes WHERE seq = asked.value)
         AND NOT EXISTS (SELECT 1 FROM pieces WHERE node = asked.value)
         AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = asked.value))
"""
"""Those places at which something is found (a node that is not cut, or a piece, and neither is
retired) and that were not looked at yet."""


def known_space(db: Database, stamp: str) -> int | None:
    """The space of this stamp, or ``None`` if nothing was ever embedded under it."""
    row = db.row("SELECT id FROM spaces WHERE stamp = ?", (stamp,))
    return None if row is None else int(row[0])


def space_of(db: Database, stamp: str, dimensions: int) -> int:
    """The space of this stamp, made if there is none.

    Raises ``ValueError`` if the stamp is known with another length: an embedder that changes must
    change its stamp.
    """
    with db.transaction():
        row = db.row("SELECT id, dimensions FROM spaces WHERE stamp = ?", (stamp,))
        if row is not None:
            if row[1] != dimensions:
                raise ValueError(f"{stamp} has {row[1]} dimensions on file, not {dimensions}")
            return int(row[0])
        db.execute("INSERT INTO spaces (stamp, dimensions) VALUES (?, ?)", (stamp, dimensions))
        space = db.connection.last_insert_rowid()
        _prepare(db, space)
    return space


def put(db: Database, space: int, rows: Sequence[tuple[int, bytes]]) -> int:
    """Store vectors (little-endian float32) of places, in one transaction; how many were stored.

    A vector of zeros, or with a NaN or an infinity in it, has no direction: it is not stored, but
    its place counts as looked at and is not asked for again. One that another process embedded
    meanwhile, or that is gone or was cut, is passed over.
    """
    with db.transaction():
        asked = json.dumps([place for place, _ in rows])
        unseen = {place for (place,) in db.rows(_UNSEEN, (asked, space))}
        given = {place: vector for place, vector in reversed(rows) if place in unseen}
        good = _with_direction(given)
        db.many(
            "INSERT INTO embedded VALUES (?, ?, ?)",
            [(space, place, int(place in good)) for place in given],
        )
        _insert(db, space, good)
    return len(good)


def embedded(embedder: Embedder, texts: Sequence[str]) -> list[bytes]:
    """The vectors of texts as little-endian float32, one a text. Blocking. Raises
    ``VectorsUnavailable`` whatever the embedder fails with."""
    try:
        matrix = embedder.embed(texts)
    except Exception as error:
        # An embedder is others' code and may raise anything; all that needs none must go on.
        raise VectorsUnavailable(
            f"The embedder {embedder.stamp} fails, so nothing is found by meaning: "
            f"{type(error).__name__}: {error}."
        ) from error
    if matrix.shape != (len(texts), embedder.dimensions):
        raise VectorsUnavailable(
            f"The embedder {embedder.stamp} gave vectors of shape {matrix.shape} for {len(texts)} "
            "texts, so nothing is found by meaning."
        )
    return [row.astype("<f4").tobytes() for row in matrix]


def pending(db: Database, space: int, limit: int, *, after: int = 0) -> list[tuple[int, str]]:
    """Nodes found as a whole that were not yet looked at in this space: (position, the start of its
    text), newest first.

    ``after``: only positions beyond this one, when all before are known to be done.
    """
    rows = db.stream(
        "SELECT seq, text FROM nodes WHERE seq > ? AND NOT EXISTS"
        " (SELECT 1 FROM embedded WHERE space = ? AND embedded.seq = nodes.seq)"
        " AND NOT EXISTS (SELECT 1 FROM pieces WHERE node = nodes.seq)"
        " AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = nodes.seq)"
        " ORDER BY seq DESC LIMIT ?",
        (after, space, limit),
    )
    return [(seq, text[:EMBED_CHARS]) for seq, text in rows]


def count(db: Database, space: int) -> int:
    """How many places have a vector in this space."""
    state = code_blocks.state(db, space)
    return (0 if state is None else state.stored) + old_vectors.count(db, space)


def all_embedded(db: Database, space: int, lo: int, hi: int) -> bool:
    """Whether everything that is found from position ``lo`` to ``hi``, both included, was looked at
    in this space: the nodes, and the pieces of long ones."""
    row = db.row(
        "SELECT 1 FROM nodes LEFT JOIN pieces ON pieces.node = nodes.seq"
        " WHERE nodes.seq BETWEEN ? AND ?"
        " AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = nodes.seq)"
        " AND NOT EXISTS (SELECT 1 FROM embedded WHERE space = ?"
        " AND embedded.seq = coalesce(-pieces.id, nodes.seq)) LIMIT 1",
        (lo, hi, space),
    )
    return row is None


def drop(db: Database, space: int, places: Sequence[int]) -> None:
    """Take the vectors of these places out, in one transaction; they count as never looked at."""
    asked = json.dumps(list(places))
    with db.transaction():
        old_vectors.remove(db, space, places)
        if code_blocks.state(db, space) is not None:
            _delete(db, space, asked)
        db.execute(
            "DELETE FROM embedded WHERE space = ? AND seq IN (SELECT value FROM json_each(?))",
            (space, asked),
        )


def vectors_of(db: Database, space: int, places: Sequence[int]) -> dict[int, bytes]:
    """The stored vectors at these places; those without one are left out. Neighbours in time lie
    side by side, so theirs are one read."""
    found: dict[int, bytes] = {}
    if code_blocks.state(db, space) is not None:
        rows = db.rows(
            f"SELECT id, vector FROM vectors_{space:d}"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(places)),),
        )
        found = dict(rows)
    return found | old_vectors.of(db, space, [place for place in places if place not in found])


def older(db: Database) -> bool:
    """Whether there are vectors where an older growbox wrote them."""
    return any(old_vectors.left(db, space) for (space,) in db.rows("SELECT id FROM spaces"))


def move_older(db: Database) -> int:
    """Move some vectors that an older growbox wrote, newest first, in one transaction; how many.
    Until they are moved they are found where they are."""
    for (space,) in db.rows("SELECT id FROM spaces ORDER BY id DESC"):
        with db.transaction():
            moved = old_vectors.newest(db, space, MOVED)
            if moved:
                _insert(db, space, moved)
                old_vectors.remove(db, space, list(moved))
                return len(moved)
    return 0


def _with_direction(given: dict[int, bytes]) -> dict[int, bytes]:
    """Those whose length is a positive finite number, see ``has_direction``; all at once."""
    import numpy as np

    if not given:
        return {}
    rows = np.frombuffer(b"".join(given.values()), dtype="<f4").reshape(len(given), -1)
    squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    good = np.isfinite(squares) & (squares > 0)
    return {
        place: vector for (place, vector), sound in zip(given.items(), good, strict=True) if sound
    }


def _insert(db: Database, space: int, vectors: dict[int, bytes]) -> None:
    """Vectors with a direction, and their codes."""
    _prepare(db, space)
    # In the order of the table, which else would be torn apart.
    rows = [(place, vectors[place]) for place in sorted(vectors)]
    if not rows:
        return
    db.many(f"INSERT OR REPLACE INTO vectors_{space:d} VALUES (?, ?)", rows)
    _count(db, space, len(rows))
    state = code_blocks.state(db, space)
    if state is None:
        raise LookupError(space)
    version = (state.stored >= FEWEST_CODED) + (state.stored >= MEAN_SETTLED)
    if version > (state.basis.version if state.basis else 0):
        _recode(db, space, version)
    elif state.basis is not None:
        code_blocks.write(db, space, state.basis, *_unit(rows))


def _delete(db: Database, space: int, asked: str) -> None:
    """The vectors and codes at places, a list in JSON."""
    import numpy as np

    listed = f"FROM vectors_{space:d} WHERE id IN (SELECT value FROM json_each(?))"
    there = [place for (place,) in db.rows(f"SELECT id {listed}", (asked,))]
    if there:
        db.execute(f"DELETE {listed}", (asked,))
        _count(db, space, -len(there))
        code_blocks.clear(db, space, np.array(there, dtype=np.int64))


def _prepare(db: Database, space: int) -> None:
    """The space's table of vectors and what is kept of it, if they are not there."""
    if code_blocks.state(db, space) is None:
        db.execute(
            f"CREATE TABLE vectors_{space:d} (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT"
        )
        db.execute("INSERT INTO code_spaces (space) VALUES (?)", (space,))


def _count(db: Database, space: int, more: int) -> None:
    db.execute(
        "UPDATE code_spaces SET stored = stored + ?, changes = changes + 1 WHERE space = ?",
        (more, space),
    )


def _recode(db: Database, space: int, version: int) -> None:
    """Codes of all vectors, centred on their mean."""
    import numpy as np

    total, many = np.float64(0), 0
    for _, vectors in _all(db, space):
        total, many = total + vectors.sum(axis=0, dtype=np.float64), many + len(vectors)
    base = Basis(version, (total / many).astype("<f4"))
    db.execute(
        "UPDATE code_spaces SET basis = ?, mean = ? WHERE space = ?",
        (version, base.mean.tobytes(), space),
    )
    code_blocks.forget(db, space)
    for places, vectors in _all(db, space):
        code_blocks.write(db, space, base, places, vectors)


def _all(db: Database, space: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """All places and unit vectors, some at a time."""
    rows = db.stream(f"SELECT id, vector FROM vectors_{space:d} ORDER BY id")
    while chunk := list(islice(rows, CHUNK)):
        yield _unit(chunk)


def _unit(
    rows: Sequence[tuple[int, bytes]],
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places, and their vectors as unit rows."""
    import numpy as np

    places = np.array([place for place, _ in rows], dtype=np.int64)
    vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f4")
    vectors = vectors.reshape(len(rows), -1)
    return places, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
