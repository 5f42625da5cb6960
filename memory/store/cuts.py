"""Cuts: how a long node is taken apart in pieces, which stand in the indexes in its stead.

A piece is known by a number of its own; among places (positions in the indexes) it is minus that
number. The node itself stays as it is: only its rows in the indexes go.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.store import fulltext, vectors
from memory.store.cutting import Span
from memory.store.database import Database
from memory.store.segment import searched


def put(db: Database, seq: int, text: str, spans: Sequence[Span]) -> list[int]:
    """Store the pieces of a node and index their words; their places, in the order of the text.
    Belongs in the transaction that stores the node or takes it out of the indexes."""
    places = []
    head, tail = searched(text)
    for lo, hi in spans:
        db.execute("INSERT INTO pieces (node, lo, hi) VALUES (?, ?, ?)", (seq, lo, hi))
        place = -db.connection.last_insert_rowid()
        words = text[lo : min(hi, head)] + text[max(lo, tail, head) : hi]
        fulltext.index(db, place, words)
        places.append(place)
    return places


def cut(db: Database, seq: int, bounds: Sequence[Span], at: int = 0) -> list[int]:
    """Take a node apart, or apart in another way, in one transaction; the places of its pieces.

    ``bounds`` tile its text (else ``ValueError``). Pieces that it had lead to those that took their
    characters. ``at``: milliseconds, UTC. ``LookupError`` if there is no such node.
    """
    with db.transaction():
        text = str(db.value("SELECT text FROM nodes WHERE seq = ?", (seq,)))
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


def out_of_indexes(db: Database, places: Sequence[int]) -> None:
    """Take places out of the index of words and out of every space of vectors."""
    with db.transaction():
        for place in places:
            fulltext.remove(db, place)
        for (space,) in db.rows("SELECT id FROM spaces"):
            vectors.drop(db, space, places)


def _check(bounds: Sequence[Span], length: int) -> None:
    last = 0
    for lo, hi in bounds:
        if lo != last or hi <= lo:
            break
        last = hi
    if last != length or not bounds:
        raise ValueError(f"{list(bounds)[:9]} do not tile a text of {length} characters")
