"""Pointers on file: from a place on the timeline to another, keyed by real questions.

A key of sign 1 is a question that the pointer answered, one of sign -1 a question that it misled.
Which pointers to follow and which to forget is decided elsewhere; here are their rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.store import certificates, pieces, questions, settings
from memory.store.database import Database
from memory.store.texts import to_json

OVERFLOW = "learned:overflow"
"""Key of the count of pointers that the caps have thrown out."""

SAID_ONCE = 1.0
"""Weight of a key of sign -1 by a judge; the user's own word weighs more."""

_KEYS = (
    "SELECT keys.pointer, source, target, keys.question, family, sign, weight, tries, successes,"
    " missed, keys.used FROM keys JOIN pointers ON pointers.id = keys.pointer"
    " JOIN questions ON questions.id = keys.question"
)


@dataclass(frozen=True, slots=True)
class Key:
    """A question that a pointer is known by, and what following it for that came to."""

    pointer: int
    source: int
    """The place where one was; 0: nowhere in particular."""
    target: int
    """The place that it leads to, as it was when the pointer was made: see ``pieces.resolve``."""
    question: int
    family: int
    sign: int
    """1: it answered the question. -1: it misled it."""
    weight: float
    """How often that was confirmed."""
    tries: int
    """How often the pointer was followed by this key."""
    successes: int
    """How often of these it was what was needed."""
    missed: int
    """How often of these it was not."""
    used: int
    """When it last was; milliseconds, UTC."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer with all its keys."""

    id: int
    source: int
    target: int
    made: int
    used: int
    keys: tuple[Key, ...]


def link(db: Database, source: int, target: int, at: int) -> int:
    """The number of the pointer from here to there, made if there is none. ``ValueError`` for one
    that leads nowhere or to where it begins."""
    if not target or source == target:
        raise ValueError(
            f"a pointer leads from one place to another, not from {source} to {target}"
        )
    with db.transaction():
        db.execute(
            "INSERT OR IGNORE INTO pointers (source, target, made, used) VALUES (?, ?, ?, ?)",
            (source, target, at, at),
        )
        query = "SELECT id FROM pointers WHERE source = ? AND target = ?"
        return int(db.value(query, (source, target)))


def keys_of(db: Database, pointers: Iterable[int]) -> list[Key]:
    """The keys of these pointers, in the order in which their questions came."""
    rows = db.rows(
        f"{_KEYS} WHERE keys.pointer IN (SELECT value FROM json_each(?))"
        " ORDER BY keys.pointer, keys.question, sign",
        (to_json(list(pointers)),),
    )
    return [Key(*row) for row in rows]


def keys_of_family(db: Database, family: int) -> list[Key]:
    """The keys whose questions ask the same as those of a family."""
    rows = db.rows(f"{_KEYS} WHERE family = ? ORDER BY keys.pointer, keys.question", (family,))
    return [Key(*row) for row in rows]


def newest_keys(db: Database, limit: int) -> Iterator[Key]:
    """The keys that were used last, at most so many."""
    for row in db.stream(f"{_KEYS} ORDER BY keys.used DESC, keys.question DESC LIMIT ?", (limit,)):
        yield Key(*row)


def from_source(db: Database, source: int) -> list[Pointer]:
    """The pointers that begin at a place. One local read, however many there are elsewhere."""
    return _pointers(db, "source = ? ORDER BY target", (source,))


def to_target(db: Database, places: Iterable[int]) -> list[Pointer]:
    """The pointers that lead to any of these places."""
    asked = (to_json(list(places)),)
    return _pointers(db, "target IN (SELECT value FROM json_each(?)) ORDER BY id", asked)


def after(db: Database, number: int, limit: int) -> list[Pointer]:
    """The next pointers by number: whoever goes on where it stopped comes by all of them."""
    return _pointers(db, "id > ? ORDER BY id LIMIT ?", (number, limit))


def latest(db: Database, limit: int) -> list[Pointer]:
    """The pointers that were used last, for the eye."""
    return _pointers(db, "true ORDER BY used DESC, id DESC LIMIT ?", (limit,))


def put_keys(db: Database, keys: Sequence[Key], at: int) -> None:
    """Store keys as they are now, new or known, in one transaction; their pointers count as used
    ``at``."""
    with db.transaction():
        db.many(
            "INSERT OR REPLACE INTO keys"
            " (pointer, question, sign, weight, tries, successes, missed, used)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [_row(key) for key in keys],
        )
        db.many(
            "UPDATE pointers SET used = max(used, ?) WHERE id = ?",
            [(at, number) for number in {key.pointer for key in keys}],
        )
        if keys:
            questions.changed(db)


def drop_keys(db: Database, keys: Sequence[Key]) -> None:
    """Forget keys, and pointers that have none left, in one transaction.

    A certificate rests on what its family found and on what the user said of it: where the last key
    to a target goes, its position is taken out of them, and counts as unread again.
    """
    with db.transaction():
        db.many(
            "DELETE FROM keys WHERE pointer = ? AND question = ? AND sign = ?",
            [(key.pointer, key.question, key.sign) for key in keys],
        )
        db.many(
            "DELETE FROM pointers WHERE id = ? AND NOT EXISTS"
            " (SELECT 1 FROM keys WHERE pointer = pointers.id)",
            [(number,) for number in {key.pointer for key in keys}],
        )
        resting = (key for key in keys if key.sign > 0 or key.weight > SAID_ONCE)
        for family, target in dict.fromkeys((key.family, key.target) for key in resting):
            _uncover(db, family, target)
        if keys:
            questions.changed(db)


def drop(db: Database, dropped: Sequence[Pointer]) -> None:
    """Forget pointers with all their keys, in one transaction; as ``drop_keys`` does."""
    with db.transaction():
        drop_keys(db, [key for pointer in dropped for key in pointer.keys])
        db.many("DELETE FROM pointers WHERE id = ?", [(pointer.id,) for pointer in dropped])


def overflowed(db: Database, more: int = 0) -> int:
    """How many pointers the caps have thrown out so far; ``more`` are added to it."""
    thrown = int(settings.kept(db, OVERFLOW, 0)) + more
    if more:
        settings.keep(db, OVERFLOW, thrown)
    return thrown


def count(db: Database) -> tuple[int, int]:
    """How many pointers there are, and how many keys."""
    return (
        int(db.value("SELECT count(*) FROM pointers")),
        int(db.value("SELECT count(*) FROM keys")),
    )


def crowded(db: Database, most: int, limit: int) -> list[int]:
    """Sources with more than ``most`` pointers, at most ``limit`` of them."""
    rows = db.rows(
        "SELECT source FROM pointers GROUP BY source HAVING count(*) > ? LIMIT ?", (most, limit)
    )
    return [source for (source,) in rows]


def oldest_negative(db: Database) -> int:
    """When the key of sign -1 that has lain longest was used last; milliseconds, far ahead if there
    is none."""
    return int(db.value("SELECT coalesce(min(used), ?) FROM keys WHERE sign < 0", (1 << 62,)))


def any_dead(db: Database) -> bool:
    """Whether a pointer leads to something that was deleted."""
    query = "SELECT 1 FROM redirects JOIN pointers ON target = stale WHERE fresh = 0"
    return db.row(query) is not None


def _uncover(db: Database, family: int, target: int) -> None:
    led = db.row(
        "SELECT 1 FROM keys JOIN pointers ON pointers.id = pointer"
        " JOIN questions ON questions.id = question WHERE target = ? AND family = ?",
        (target, family),
    )
    if led is None:
        for seq in set(pieces.positions(db, {target, *pieces.resolve(db, target)}).values()):
            certificates.uncover(db, family, seq)


def _row(key: Key) -> tuple[int | float, ...]:
    statistics = (key.weight, key.tries, key.successes, key.missed, key.used)
    return (key.pointer, key.question, key.sign, *statistics)


def _pointers(db: Database, where: str, bindings: Sequence[int | str]) -> list[Pointer]:
    rows = db.rows(f"SELECT id, source, target, made, used FROM pointers WHERE {where}", bindings)
    keys: dict[int, list[Key]] = {row[0]: [] for row in rows}
    for key in keys_of(db, keys):
        keys[key.pointer].append(key)
    return [
        Pointer(number, source, target, made, used, tuple(keys[number]))
        for number, source, target, made, used in rows
    ]
