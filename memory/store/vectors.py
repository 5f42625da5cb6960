"""Vectors: one table for each embedder's stamp, kept beside the nodes as a cache.

Every space can be thrown away and made again from the nodes. Vectors of two stamps are never in
one table, so they can never be compared. sqlite-vec is loaded when the first vector is touched.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import apsw

from memory.config import EMBED_CHARS
from memory.protocols import Embedder
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable

MOST_NEIGHBOURS = 4096
"""The largest k that sqlite-vec takes."""


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
        load(db)
        db.execute("INSERT INTO spaces (stamp, dimensions) VALUES (?, ?)", (stamp, dimensions))
        space = db.connection.last_insert_rowid()
        db.execute(
            f"CREATE VIRTUAL TABLE vec_{space} USING vec0("
            f"embedding float[{dimensions:d}] distance_metric=cosine)"
        )
    return space


def put(db: Database, space: int, rows: Sequence[tuple[int, bytes]]) -> int:
    """Store vectors (little-endian float32) of nodes; how many were stored.

    A vector of zeros, or with a NaN or an infinity in it, has no direction: it is not stored, but
    its node counts as looked at and is not asked for again. A node that another process embedded
    meanwhile, or that is gone, is passed over.
    """
    load(db)
    stored = 0
    with db.transaction():
        for seq, vector in rows:
            if db.row("SELECT 1 FROM nodes WHERE seq = ?", (seq,)) is None:
                continue
            known = "SELECT 1 FROM embedded WHERE space = ? AND seq = ?"
            if db.row(known, (space, seq)) is not None:
                continue
            good = has_direction(vector)
            db.execute("INSERT INTO embedded VALUES (?, ?, ?)", (space, seq, int(good)))
            if good:
                db.execute(
                    f"INSERT INTO vec_{space:d} (rowid, embedding) VALUES (?, ?)", (seq, vector)
                )
                stored += 1
    return stored


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


def has_direction(vector: bytes) -> bool:
    """Whether the length of a float32 vector is a positive finite number."""
    squares = sum(value * value for (value,) in struct.iter_unpack("<f", vector))
    return math.isfinite(squares) and squares > 0


def nearest(db: Database, space: int, vector: bytes, k: int) -> list[tuple[int, float]]:
    """The ``k`` nearest nodes: (position, cosine), nearest first, equal ones newest first."""
    if k < 1 or not has_direction(vector):
        return []
    load(db)
    rows = db.rows(
        f"SELECT rowid, distance FROM vec_{space:d} WHERE embedding MATCH ? AND k = ?",
        (vector, min(k, MOST_NEIGHBOURS)),
    )
    return sorted(((seq, 1.0 - away) for seq, away in rows), key=lambda hit: (-hit[1], -hit[0]))


def pending(db: Database, space: int, limit: int, *, after: int = 0) -> list[tuple[int, str]]:
    """Nodes not yet looked at in this space: (position, the start of its text), newest first.

    ``after``: only positions beyond this one, when all before are known to be done.
    """
    rows = db.stream(
        "SELECT seq, text FROM nodes WHERE seq > ? AND NOT EXISTS"
        " (SELECT 1 FROM embedded WHERE space = ? AND embedded.seq = nodes.seq)"
        " ORDER BY seq DESC LIMIT ?",
        (after, space, limit),
    )
    return [(seq, text[:EMBED_CHARS]) for seq, text in rows]


def count(db: Database, space: int) -> int:
    """How many nodes have a vector in this space."""
    return int(db.value("SELECT count(*) FROM embedded WHERE space = ? AND stored = 1", (space,)))


def vectors_of(db: Database, space: int, seqs: Sequence[int]) -> dict[int, bytes]:
    """The stored vectors of these nodes; those without one are left out."""
    load(db)
    found = {}
    for seq in seqs:
        row = db.row(f"SELECT embedding FROM vec_{space:d} WHERE rowid = ?", (seq,))
        if row is not None:
            found[seq] = bytes(row[0])
    return found


def load(db: Database) -> None:
    """Load sqlite-vec into this connection, once. Raises ``VectorsUnavailable``."""
    if db.vectors_loaded:
        return
    spec = find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise VectorsUnavailable(
            "The package sqlite-vec is missing, so nothing can be found by meaning.",
            "Install growbox again.",
        )
    # Found by path: importing the package would bring the stdlib's sqlite3 with it.
    library = str(Path(spec.origin).parent / "vec0")
    try:
        db.connection.enable_load_extension(True)
        db.connection.load_extension(library)
    except apsw.ExtensionLoadingError as error:
        raise VectorsUnavailable(
            f"sqlite-vec does not load here: {error}.", "Install growbox again."
        ) from error
    finally:
        db.connection.enable_load_extension(False)
    db.vectors_loaded = True
