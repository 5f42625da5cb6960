"""Find the old text of an edit in a file: whatever the line ends, then ever less exactly."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from itertools import pairwise

Spans = tuple[tuple[int, int], ...]
"""(start, end) character positions in the file's text."""

MAX_FOLDED = 2_000_000
"""Characters up to which a file is searched inexactly."""
_GUTTER = re.compile(r"[ \t]*(\d+)(?:\t|[|→:] ?)")
_VARIANTS = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    **dict.fromkeys("\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f", " "),
}
"""Characters that models exchange without noticing."""


class Lines:
    """A text with every line end as one LF, and the way back to the original positions."""

    def __init__(self, text: str, lone: bool) -> None:
        """``lone``: whether a carriage return by itself ends a line, or is data."""
        self._pattern = re.compile(r"\r\n|\r" if lone else r"\r\n")
        self.text = self._pattern.sub("\n", text)
        """The text with LF ends."""
        pairs = [match.start() for match in re.finditer("\r\n", text)]
        self._folded = [place - index for index, place in enumerate(pairs)]

    def plain(self, text: str) -> str:
        """Another text with its line ends as here."""
        return self._pattern.sub("\n", text)

    def original(self, place: int) -> int:
        """The position in the original text of a position in ``text``."""
        return place + bisect_left(self._folded, place)


def spans_of(lines: Lines, old: str, whole_lines: bool = False) -> Spans:
    """Every place where ``old`` stands, overlapping ones too; with ``whole_lines`` only those that
    begin a line."""
    found = []
    place = lines.text.find(old)
    while place >= 0:
        if not whole_lines or place == 0 or lines.text[place - 1] == "\n":
            found.append((lines.original(place), lines.original(place + len(old))))
        place = lines.text.find(old, place + 1)
    return tuple(found)


def indented(text: str, unit: int, loose: bool = False) -> str | None:
    """The text with each ``unit`` spaces of indentation as one tab.

    ``None`` where that changes nothing or leaves a rest; a rest stays as spaces with ``loose``.
    """
    rows = []
    for row in text.split("\n"):
        body = row.lstrip(" ")
        tabs, rest = divmod(len(row) - len(body), unit)
        if rest and body and not loose:
            return None
        rows.append("\t" * tabs + " " * rest + body)
    changed = "\n".join(rows)
    return changed if changed != text else None


def without_gutter(text: str) -> str | None:
    """The text without the line numbers in front of its lines; ``None`` unless every line has
    one and they count up by one."""
    rows = text.split("\n")
    body = rows[:-1] if rows[-1] == "" else rows
    marks = [_GUTTER.match(row) for row in body]
    numbers = [int(mark.group(1)) for mark in marks if mark]
    if len(numbers) < len(body) or any(b - a != 1 for a, b in pairwise(numbers)):
        return None
    bare = [row[mark.end() :] for row, mark in zip(body, marks, strict=True) if mark]
    return "\n".join(bare + rows[len(body) :]) or None


def indented_differently(lines: Lines, old: str) -> tuple[str, str] | None:
    """A line (the file's, the old text's) that differs where the text stands in the file but for
    the blanks around its lines, the first with a tab if any has one; ``None`` where it does not."""
    wanted = old.strip("\n").split("\n")
    there = lines.text.split("\n")
    bare = _bare(wanted)
    if not bare.strip():
        return None
    # One search in one text takes time in proportion to it; comparing rows at every line does not.
    stripped = _bare(there)
    place = stripped.find(bare)
    if place < 0:
        return None
    start = stripped.count("\n", 0, place)
    rows = zip(there[start : start + len(wanted)], wanted, strict=True)
    pairs = [pair for pair in rows if pair[0] != pair[1]]
    tabbed = [pair for pair in pairs if "\t" in "".join(pair)]
    return next(iter(tabbed or pairs), None)


def _bare(rows: list[str]) -> str:
    """The rows without the blanks around them, a line end before each and after the last."""
    return "\n".join(["", *(row.strip() for row in rows), ""])


def fold_spans(lines: Lines, old: str) -> Spans:
    """Where ``old`` stands when quotes, dashes, blanks, compatibility forms and blanks at line
    ends count as equal. Never cuts a character in two."""
    if len(lines.text) > MAX_FOLDED:
        return ()
    wanted, _ = _fold(old)
    if not wanted.strip():
        return ()
    if wanted not in _folded_text(lines.text):
        return ()
    folded, origin = _fold(lines.text)
    found = []
    place = folded.find(wanted)
    while place >= 0:
        end = place + len(wanted)
        if _between(folded, origin, place) and _between(folded, origin, end):
            last = origin[end - 1] + 1
            found.append((lines.original(origin[place]), lines.original(last)))
        place = folded.find(wanted, place + 1)
    return tuple(found)


def _fold(text: str) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the position that it came from."""
    out: list[str] = []
    origin: list[int] = []
    place = 0
    rows = text.split("\n")
    for index, row in enumerate(rows):
        last = index == len(rows) - 1
        kept = row if last else row.rstrip()
        for offset, char in enumerate(kept):
            plain = _folded(char)
            out.append(plain)
            origin.extend([place + offset] * len(plain))
        if not last:
            out.append("\n")
            origin.append(place + len(row))
        place += len(row) + 1
    return "".join(out), origin


def _folded_text(text: str) -> str:
    """The first half of ``_fold``, without the positions, which take ten times as long."""
    *rows, last = text.split("\n")
    kept = "\n".join([*(row.rstrip() for row in rows), last])
    if kept.isascii():
        return kept
    return kept.translate({ord(char): _folded(char) for char in set(kept)})


def _folded(char: str) -> str:
    if char < "\x80":
        return char
    return _VARIANTS.get(char) or unicodedata.normalize("NFKD", char)


def _between(folded: str, origin: list[int], place: int) -> bool:
    """Whether a cut here stands between two characters of the original, marks included."""
    if place in (0, len(folded)):
        return True
    return origin[place] != origin[place - 1] and not unicodedata.combining(folded[place])
