"""Lines on file: the summary chain of each conversation, and which lines have left it."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from typing import Any

from memory.store import nodes
from memory.store.database import Database
from memory.store.texts import clean
from memory.types import Line

_COLUMNS = (
    "seq, turn, role, text, tokens, at, accessed, node, relevance, supplement, reloaded,"
    " stamp, embedding"
)


def load(db: Database, session: str, stamp: str = "") -> tuple[list[Line], list[Line]]:
    """The lines that stand in the chain, oldest first, and those that left it, in the order in
    which they did. Embeddings of another embedder than ``stamp`` are left out."""
    gone = db.rows(
        f"SELECT {_COLUMNS} FROM lines WHERE session = ? AND state > 0 ORDER BY state", (session,)
    )
    return standing(db, session, stamp), [_line(row, "") for row in gone]


def standing(db: Database, session: str, stamp: str = "") -> list[Line]:
    """The lines that stand in the chain, as ``load`` tells them."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM lines WHERE session = ? AND state = 0 ORDER BY seq", (session,)
    )
    return [_line(row, stamp) for row in rows]


def put(db: Database, session: str, lines: Sequence[Line], stamp: str = "") -> None:
    """These lines stand in the chain as they are: new ones, changed ones, and such as came back.

    ``stamp``: the embedder of their embeddings. ``apsw.ConstraintError`` for an unknown
    conversation.
    """
    db.many(
        f"INSERT OR REPLACE INTO lines (session, {_COLUMNS}) VALUES ({', '.join('?' * 14)})",
        [
            (
                *(session, line.seq, line.turn, line.role, clean(line.text), line.tokens),
                *(line.at, line.accessed, line.node, line.relevance),
                *(int(line.supplement), int(line.reloaded)),
                *(stamp if line.embedding else "", _packed(line.embedding)),
            )
            for line in lines
        ],
    )


def archive(db: Database, lines: Sequence[Line]) -> Callable[[Line], str]:
    """Tells the node that holds a line's full text; ``LookupError`` where none of these lines'
    nodes on file does, so that the line must not leave."""
    there = nodes.on_file(db, [line.node for line in lines if line.node])

    def node_of(line: Line) -> str:
        if line.node not in there:
            raise LookupError(f"the text of line {line.seq} is on no node")
        return line.node

    return node_of


def leave(db: Database, session: str, seqs: Sequence[int]) -> None:
    """These lines leave the chain, in this order; those that had left before stay where they
    were."""
    with db.transaction():
        last = db.value("SELECT coalesce(max(state), 0) FROM lines WHERE session = ?", (session,))
        db.many(
            "UPDATE lines SET state = ? WHERE session = ? AND seq = ? AND state = 0",
            [(last + number, session, seq) for number, seq in enumerate(seqs, 1)],
        )


def touch(db: Database, session: str, seqs: Sequence[int], at: int) -> None:
    """These lines were needed again. ``at``: milliseconds, UTC."""
    db.many(
        "UPDATE lines SET accessed = max(accessed, ?) WHERE session = ? AND seq = ?",
        [(at, session, seq) for seq in seqs],
    )


def pending(db: Database, stamp: str, limit: int) -> list[tuple[str, int, str]]:
    """(session, position, words) of lines that stand in a chain and have no embedding of this
    embedder, newest first."""
    rows = db.rows(
        "SELECT session, seq, text FROM lines WHERE state = 0 AND stamp != ?"
        " ORDER BY at DESC, seq DESC LIMIT ?",
        (stamp, limit),
    )
    return [(str(session), int(seq), str(text)) for session, seq, text in rows]


def embed(db: Database, rows: Sequence[tuple[bytes, str, int]], stamp: str) -> None:
    """Keep embeddings: (little-endian float32, session, position)."""
    db.many(
        "UPDATE lines SET embedding = ?, stamp = ? WHERE session = ? AND seq = ?",
        [(vector, stamp, session, seq) for vector, session, seq in rows],
    )


def _packed(vector: Sequence[float] | None) -> bytes | None:
    return _little(array("f", vector)).tobytes() if vector else None


def _line(row: tuple[Any, ...], stamp: str) -> Line:
    seq, turn, role, text, tokens, at, accessed, node, relevance, added, back, made_by, packed = row
    vector = None
    if packed is not None and stamp and made_by == stamp and len(packed) % 4 == 0:
        vector = tuple(_little(array("f", packed)))
    return Line(
        *(seq, turn, role, text, tokens, at, accessed, node, relevance, vector),
        supplement=bool(added),
        reloaded=bool(back),
    )


def _little(numbers: array[float]) -> array[float]:
    """The same numbers between this machine's order of bytes and the file's."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
