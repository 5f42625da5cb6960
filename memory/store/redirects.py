"""Redirects on file: where that leads which stood for something that is gone.

A node that was superseded or deleted stays on the timeline, readable by its address; it leaves the
indexes, and what pointed to it points to what took its place. ``pieces.resolve`` follows them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from memory.store import pieces, questions
from memory.store.cuts import out_of_indexes
from memory.store.database import Database
from memory.store.texts import to_json

Why = Literal["cut", "superseded", "deleted"]


def retire(db: Database, seq: int, instead: Sequence[int], at: int) -> None:
    """Take a node out of all indexes and lead its pointers to these nodes, or nowhere, in one
    transaction. ``ValueError`` if what stands for it leads back to it. ``at``: milliseconds, UTC.
    """
    with db.transaction():
        own = [piece.place for piece in pieces.pieces_of(db, seq)]
        _check(db, seq, instead)
        why: Why = "superseded" if instead else "deleted"
        db.execute("DELETE FROM redirects WHERE stale = ?", (seq,))
        db.many(
            "INSERT INTO redirects VALUES (?, ?, ?, ?)",
            [(seq, fresh, why, at) for fresh in dict.fromkeys(instead or (0,))],
        )
        out_of_indexes(db, own or [seq])
        questions.changed(db)


def retired(db: Database, lo: int, hi: int) -> list[int]:
    """Positions from ``lo`` to ``hi``, both included, of nodes that were superseded or deleted."""
    rows = db.rows(
        "SELECT DISTINCT stale FROM redirects WHERE stale BETWEEN ? AND ? AND why != 'cut'"
        " ORDER BY stale",
        (lo, hi),
    )
    return [seq for (seq,) in rows]


def retired_of(db: Database, seqs: Iterable[int]) -> set[int]:
    """Those of the positions whose node was superseded or deleted."""
    rows = db.rows(
        "SELECT DISTINCT stale FROM redirects"
        " WHERE stale IN (SELECT value FROM json_each(?)) AND why != 'cut'",
        (to_json(list(seqs)),),
    )
    return {seq for (seq,) in rows}


def _check(db: Database, seq: int, instead: Sequence[int]) -> None:
    """Refuse a ring: whoever followed it would come to nothing."""
    for fresh in instead:
        ahead, seen = [fresh], {fresh}
        while ahead:
            here = ahead.pop()
            if here == seq:
                raise ValueError("a memory cannot stand for itself")
            rows = db.rows("SELECT fresh FROM redirects WHERE stale = ? AND fresh != 0", (here,))
            ahead += [onward for (onward,) in rows if onward not in seen]
            seen.update(onward for (onward,) in rows)
