"""The place in a file that comes nearest to a text that is not in it, in words for the model."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

MAX_LINES = 50_000
"""Lines of the file that are compared."""
MAX_WORK = 1_200_000
"""Pairs of characters that are compared, about a tenth of a second's work."""
MAX_VOTES = 200_000
"""Equal lines that are counted, over all lines of the wanted text."""
MAX_PLACES = 200
"""Of these, for one line of it."""
_TARGET = 300
"""Characters of a line that are looked for where no line is equal."""
_GRAMS = 24
"""Short pieces of that line by which the rows worth comparing are told."""
MAX_SHOWN = 12
"""Lines of the region that are shown."""
MAX_WIDTH = 200
_ENOUGH = 0.5
"""Likeness, 0 to 1, below which nothing is called near."""


def nearest(text: str, old: str) -> str:
    """A sentence with the closest region, its line numbers and the first differing line.

    ``text`` and ``old`` have LF line ends. Takes bounded time, and says so where that kept it from
    comparing everything.
    """
    there = text.split("\n", MAX_LINES)
    whole = len(there) <= MAX_LINES
    wanted = old.strip("\n").split("\n")
    start, searched = _start(there[:MAX_LINES], wanted)
    cut = "" if whole and searched else " (The file is large, so the search was cut short.)"
    if start is None:
        return f"Nothing in the file is like it; read the file again.{cut}"
    region = there[:MAX_LINES][start : start + len(wanted)]
    shown = [f"{start + i + 1}: {_cut(row)}" for i, row in enumerate(region[:MAX_SHOWN])]
    more = len(region) - len(shown)
    if more > 0:
        shown.append(f"… {more} more lines")
    span = f"line {start + 1}" if len(region) == 1 else f"lines {start + 1}-{start + len(region)}"
    listing = "\n".join(shown)
    return f"Closest is {span}:\n{listing}\n{_difference(region, wanted, start)}{cut}"


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


def _start(there: list[str], wanted: list[str]) -> tuple[int | None, bool]:
    """The index of the line at which the best region begins, and whether all was compared."""
    bare = [row.strip() for row in there]
    goal = [row.strip() for row in wanted]
    votes: Counter[int] = Counter()
    places: dict[str, list[int]] = {}
    for index, row in enumerate(bare):
        if row:
            places.setdefault(row, []).append(index)
    most = max(1, min(MAX_PLACES, MAX_VOTES // len(goal)))
    whole = False
    for offset, row in enumerate(goal):
        found = places.get(row, [])
        # A line that stands everywhere tells little; one that was counted in full is enough.
        whole = whole or 0 < len(found) <= most
        for index in found[:most]:
            votes[index - offset] += 1
    if votes:
        begin = max(votes, key=lambda place: (votes[place], -place))
        return min(max(begin, 0), len(there) - 1), whole
    return _likest(bare, goal)


def _likest(bare: list[str], goal: list[str]) -> tuple[int | None, bool]:
    """No line is equal: the line that is most like the longest of the wanted ones, and whether all
    were compared. Those that share most with it come first."""
    longest = max(range(len(goal)), key=lambda index: len(goal[index]))
    target = goal[longest][:_TARGET]
    if not target:
        return None, True
    matcher = SequenceMatcher(None, "", target, autojunk=False)
    best, place = _ENOUGH, None
    letters = Counter(target)
    work = MAX_WORK
    for index in _promising(bare, target):
        row = bare[index]
        work -= 2 * len(row) + 40
        shared = sum((Counter(row) & letters).values())
        if 2 * shared > best * (len(row) + len(target)):
            work -= len(row) * len(target)
            matcher.set_seq1(row)
            likeness = matcher.ratio()
            if likeness > best:
                best, place = likeness, index
        if work < 0:
            return _begin(place, longest), False
    return _begin(place, longest), True


def _begin(place: int | None, offset: int) -> int | None:
    return None if place is None else max(0, place - offset)


def _promising(bare: list[str], target: str) -> list[int]:
    """The rows whose length allows enough likeness, first those that hold most of the pieces of
    the target, then in their order."""
    size = min(4, max(1, len(target) // 4))
    step = max(size, len(target) // _GRAMS)
    grams = [target[at : at + size] for at in range(0, len(target) - size + 1, step)]
    low, high = len(target) * _ENOUGH / (2 - _ENOUGH), len(target) * (2 - _ENOUGH) / _ENOUGH
    fitting = [
        (-sum(map(row.__contains__, grams)), index)
        for index, row in enumerate(bare)
        if low < len(row) < high
    ]
    return [index for _, index in sorted(fitting)]
