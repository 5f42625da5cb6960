"""Graphemes: where one thing that the reader sees as a character ends and the next begins.

Covers what people type: combining marks, variation selectors, skin tones, joined emoji, flags,
keycaps, tag sequences, Hangul syllables in parts, and CR LF.
"""

from __future__ import annotations

import unicodedata

JOINER = "\u200d"


def _extends(char: str) -> bool:
    """Whether a character belongs to the one before it."""
    if char == JOINER or "\U0001f3fb" <= char <= "\U0001f3ff":
        return True
    if "\U000e0020" <= char <= "\U000e007f":
        return True
    return unicodedata.category(char) in ("Mn", "Me", "Mc")


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _hangul(char: str) -> str:
    """``L``, ``V``, ``T`` for the parts of a syllable, ``S`` for a whole one, else empty."""
    if "\u1100" <= char <= "\u115f":
        return "L"
    if "\u1160" <= char <= "\u11a7":
        return "V"
    if "\u11a8" <= char <= "\u11ff":
        return "T"
    return "S" if "\uac00" <= char <= "\ud7a3" else ""


_SYLLABLES = frozenset({"LL", "LV", "LS", "VV", "VT", "SV", "ST", "TT"})


def _joins(text: str, index: int) -> bool:
    """Whether the character at ``index`` belongs to the grapheme of the one before it."""
    before, char = text[index - 1], text[index]
    if before == "\r" and char == "\n":
        return True
    if _extends(char):
        return before not in "\r\n"
    if before == JOINER:
        return ord(char) > 0x2000
    if _is_regional(char) and _is_regional(before):
        run = index
        while run > 0 and _is_regional(text[run - 1]):
            run -= 1
        return (index - run) % 2 == 1
    return (_hangul(before) + _hangul(char)) in _SYLLABLES


def start_of(text: str, index: int) -> int:
    """The start of the grapheme that ends at, or holds, ``index``; 0 at the start of the text."""
    if index <= 0:
        return 0
    index -= 1
    while index > 0 and _joins(text, index):
        index -= 1
    return index


def end_of(text: str, index: int) -> int:
    """The end of the grapheme that begins at ``index``; the length at the end of the text."""
    if index >= len(text):
        return len(text)
    index += 1
    while index < len(text) and _joins(text, index):
        index += 1
    return index


def boundary(text: str, index: int) -> int:
    """``index`` itself where it lies between two graphemes, else the end of the one it is in."""
    if text.isascii():
        return index
    while 0 < index < len(text) and _joins(text, index):
        index += 1
    return index
