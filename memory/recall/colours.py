"""Colours: which stretches of the timeline a question need not read again. Pure.

A stretch is deep for a family of questions if a judge read all of it for one of them and missed
nothing, light if it was only passed on a fast path, and none otherwise. Only deep ever lets
anything be skipped, and only for the same family, judge and content: see ``store.certificates``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.recollection import Stretch


def union(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The same positions in as few stretches as can be, in order."""
    joined: list[Stretch] = []
    for each in sorted(stretches, key=lambda each: (each.lo, each.hi)):
        if each.hi < each.lo:
            continue
        if joined and each.lo <= joined[-1].hi + 1:
            joined[-1] = Stretch(joined[-1].lo, max(joined[-1].hi, each.hi))
        else:
            joined.append(each)
    return tuple(joined)


def without(stretches: Iterable[Stretch], taken: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The positions of the first that are in none of the second, in order."""
    gone = union(taken)
    left: list[Stretch] = []
    for each in union(stretches):
        lo = each.lo
        for other in gone:
            if other.hi < lo or other.lo > each.hi:
                continue
            if other.lo > lo:
                left.append(Stretch(lo, other.lo - 1))
            lo = other.hi + 1
        if lo <= each.hi:
            left.append(Stretch(lo, each.hi))
    return tuple(left)


def common(stretches: Iterable[Stretch], others: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The positions that are in both, in order."""
    stretches = union(stretches)
    return without(stretches, without(stretches, others))


def single(positions: Iterable[int]) -> tuple[Stretch, ...]:
    """These positions as stretches."""
    return union(Stretch(position, position) for position in positions)


def holds(stretches: Sequence[Stretch], position: int) -> bool:
    """Whether a position is in any of them."""
    return any(each.lo <= position <= each.hi for each in stretches)


def length(stretches: Iterable[Stretch]) -> int:
    """How many positions these hold, none of them twice."""
    return sum(each.hi - each.lo + 1 for each in union(stretches))


def parts(lo: int, hi: int, most: int) -> tuple[Stretch, ...]:
    """Positions ``lo`` to ``hi`` in at most ``most`` stretches of like length, oldest first."""
    count = hi - lo + 1
    if count < 1 or most < 1:
        return ()
    most = min(most, count)
    edges = [lo + count * number // most for number in range(most + 1)]
    return tuple(Stretch(edges[number], edges[number + 1] - 1) for number in range(most))
