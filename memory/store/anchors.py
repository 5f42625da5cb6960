"""Anchors on file: where a memory stood that was needed and has left the window since."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from memory.store.database import Database

_COLUMNS = "target, source, level, frontier, heat, used, rejections"


@dataclass(frozen=True, slots=True)
class Anchor:
    """One for each target."""

    target: int
    source: int
    """The place that a pointer led from; 0: nowhere in particular."""
    level: int
    """1: some way back on the timeline; 2: far."""
    frontier: int
    """Position of the newest node when it was left or renewed."""
    heat: float
    """How often it was left or pulled, aged up to ``used``."""
    used: int
    """When it last was; milliseconds, UTC."""
    rejections: int = 0
    """How often in a row it was pulled for nothing."""


def put(db: Database, anchor: Anchor) -> None:
    """Keep an anchor as it is now."""
    db.execute(
        f"INSERT OR REPLACE INTO anchors ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        astuple(anchor),
    )


def of(db: Database, target: int) -> Anchor | None:
    """The anchor of a target."""
    row = db.row(f"SELECT {_COLUMNS} FROM anchors WHERE target = ?", (target,))
    return None if row is None else Anchor(*row)


def every(db: Database) -> list[Anchor]:
    """All anchors, hottest first."""
    query = f"SELECT {_COLUMNS} FROM anchors ORDER BY heat DESC, used DESC, target"
    return [Anchor(*row) for row in db.rows(query)]


def drop(db: Database, target: int) -> None:
    """Forget the anchor of a target."""
    db.execute("DELETE FROM anchors WHERE target = ?", (target,))
