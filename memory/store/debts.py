"""Debts on file: stretches of the timeline that were leapt over, owed to a family of questions.

Within a family they have no position in common: each is owed once. What is read is taken out of
them in the transaction that writes what was found, so a process that is killed goes on where it
was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory.config import MOST_DEBTS
from memory.recollection import Stretch
from memory.store import settings
from memory.store.certificates import Method
from memory.store.database import Database

OVERFLOW = "ledger:debts"
"""Key of the count of debts that the cap has thrown out."""

_COLUMNS = "id, family, method, lo, hi, cursor, worth, tries, at"


@dataclass(frozen=True, slots=True)
class Debt:
    """One stretch, both ends included."""

    id: int
    family: int
    method: Method
    lo: int
    hi: int
    cursor: int
    """Read down to here, and not beyond: where the next instalment goes on."""
    worth: float
    """How likely something is to be found there, as far as can be told; larger is more."""
    tries: int
    """How often in a row an instalment came to nothing, because no judge answered."""
    at: int
    """Milliseconds, UTC."""


def of_family(db: Database, family: int, method: Method) -> list[Debt]:
    """What a family is owed, in the order of the timeline."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM debts WHERE family = ? AND method = ? ORDER BY lo",
        (family, method),
    )
    return [Debt(*row) for row in rows]


def replace(
    db: Database,
    family: int,
    method: Method,
    stretches: Iterable[Stretch],
    *,
    worth: float,
    at: int,
) -> None:
    """Owe a family these stretches (which have nothing in common) and no others, in one
    transaction. One that was owed before keeps its age and its tries."""
    with db.transaction():
        before = of_family(db, family, method)
        db.execute("DELETE FROM debts WHERE family = ? AND method = ?", (family, method))
        for each in stretches:
            old = [debt for debt in before if debt.lo <= each.hi and each.lo <= debt.hi]
            since = min((debt.at for debt in old), default=at)
            tries = max((debt.tries for debt in old), default=0)
            most = max((debt.worth for debt in old), default=worth)
            db.execute(
                "INSERT INTO debts (family, method, lo, hi, cursor, worth, tries, at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (family, method, each.lo, each.hi, each.hi, max(worth, most), tries, since),
            )


def in_turn(db: Database, method: Method) -> list[Debt]:
    """The debts in the order in which they are paid: first what failed least often, then what is
    worth most, then the newest."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM debts WHERE method = ?"
        " ORDER BY tries, worth DESC, at DESC, id DESC",
        (method,),
    )
    return [Debt(*row) for row in rows]


def tried(db: Database, family: int, *, failed: bool) -> None:
    """Count an instalment for a family that came to nothing; one that did not ends the row."""
    change = "tries + 1" if failed else "0"
    db.execute(f"UPDATE debts SET tries = {change} WHERE family = ?", (family,))


def every(db: Database, limit: int) -> list[tuple[Debt, str]]:
    """The debts with the question that each family is known by, the most worth first."""
    rows = db.rows(
        "SELECT debts.id, debts.family, method, lo, hi, cursor, worth, tries, debts.at, text"
        " FROM debts JOIN questions ON questions.id = debts.family"
        " ORDER BY worth DESC, debts.at DESC, debts.id DESC LIMIT ?",
        (limit,),
    )
    return [(Debt(*row[:-1]), row[-1]) for row in rows]


def count(db: Database) -> int:
    """How many debts there are."""
    return int(db.value("SELECT count(*) FROM debts"))


def cap(db: Database, most: int | None = None) -> int:
    """Forget those worth least, of these the oldest, of too many; how many. What they held stays
    unread, and is owed again when it is leapt over again."""
    most = MOST_DEBTS if most is None else most
    over = count(db) - most
    if over > 0:
        db.execute(
            "DELETE FROM debts WHERE id IN (SELECT id FROM debts ORDER BY worth, at, id LIMIT ?)",
            (over,),
        )
        overflowed(db, over)
    return max(0, over)


def overflowed(db: Database, more: int = 0) -> int:
    """How many debts the cap has thrown out so far; ``more`` are added to it."""
    thrown = int(settings.kept(db, OVERFLOW, 0)) + more
    if more:
        settings.keep(db, OVERFLOW, thrown)
    return thrown
