"""Text pages: a long text in parts, and the lines in it that hold some words. Offsets count
characters from 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from executors.trim import boundary
from executors.workspace import printable

PAGE = 12_000
"""Characters of a text that are given at once."""
MAX_ROWS = 100
"""Lines of a text that are given at once."""
BEFORE, AFTER = 100, 300
"""Characters around what was found that are shown of a longer line."""


@dataclass(frozen=True, slots=True)
class Passages:
    """Lines that hold what was looked for."""

    rows: tuple[str, ...]
    """``#OFFSET line``, each on one line."""
    end: int
    """Where to look on; 0 when there are no more."""


def page_of(text: str, start: int) -> tuple[str, int]:
    """The part of a text from an offset on, and the offset of its end. A part that is not the
    last ends with a line, or where that would halve it, between two visible signs."""
    end = start + PAGE
    if end >= len(text):
        return text[start:], len(text)
    line = text.rfind("\n", start + PAGE // 2, end) + 1
    end = line or boundary(text, end, -1)
    return text[start:end], end


def passages(text: str, query: str, start: int) -> Passages:
    """The lines from an offset on that hold the query, whatever the case; where none does, those
    that hold all of its words. Of long lines the part around the first place, and then on."""
    for places in (_phrase(text, query, start), _words(text, query.split(), start)):
        rows: list[str] = []
        size = shown = 0
        for begin, end in places:
            row = _row(text, begin, end)
            size += len(row)
            if rows and (size > PAGE or len(rows) == MAX_ROWS):
                return Passages(tuple(rows), shown)
            rows.append(row)
            shown = end
        if rows:
            return Passages(tuple(rows), 0)
    return Passages((), 0)


def _row(text: str, begin: int, end: int) -> str:
    left = "" if begin == 0 or text[begin - 1] == "\n" else "…"
    right = "" if end == len(text) or text[end] == "\n" else "…"
    line = printable(text[begin:end].rstrip("\r").replace("\t", "    "))
    return f"#{begin} {left}{line}{right}"


def _phrase(text: str, query: str, start: int) -> Iterator[tuple[int, int]]:
    """(start, end) of what is shown for each place, never overlapping."""
    expression = re.compile(re.escape(query), re.IGNORECASE)
    while (match := expression.search(text, start)) is not None:
        begin, start = _around(text, match.start(), match.end(), start)
        yield begin, start


def _words(text: str, words: list[str], start: int) -> Iterator[tuple[int, int]]:
    """The same for lines with all of some words; the line is found by its longest one."""
    expressions = [
        re.compile(re.escape(word), re.IGNORECASE) for word in sorted(words, key=len, reverse=True)
    ]
    while (match := expressions[0].search(text, start)) is not None:
        line, line_end = _line(text, match.start())
        if all(other.search(text, line, line_end) for other in expressions[1:]):
            yield _around(text, match.start(), match.end(), start)
        start = line_end


def _line(text: str, place: int) -> tuple[int, int]:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def _around(text: str, first: int, last: int, start: int) -> tuple[int, int]:
    """The line of a find, or where it is long the part of it around the find."""
    line, line_end = _line(text, first)
    if line >= start and line_end - line <= BEFORE + AFTER:
        return line, line_end
    return max(line, start, first - BEFORE), max(last, min(line_end, first + AFTER))
