"""Certificates on file: which stretches of the timeline were read for which family of questions.

A certificate holds for one method, judge and embedder, and for the contents that stood there when
it was written: a hash tells whether they still do. What it does not cover was not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.config import MOST_CERTIFICATES
from memory.store import settings
from memory.store.database import Database
from memory.store.texts import to_json

Method = Literal["judge", "scan"]

OVERFLOW = "ledger:certificates"
"""Key of the count of certificates that the cap has thrown out."""
DEEP, LIGHT = 2, 1

_COLUMNS = "id, family, method, judge, embedder, depth, lo, hi, hash, at"
_HASH = """
    SELECT sha256 FROM nodes WHERE seq BETWEEN ? AND ?
    AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = seq)
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a certificate is a claim about, but for the stretch."""

    family: int
    method: Method
    judge: str
    """Stamp of the judge; ``""`` for a scan."""
    embedder: str = ""
    """Stamp of the embedder; ``""`` where none took part."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """One stretch that was read, both ends included."""

    id: int
    reading: Reading
    depth: int
    """``DEEP`` or ``LIGHT``."""
    lo: int
    hi: int
    hash: bytes
    at: int
    """Milliseconds, UTC."""


def contents(db: Database, lo: int, hi: int) -> bytes:
    """Eight bytes that change with what stands between two positions, both included. Those of two
    stretches side by side, put together by exclusive or, are those of both."""
    told = 0
    for (checksum,) in db.stream(_HASH, (lo, hi)):
        told ^= int.from_bytes(checksum[:8])
    return told.to_bytes(8)


def combined(hashes: Iterable[bytes]) -> bytes:
    """The hash of several stretches that have nothing in common."""
    told = 0
    for each in hashes:
        told ^= int.from_bytes(each)
    return told.to_bytes(8)


def retirements(db: Database) -> int:
    """How many nodes were superseded or deleted: nothing else changes what stands on the timeline
    before its end."""
    return int(db.value("SELECT count(DISTINCT stale) FROM redirects WHERE why != 'cut'"))


def of(db: Database, reading: Reading, depth: int = DEEP) -> list[Certificate]:
    """The certificates of a reading, in the order of the timeline; whether they hold still is to be
    seen by ``contents``."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM certificates WHERE family = ? AND method = ? AND judge = ?"
        " AND embedder = ? AND depth = ? ORDER BY lo, id",
        (reading.family, reading.method, reading.judge, reading.embedder, depth),
    )
    return [_certificate(row) for row in rows]


def every(db: Database, depth: int) -> list[tuple[int, int]]:
    """(lo, hi) of all certificates of a depth, for the eye."""
    rows = db.rows(
        "SELECT DISTINCT lo, hi FROM certificates WHERE depth = ? AND method = 'judge' ORDER BY lo",
        (depth,),
    )
    return [(lo, hi) for lo, hi in rows]


def put(db: Database, reading: Reading, depth: int, lo: int, hi: int, told: bytes, at: int) -> None:
    """Keep a certificate; of too many the oldest go."""
    db.execute(
        "INSERT INTO certificates (family, method, judge, embedder, depth, lo, hi, hash, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(reading.family, reading.method, reading.judge, reading.embedder),
            *(depth, lo, hi, told, at),
        ),
    )


def drop(db: Database, ids: Sequence[int]) -> None:
    """Forget certificates: what they covered counts as unread."""
    db.execute(
        "DELETE FROM certificates WHERE id IN (SELECT value FROM json_each(?))",
        (to_json(list(ids)),),
    )


def uncover(db: Database, family: int, seq: int) -> None:
    """Take one position out of all that was read for a family, in one transaction; what lies before
    and after it stays covered."""
    with db.transaction():
        rows = db.rows(
            f"SELECT {_COLUMNS} FROM certificates WHERE family = ? AND ? BETWEEN lo AND hi",
            (family, seq),
        )
        hole = contents(db, seq, seq) if rows else b""
        for each in map(_certificate, rows):
            drop(db, (each.id,))
            below = contents(db, each.lo, seq - 1)
            above = combined((each.hash, hole, below))
            for lo, hi, told in ((each.lo, seq - 1, below), (seq + 1, each.hi, above)):
                if lo <= hi:
                    put(db, each.reading, each.depth, lo, hi, told, each.at)


def cap(db: Database, most: int | None = None) -> int:
    """Forget the oldest of too many; how many. What they covered counts as unread."""
    most = MOST_CERTIFICATES if most is None else most
    over = int(db.value("SELECT count(*) FROM certificates")) - most
    if over > 0:
        rows = db.rows("SELECT id FROM certificates ORDER BY at, id LIMIT ?", (over,))
        drop(db, [number for (number,) in rows])
        overflowed(db, over)
    return max(0, over)


def overflowed(db: Database, more: int = 0) -> int:
    """How many certificates the cap has thrown out so far; ``more`` are added to it."""
    thrown = int(settings.kept(db, OVERFLOW, 0)) + more
    if more:
        settings.keep(db, OVERFLOW, thrown)
    return thrown


def _certificate(row: tuple[int, int, Method, str, str, int, int, int, bytes, int]) -> Certificate:
    number, family, method, judge, embedder, depth, lo, hi, told, at = row
    return Certificate(number, Reading(family, method, judge, embedder), depth, lo, hi, told, at)
