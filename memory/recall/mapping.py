"""Mapping: the whole of what recall has learned, for the map that the user looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory.recall import colours, views
from memory.recall.overview import Bucket, DebtView, MemoryMap
from memory.recollection import Stretch
from memory.store import anchors, certificates, debts, nodes, pointers, questions
from memory.store.database import Database

OWED, DEEP, LIGHT = 0, 1, 2
"""What a position is, whatever else it is for another question; the first wins."""
MOST_OWED = 10_000
"""Debts that colour the strip: all that the ledger holds."""


def memory_map(db: Database, buckets: int, most: int) -> MemoryMap:
    """What is known of the ways through memory: the timeline in at most so many buckets, lists of
    at most ``most``. Positions are told by the best that any question has of them."""
    with db.snapshot():
        owed = debts.every(db, MOST_OWED)
        return MemoryMap(
            buckets=_buckets(db, buckets, [Stretch(debt.lo, debt.hi) for debt, _ in owed]),
            pointers=views.pointer_views(db, most),
            anchors=views.anchor_views(db)[:most],
            debts=tuple(
                DebtView(text, debt.method, debt.lo, debt.hi, debt.hi - debt.lo + 1, debt.tries)
                for debt, text in owed[:most]
            ),
            jumps=views.jump_views(db)[:most],
            pointer_count=pointers.count(db)[0],
            anchor_count=len(anchors.every(db)),
            debt_count=debts.count(db),
            question_count=questions.count(db),
            overflow=sum(room.overflowed(db) for room in (pointers, certificates, debts)),
        )


def _buckets(db: Database, most: int, owed: Sequence[Stretch]) -> tuple[Bucket, ...]:
    parts = colours.parts(1, nodes.last_seq(db), most)
    told = [[0, 0, 0] for _ in parts]
    coloured: dict[int, Sequence[Stretch]] = {OWED: owed}
    for colour, depth in ((DEEP, certificates.DEEP), (LIGHT, certificates.LIGHT)):
        coloured[colour] = [Stretch(lo, hi) for lo, hi in certificates.every(db, depth)]
    place = 0
    for lo, hi, colour in _runs(coloured):
        while place < len(parts) and parts[place].hi < lo:
            place += 1
        # A run may go on through several buckets; the next run may begin in the last of them.
        while place < len(parts) and parts[place].lo <= hi:
            part = parts[place]
            told[place][colour] += min(hi, part.hi) - max(lo, part.lo) + 1
            if part.hi > hi:
                break
            place += 1
    begun = nodes.times(db, [part.lo for part in parts])
    return tuple(
        Bucket(
            *(part.lo, part.hi, begun.get(part.lo, 0), part.hi - part.lo + 1),
            *(seen[DEEP], seen[LIGHT], seen[OWED]),
        )
        for part, seen in zip(parts, told, strict=True)
    )


def _runs(coloured: dict[int, Sequence[Stretch]]) -> Iterator[tuple[int, int, int]]:
    """Stretches of one colour each, in order: where several lie upon each other, the first."""
    ends = [
        (position, step, colour)
        for colour, stretches in coloured.items()
        for each in colours.union(stretches)
        for position, step in ((each.lo, 1), (each.hi + 1, -1))
    ]
    open_now = [0] * len(coloured)
    before = 0
    for position, step, colour in sorted(ends):
        on_top = next((each for each, count in enumerate(open_now) if count), None)
        if on_top is not None and position > before:
            yield before, position - 1, on_top
        open_now[colour] += step
        before = position
