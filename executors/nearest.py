"""The place in a file that comes nearest to a text that is not in it, in words for the model."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

MAX_LINES = 50_000
"""Lines of the file that are compared."""
MAX_SHOWN = 12
"""Lines of the region that are shown."""
MAX_WIDTH = 200
_ENOUGH = 0.5
"""Likeness, 0 to 1, below which nothing is called near."""


def nearest(text: str, old: str) -> str:
    """A sentence with the closest region, its line numbers and the first differing line.

    ``text`` and ``old`` have LF line ends.
    """
    there = text.split("\n")[:MAX_LINES]
    wanted = old.strip("\n").split("\n")
    start = _start(there, wanted)
    if start is None:
        return "Nothing in the file is like it; read the file again."
    region = there[start : start + len(wanted)]
    shown = [f"{start + i + 1}: {_cut(row)}" for i, row in enumerate(region[:MAX_SHOWN])]
    more = len(region) - len(shown)
    if more > 0:
        shown.append(f"… {more} more lines")
    span = f"line {start + 1}" if len(region) == 1 else f"lines {start + 1}-{start + len(region)}"
    listing = "\n".join(shown)
    return f"Closest is {span}:\n{listing}\n{_difference(region, wanted, start)}"


def _difference(region: list[str], wanted: list[str], start: int) -> str:
    for index, row in enumerate(wanted):
        if index >= len(region):
            return f"The file ends there; old goes on with {_cut(row)!r}."
        if region[index] != row:
            return (
                f"First difference, line {start + index + 1}: the file has "
                f"{_around(region[index], row)!r}, old has {_around(row, region[index])!r}."
            )
    return "They differ only in the blank lines around."


def _around(row: str, other: str) -> str:
    """The line, cut to where it differs if it is long."""
    if len(row) <= MAX_WIDTH:
        return row
    same = next((i for i, (a, b) in enumerate(zip(row, other, strict=False)) if a != b), 0)
    low = max(0, same - MAX_WIDTH // 2)
    return ("…" if low else "") + row[low : low + MAX_WIDTH] + "…"


def _cut(row: str) -> str:
    return row if len(row) <= MAX_WIDTH else row[:MAX_WIDTH] + "…"


def _start(there: list[str], wanted: list[str]) -> int | None:
    """The index of the line at which the best region begins."""
    bare = [row.strip() for row in there]
    goal = [row.strip() for row in wanted]
    votes: Counter[int] = Counter()
    places: dict[str, list[int]] = {}
    for index, row in enumerate(bare):
        if row:
            places.setdefault(row, []).append(index)
    for offset, row in enumerate(goal):
        for index in places.get(row, [])[:200]:
            votes[index - offset] += 1
    if votes:
        begin = max(votes, key=lambda place: (votes[place], -place))
        return min(max(begin, 0), len(there) - 1)
    return _likest(bare, goal)


def _likest(bare: list[str], goal: list[str]) -> int | None:
    """No line is equal: the line that is most like the longest of the wanted ones."""
    longest = max(range(len(goal)), key=lambda index: len(goal[index]))
    target = goal[longest][:1_000]
    if not target:
        return None
    matcher = SequenceMatcher(None, "", target, autojunk=False)
    best, place = _ENOUGH, None
    letters = Counter(target)
    for index, row in enumerate(bare):
        if not row or len(row) > 4 * len(target) + 40:
            continue
        shared = sum((Counter(row) & letters).values())
        if 2 * shared <= best * (len(row) + len(target)):
            continue
        matcher.set_seq1(row)
        likeness = matcher.ratio()
        if likeness > best:
            best, place = likeness, index
    return None if place is None else max(0, place - longest)
