"""Coverage: what was read for a family of questions, what it found, and what is left.

All of it is looked up and nothing is changed: for that see ``ledger``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memory.recall import colours
from memory.recollection import Stretch
from memory.store import certificates, nodes, pieces, pointers, questions
from memory.store.certificates import Certificate, Reading
from memory.store.database import Database
from memory.store.pointers import Key

SAID_BY_JUDGE = 1.0
"""What a judge's no weighs. A question that was misled by more was so by what the user said: no
judge takes that back."""


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is known to bear on questions of a family."""

    place: int
    """Where it is now."""
    key: Key
    """By which it is known; its target is where it was then."""
    text: str
    """The past question."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read for a family by one judge."""

    stretches: tuple[Stretch, ...] = ()
    stale: tuple[int, ...] = ()
    """Numbers of certificates that no longer hold, since what stood there has changed."""


def coverage(
    db: Database, reading: Reading, holds: Callable[[Database, Certificate], bool]
) -> Coverage:
    """What need not be read again. ``holds``: see ``Checked``."""
    known = certificates.of(db, reading)
    good = {each.id: holds(db, each) for each in known}
    return Coverage(
        colours.union(Stretch(each.lo, each.hi) for each in known if good[each.id]),
        tuple(each.id for each in known if not good[each.id]),
    )


class Checked:
    """Whether certificates still hold, looked up once each as long as nothing was retired."""

    def __init__(self, most: int = 10_000) -> None:
        self._seen: dict[int, bool] = {}
        self._retired, self._most = -1, most

    def holds(self, db: Database, each: Certificate) -> bool:
        """Whether what the certificate was written for stands there still."""
        retired = certificates.retirements(db)
        if retired != self._retired or len(self._seen) >= self._most:
            self._seen, self._retired = {}, retired
        if each.id not in self._seen:
            self._seen[each.id] = certificates.contents(db, each.lo, each.hi) == each.hash
        return self._seen[each.id]


def known(db: Database, family: int) -> list[Known]:
    """What questions of a family found, where it is now, each place once: what was confirmed most
    often first."""
    found: dict[int, Known] = {}
    keys = [key for key in pointers.keys_of_family(db, family) if key.sign > 0] if family else []
    texts = {each.id: each.text for each in questions.by_ids(db, [key.question for key in keys])}
    for key in sorted(keys, key=lambda key: (-key.weight, -key.used, key.pointer)):
        for place in pieces.resolve(db, key.target):
            found.setdefault(place, Known(place, key, texts[key.question]))
    return list(found.values())


def refused(db: Database, family: int) -> frozenset[int]:
    """Places of which the user said that they are wrong for questions of a family. What superseded
    such a memory says something else, and is none of them."""
    keys = pointers.keys_of_family(db, family) if family else []
    said = {key.target for key in keys if key.sign < 0 and key.weight > SAID_BY_JUDGE}
    found = set()
    for target in said:
        there = pieces.position(db, target)
        at = pieces.positions(db, pieces.resolve(db, target))
        found |= {place for place, seq in at.items() if there in (None, seq)}
    return frozenset(found)


def unread(
    db: Database, read: Iterable[Stretch], last: int, holes: Iterable[int] = ()
) -> tuple[Stretch, ...]:
    """The stretches up to a position that hold something and were not read. ``holes``: positions
    that count as unread whatever was read."""
    seen = colours.without(read, colours.single(holes))
    return tuple(
        each
        for each in colours.without([Stretch(1, last)], seen)
        if nodes.any_between(db, each.lo, each.hi)
    )


def unread_places(db: Database, named: Iterable[int], read: Sequence[Stretch]) -> list[int]:
    """Places among these, or what stands for them, that lie where nobody has read."""
    places = list(dict.fromkeys(p for place in named for p in pieces.resolve(db, place)))
    at = pieces.positions(db, places)
    return [place for place in places if place in at and not colours.holds(read, at[place])]
