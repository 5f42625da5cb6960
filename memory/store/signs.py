"""Signs: cutting a text to a number of tokens without tearing a visible sign apart."""

from __future__ import annotations

import unicodedata
from itertools import accumulate, takewhile

from memory.tokens import ASCII_TOKENS, OTHER_TOKENS, estimate

MORE = "…"
"""Stands for what was cut off."""
_FAR = 64
"""Characters that one visible sign may take at most before it is cut all the same."""


def cut(text: str, tokens: int) -> str:
    """The text, or its beginning and ``…``, of at most ``tokens`` estimated tokens."""
    # The first test spares a long text being counted.
    if len(text) * ASCII_TOKENS < tokens + 1 and estimate(text) <= tokens:
        return text
    # Rounding is kept out of the sum, so the estimate of what is left cannot exceed the limit.
    costs = accumulate(ASCII_TOKENS if char < "\x80" else OTHER_TOKENS for char in text)
    fits = takewhile(lambda spent: spent + OTHER_TOKENS <= tokens, costs)
    return _ended(text, sum(1 for _ in fits)) if tokens > 0 else ""


def cut_chars(text: str, characters: int) -> str:
    """The text, or its beginning and ``…``, of at most so many characters."""
    if len(text) <= characters:
        return text
    return _ended(text, characters - 1) if characters > 0 else ""


def boundary(text: str, place: int) -> int:
    """The nearest place at or before ``place`` that is not inside a visible sign."""
    for nearer in range(place, max(-1, place - _FAR), -1):
        if nearer <= 0 or nearer >= len(text) or not _joined(text, nearer):
            return min(max(nearer, 0), len(text))
    return place


def _ended(text: str, place: int) -> str:
    """The text up to a place, at a word's end where one is near."""
    place = boundary(text, place)
    space = text.rfind(" ", place - place // 4, place + 1)
    return text[: space if space > 0 else place].rstrip() + MORE


def _joined(text: str, place: int) -> bool:
    """Whether the characters on both sides make one sign: CR LF, surrogates, marks, joiners, skin
    tones, tags, flags, jamo."""
    left, right = text[place - 1], text[place]
    if right < "\x80":
        return left == "\r" and right == "\n"
    if "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff":
        return True
    if "\u200d" in (left, right) or "\U0001f3fb" <= right <= "\U0001f3ff":
        return True
    if unicodedata.category(right) in ("Mn", "Mc", "Me") or "\U000e0020" <= right <= "\U000e007f":
        return True
    if _flag(left) and _flag(right):
        before = place
        while before > 0 and _flag(text[before - 1]):
            before -= 1
        return (place - before) % 2 == 1
    return _jamo(left) and "\u1160" <= right <= "\u11ff"


def _flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _jamo(char: str) -> bool:
    return "\u1100" <= char <= "\u11ff" or "\uac00" <= char <= "\ud7a3"
