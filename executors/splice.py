"""Splice new lines into a stretch of text: equal lines stay as they are, line ends as they were."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

Part = str | tuple[int, int]
"""New text, or a stretch (start, end) of the old text that stays."""

_ANY_END = re.compile(r"\r\n|\r|\n")
_LF_END = re.compile(r"\r\n|\n")
MAX_COMPARED = 2_000
"""Lines up to which equal ones inside the stretch are looked for; beyond, at its ends only."""


def splice(text: str, start: int, end: int, old: str, new: str, lone: bool) -> list[Part]:
    """``new`` in place of ``text[start:end]``, which ``old`` named. ``lone``: whether a carriage
    return by itself ends a line.

    Lines that old and new share are kept from the text. A new line ends as the line that it
    replaces, else as the one before it.
    """
    stretch = text[start:end]
    if _deliberate(stretch, old, new):
        return [new]
    pattern = _ANY_END if lone else _LF_END
    there = _rows(stretch, start, pattern)
    old_rows, new_rows = _split(pattern.sub("\n", old)), _split(pattern.sub("\n", new))
    if len(there) != len(old_rows):
        return [pattern.sub(_neighbour(text, start, end, pattern), new)]
    style = _neighbour(text, start, end, pattern)
    parts: list[Part] = []
    for tag, low, high, new_low, new_high in _changes(old_rows, new_rows):
        if tag == "equal":
            parts.append((there[low][0], there[high - 1][1]))
        else:
            ends = [row[2] for row in there[low:high] if row[2]]
            before = there[low - 1][2] if low else ""
            parts.append(_written(new_rows[new_low:new_high], ends, before or style))
    return parts


def _deliberate(stretch: str, old: str, new: str) -> bool:
    """The edit is about the line ends themselves: old is verbatim and only they differ."""
    return (
        stretch == old
        and "\r" in old + new
        and _ANY_END.sub("\n", old) == _ANY_END.sub("\n", new)
    )  # fmt: skip


def _split(text: str) -> list[str]:
    rows = text.split("\n")
    return [row + "\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _rows(stretch: str, offset: int, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """(start, end, line end) of each line of the stretch, at positions of the whole text."""
    rows = []
    place = 0
    for match in pattern.finditer(stretch):
        rows.append((offset + place, offset + match.end(), match.group()))
        place = match.end()
    if place < len(stretch):
        rows.append((offset + place, offset + len(stretch), ""))
    return rows


def _changes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    if len(old) + len(new) <= MAX_COMPARED:
        return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    rows = [
        ("equal", 0, head, 0, head),
        ("replace", head, len(old) - tail, head, len(new) - tail),
        ("equal", len(old) - tail, len(old), len(new) - tail, len(new)),
    ]
    return [row for row in rows if row[1] < row[2] or row[3] < row[4]]


def _written(rows: list[str], ends: list[str], style: str) -> str:
    out = []
    for index, row in enumerate(rows):
        if row.endswith("\n"):
            style = ends[index] if index < len(ends) else ends[-1] if ends else style
            row = row[:-1] + style
        out.append(row)
    return "".join(out)


def _neighbour(text: str, start: int, end: int, pattern: re.Pattern[str]) -> str:
    """The end of the line that the stretch stands in, else of the one before, else LF."""
    window = 1 << 16
    after = pattern.search(text, end, end + window)
    if after:
        return after.group()
    before = list(pattern.finditer(text, max(0, start - window), start))
    if before:
        return before[-1].group()
    return "\r" if "\r" in text else "\n"
