"""Trim what is too long for the prompt: both ends stay, the middle becomes one line."""

from __future__ import annotations

import unicodedata

_FAR = 64
"""Characters that one visible sign may take at most before it is cut all the same."""


def trim(text: str, limit_chars: int, address: str) -> str:
    """The text itself, or at most ``limit_chars`` of it around a line that says how much is left
    out and how to read all of it from ``address`` (``mem://…``).

    Cuts stand at line ends where there is one in the outer half of an end, and never inside a
    visible sign. Only a limit that is shorter than that line is exceeded, by the line.
    """
    if len(text) <= limit_chars:
        return text
    room = max(0, limit_chars - len(_note(len(text), text.count("\n"), address)) - 2)
    head_end = _head_end(text, room // 2)
    tail_start = _tail_start(text, len(text) - (room - room // 2))
    gone = text[head_end:tail_start]
    head, tail = text[:head_end], text[tail_start:]
    before = "" if not head or head.endswith("\n") else "\n"
    return f"{head}{before}{_note(len(gone), gone.count(chr(10)), address)}\n{tail}"


def _note(characters: int, lines: int, address: str) -> str:
    rows = f"{lines} lines, " if lines > 1 else ""
    return (
        f"[… {rows}{characters} characters left out; "
        f'recall {{"address": "{address}"}} reads all in parts …]'
    )


def _head_end(text: str, place: int) -> int:
    line = text.rfind("\n", 0, place) + 1
    return line if line >= place // 2 and line else boundary(text, place, -1)


def _tail_start(text: str, place: int) -> int:
    line = text.find("\n", max(0, place - 1)) + 1
    half = place + (len(text) - place) // 2
    return line if 0 < line <= half else boundary(text, place, 1)


def boundary(text: str, place: int, step: int) -> int:
    """The nearest place in the direction of ``step`` that is not inside a visible sign."""
    for moved in range(place, place + step * _FAR, step):
        if moved <= 0 or moved >= len(text) or not _joined(text, moved):
            return min(max(moved, 0), len(text))
    return place


def _joined(text: str, place: int) -> bool:
    """Whether the characters on both sides make one sign: marks, joiners, flags, jamo, CR LF."""
    left, right = text[place - 1], text[place]
    if left == "\r" and right == "\n":
        return True
    if "\u200d" in (left, right) or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if unicodedata.category(right) in ("Mn", "Mc", "Me") or "\U000e0020" <= right <= "\U000e007f":
        return True
    if _flag(left) and _flag(right):
        run = place
        while run > 0 and _flag(text[run - 1]):
            run -= 1
        return (place - run) % 2 == 1
    return _jamo(left) and "\u1160" <= right <= "\u11ff"


def _flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\uac00" <= char <= "\ud7a3"
