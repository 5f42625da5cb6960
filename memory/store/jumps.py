"""Forced jumps on file: where the user pointed. They never expire and can be taken back."""

from __future__ import annotations

from dataclasses import dataclass

from memory.store.database import Database
from memory.store.texts import clean

_COLUMNS = "id, source, target, session, words, at"


@dataclass(frozen=True, slots=True)
class JumpRow:
    """From a place to another."""

    id: int
    source: int
    """0: from anywhere."""
    target: int
    session: str
    """In which the user pointed."""
    words: str
    """What the user quoted or said."""
    at: int


def put(
    db: Database, source: int, target: int, at: int, *, session: str = "", words: str = ""
) -> JumpRow:
    """Keep a jump; one from there to there that is on file already stays as it is but for words
    that it did not have. ``ValueError`` for one that leads to where it begins."""
    if source == target:
        raise ValueError("a jump must lead elsewhere")
    with db.transaction():
        db.execute(
            "INSERT INTO jumps (source, target, session, words, at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (source, target) DO UPDATE"
            " SET words = CASE jumps.words WHEN '' THEN excluded.words ELSE jumps.words END",
            (source, target, clean(session), clean(words), at),
        )
        query = f"SELECT {_COLUMNS} FROM jumps WHERE source = ? AND target = ?"
        (row,) = db.rows(query, (source, target))
    return JumpRow(*row)


def drop(db: Database, number: int) -> bool:
    """Take a jump back; whether there was one of this number."""
    with db.transaction():
        there = db.row("SELECT 1 FROM jumps WHERE id = ?", (number,)) is not None
        db.execute("DELETE FROM jumps WHERE id = ?", (number,))
    return there


def every(db: Database) -> list[JumpRow]:
    """All jumps, newest first."""
    return [JumpRow(*row) for row in db.rows(f"SELECT {_COLUMNS} FROM jumps ORDER BY id DESC")]
