"""Requests: what was kept of each request to a model. Memory does not know what the records mean,
only that they are JSON objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory.store import settings
from memory.store.database import Database
from memory.store.texts import clean


def note_request(
    db: Database,
    name: str,
    epoch: int,
    body: str,
    at: int,
    kept: Mapping[str, Any] | None = None,
) -> None:
    """Keep the record of a request, and small settings with it, in one transaction. ``at``:
    milliseconds, UTC."""
    with db.transaction():
        db.execute(
            "INSERT INTO requests (session, epoch, at, body) VALUES (?, ?, ?, ?)",
            (name, epoch, at, clean(body)),
        )
        for key, value in (kept or {}).items():
            settings.keep(db, key, value)


def last_request(db: Database, name: str) -> str | None:
    """The newest record of a session."""
    row = db.row("SELECT body FROM requests WHERE session = ? ORDER BY id DESC LIMIT 1", (name,))
    return None if row is None else str(row[0])


def requests(db: Database, name: str) -> list[tuple[int, int, str]]:
    """(milliseconds, epoch, record) of all requests of a session, oldest first."""
    rows = db.rows("SELECT at, epoch, body FROM requests WHERE session = ? ORDER BY id", (name,))
    return [(int(at), int(epoch), str(body)) for at, epoch, body in rows]


def figures(db: Database, names: Sequence[str], since: int) -> list[tuple[Any, ...]]:
    """These fields of the records of all sessions from a time on (milliseconds, UTC), oldest
    first; ``None`` for what a record does not have. Records that are no JSON are left out."""
    if not names:
        return []
    wanted = ", ".join("json_extract(body, ?)" for _ in names)
    return db.rows(
        f"SELECT {wanted} FROM requests WHERE at >= ? AND json_valid(body) ORDER BY id",
        [*(f"$.{name}" for name in names), since],
    )
