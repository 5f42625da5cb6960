"""Small settings on file: anything that JSON holds, by a key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory.store.database import Database
from memory.store.texts import clean, from_json, to_json


def keep(db: Database, key: str, value: Any) -> None:
    """Keep a small setting (anything that JSON holds)."""
    db.execute(
        "INSERT INTO kv VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (clean(key), to_json(value)),
    )


def forget(db: Database, key: str) -> None:
    """Keep a setting no longer."""
    db.execute("DELETE FROM kv WHERE key = ?", (clean(key),))


def kept_under(db: Database, prefix: str, over: int = 0) -> dict[str, Any]:
    """Key → value of the settings whose keys begin so, if they take more than ``over`` characters
    as JSON."""
    begin = clean(prefix)
    rows = db.rows(
        "SELECT key, value FROM kv WHERE key >= ? AND key < ? AND length(value) > ?",
        (begin, begin + chr(0x10FFFF), over),
    )
    return {key: from_json(value) for key, value in rows}


def add_kept(db: Database, key: str, values: Sequence[str]) -> list[str]:
    """Add to a kept list what is not in it yet, in one transaction; the whole list, in the order
    in which it grew. Raises ``ValueError`` if something else than a list is kept there."""
    with db.transaction():
        known = kept(db, key, [])
        if not isinstance(known, list):
            raise ValueError(f"what is kept as {key} is no list")
        whole = [*known, *(value for value in dict.fromkeys(values) if value not in known)]
        if whole != known:
            keep(db, key, whole)
    return whole


def kept(db: Database, key: str, default: Any = None) -> Any:
    """A setting that was kept, or the default."""
    row = db.row("SELECT value FROM kv WHERE key = ?", (clean(key),))
    return default if row is None else from_json(row[0])
