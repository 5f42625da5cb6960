"""Cuts: how a long node is taken apart in pieces, which stand in the indexes in its stead.

A piece is known by a number of its own; among places (positions in the indexes) it is minus that
number. The node itself stays as it is: only its rows in the indexes go.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.config import WHOLE_TOKENS
from memory.store import cutting, fulltext, settings, vectors
from memory.store.cutting import Span
from memory.store.database import Database
from memory.store.segment import searched

UNCUT = "uncut"
"""Setting: the newest node of an older format that nobody looked at yet; not there when all are."""
BATCH_BYTES, BATCH_NODES = 1_000_000, 64
"""Of older nodes that are cut in one transaction: other writes wait for some 0.2 s."""
SHORT_BYTES = 2 * WHOLE_TOKENS
"""No text of so many bytes is too long to stay whole: a token takes more than two in any script."""

_STANDING = """
    SELECT text FROM nodes WHERE seq = ? AND NOT EXISTS
    (SELECT 1 FROM redirects WHERE stale = seq)
"""
_LONG = """
    SELECT seq, octet_length(text) FROM nodes WHERE seq <= ? AND octet_length(text) > ?
    AND NOT EXISTS (SELECT 1 FROM pieces WHERE node = seq)
    AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = seq) ORDER BY seq DESC LIMIT ?
"""
"""The length in bytes is known without reading the text."""


def put(db: Database, seq: int, text: str, spans: Sequence[Span]) -> list[int]:
    """Store the pieces of a node and index their words; their places, in the order of the text.
    Belongs in the transaction that stores the node or takes it out of the indexes.

    Each is also found by how the text begins, and the first piece most, since what names the matter
    often stands only there (measured on CMRC: the right text comes first for 1.4 points more of the
    questions).
    """
    places = []
    head, tail = searched(text)
    heading = cutting.heading(text)
    for lo, hi in spans:
        db.execute("INSERT INTO pieces (node, lo, hi) VALUES (?, ?, ?)", (seq, lo, hi))
        place = -db.connection.last_insert_rowid()
        words = text[lo : min(hi, head)] + text[max(lo, tail, head) : hi]
        fulltext.index(db, place, f"{heading}\n{words}")
        places.append(place)
    return places


def cut(db: Database, seq: int, bounds: Sequence[Span], at: int = 0) -> list[int]:
    """Take a node apart, or apart in another way, in one transaction; the places of its pieces.

    ``bounds`` tile its text (else ``ValueError``). Pieces that it had lead to those that took their
    characters. ``at``: milliseconds, UTC. ``LookupError`` if there is no such node, or it was
    superseded or deleted.
    """
    with db.transaction():
        text = str(db.value(_STANDING, (seq,)))
        _check(bounds, len(text))
        rows = db.rows("SELECT id, lo, hi FROM pieces WHERE node = ? ORDER BY lo", (seq,))
        out_of_indexes(db, [-number for number, _, _ in rows] or [seq])
        db.execute("DELETE FROM pieces WHERE node = ?", (seq,))
        places = put(db, seq, text, bounds)
        led = [
            (-number, place)
            for number, lo, hi in rows
            for place, (start, end) in zip(places, bounds, strict=True)
            if start < hi and lo < end
        ]
        db.many("INSERT OR IGNORE INTO redirects VALUES (?, ?, 'cut', ?)", [(*a, at) for a in led])
    return places


def older(db: Database) -> bool:
    """Whether there may be long nodes of an older format that are not cut yet."""
    return settings.kept(db, UNCUT) is not None


def cut_older(db: Database, limit: int = BATCH_BYTES) -> int:
    """Cut some of the long nodes of an older format, newest first, in one transaction; how many.
    A process that ends in between leaves the rest to the next."""
    done = read = 0
    with db.transaction():
        rows = db.rows(_LONG, (settings.kept(db, UNCUT, 0), SHORT_BYTES, BATCH_NODES))
        left = 0
        for seq, size in rows:
            role, text = db.rows("SELECT role, text FROM nodes WHERE seq = ?", (seq,))[0]
            spans = cutting.pieces(text, role)
            if spans:
                cut(db, seq, spans)
                done += 1
            read += size
            if read >= limit:
                left = seq - 1
                break
        if not left and len(rows) == BATCH_NODES:
            left = rows[-1][0] - 1
        if left:
            settings.keep(db, UNCUT, left)
        else:
            settings.forget(db, UNCUT)
    return done


def out_of_indexes(db: Database, places: Sequence[int]) -> None:
    """Take places out of the index of words and out of every space of vectors."""
    with db.transaction():
        for place in places:
            fulltext.remove(db, place)
        for (space,) in db.rows("SELECT id FROM spaces"):
            vectors.drop(db, space, places)


def _check(bounds: Sequence[Span], length: int) -> None:
    edges = [0, *(hi for _, hi in bounds)]
    tiled = all(lo == last < hi for last, (lo, hi) in zip(edges, bounds, strict=False))
    if not tiled or not bounds or edges[-1] != length:
        raise ValueError(f"{list(bounds)[:9]} do not tile a text of {length} characters")
