"""Line breaks: where a line may be broken that has Chinese or Japanese in it.

Textual breaks at spaces alone, and such text has none: a whole sentence would be pushed into the
next row. Here a row may end after any ideograph, but a closing sign never begins a row and an
opening one never ends it.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells
from textual.content import Content

_OPENING = "（〔［｛〈《「『【〖“‘"
_CLOSING = "，。、．！？；：）〕］｝〉》」』】〗”’…·～ー々"
_IDEOGRAPHS = (
    "\u2e80-\u303f\u3040-\u31ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
)
_ALONE = re.compile(f"[{_IDEOGRAPHS}]")
_UNIT = re.compile(
    rf"\s+"
    rf"|[{_OPENING}]*[{_IDEOGRAPHS}][{_CLOSING},.;:!?)\]}}]*"
    rf"|[{_OPENING}]*[^\s{_IDEOGRAPHS}{_OPENING}]+[{_CLOSING}]*"
    rf"|[{_OPENING}]+"
)
"""Spaces, an ideograph or a word, each with the signs that must not be parted from it."""


def broken(line: Content, room: int) -> list[Content]:
    """One source line in rows of at most ``room`` cells (at least 2)."""
    if not _ALONE.search(line.plain):
        return line.wrap(room)
    return [line[start:end] for start, end in spans(line.plain, room)]


def spans(text: str, room: int) -> list[tuple[int, int]]:
    """Start and end of each row; the spaces at which a row was broken belong to none."""
    rows: list[tuple[int, int]] = []
    start = end = cells = 0
    for unit in _UNIT.finditer(text):
        taken = cell_len(unit.group())
        if cells + taken > room and end > start:
            rows.append((start, end))
            start = end = unit.end() if unit.group().isspace() else unit.start()
            cells = 0
            if unit.group().isspace():
                continue
        if taken > room:
            for piece in chop_cells(unit.group(), room)[:-1]:
                rows.append((start, start + len(piece)))
                start += len(piece)
            taken = cell_len(text[start : unit.end()])
        cells += taken
        end = unit.end()
    if end > start or not rows:
        rows.append((start, end))
    return [(first, first + len(text[first:last].rstrip())) for first, last in rows]
