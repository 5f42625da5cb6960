"""Scale: how many tokens a provider makes of characters, learned from what it reported.

A block is made of six things: ASCII letters with blanks, digits, signs, other characters, texts,
and calls with their results; the last two stand for what a provider writes around them. Each is
worth some tokens: to two tokenizers of providers a digit is worth four letters and a sign two, so
that by characters alone a line with its time and address is a fifth too small, and prose a tenth
too large. A report tells the tokens of a whole stretch of blocks, which corrects the six figures a
little: recursive least squares, which is a Kalman filter whose state drifts slowly.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.tokens import ASCII_TOKENS, OTHER_TOKENS

Makeup = tuple[int, int, int, int, int, int]
"""ASCII letters and blanks, digits, signs, other characters, texts, calls and results."""

FAR = 3.0
"""Times that something may be larger or smaller than its worth."""
FEW = 20
"""Tokens by which it may be larger besides."""
NOTHING: Makeup = (0, 0, 0, 0, 0, 0)
_WORTH = (ASCII_TOKENS, 1.0, 0.48, OTHER_TOKENS)
"""Tokens of a letter, a digit, a sign, another character. Fitted to the tokenizers of two providers
they are 0.25, 1.0, 0.47 and 0.75."""
_SPREAD = (0.06, 0.4, 0.15, 0.3, 4.0, 12.0)
"""By how much the figures may be off before anything was reported."""
_LEAST = (0.08, 0.1, 0.1, 0.2, 0.0, 0.0)
_MOST = (0.8, 2.0, 1.5, 3.0, 40.0, 120.0)
"""Figures beyond these are a report's fault."""
UNEVEN = 0.04
"""Share by which two texts of the same makeup differ in tokens."""
_DRIFT = 1.02
"""By how much what was learned grows uncertain with each report: models and texts change."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Tokens for each of the six, and how sure that is."""

    worth: tuple[float, ...]
    doubt: tuple[tuple[float, ...], ...]
    """Covariance of ``worth``."""

    @staticmethod
    def of(ratio: float) -> Scale:
        """Before any report: the usual figures, times the model's tokens for an estimated one."""
        worth = (*(each * ratio for each in _WORTH), 3.0, 8.0)
        doubt = tuple(
            tuple(spread**2 if row == column else 0.0 for column in range(len(_SPREAD)))
            for row, spread in enumerate(_SPREAD)
        )
        return Scale(worth, doubt)

    def tokens(self, makeup: Sequence[int]) -> float:
        """Of something so made up."""
        return sum(worth * times for worth, times in zip(self.worth, makeup, strict=True))

    def variance(self, makeup: Sequence[int]) -> float:
        """Of ``tokens`` for something so made up, as far as the six figures are in doubt."""
        return sum(
            times * sum(each * other for each, other in zip(line, makeup, strict=True))
            for times, line in zip(makeup, self.doubt, strict=True)
            if times
        )

    def likely(self, makeup: Sequence[int], tokens: float) -> bool:
        """Whether something so made up may be so many tokens."""
        worth = self.tokens(makeup)
        return 0 < worth / FAR <= tokens <= worth * FAR + FEW

    def after(self, makeup: Sequence[int], tokens: float) -> Scale:
        """Corrected by a stretch of blocks that turned out to be so many tokens; not by a figure
        that can hardly be theirs."""
        if not self.likely(makeup, tokens):
            return self
        doubt = [
            [min(each * _DRIFT, _SPREAD[row] ** 2) if row == at else each for at, each in line]
            for row, line in ((row, list(enumerate(line))) for row, line in enumerate(self.doubt))
        ]
        pull = [
            sum(each * times for each, times in zip(line, makeup, strict=True)) for line in doubt
        ]
        noise = (UNEVEN * tokens) ** 2 + 4.0
        total = noise + sum(each * times for each, times in zip(pull, makeup, strict=True))
        off = tokens - self.tokens(makeup)
        worth = tuple(
            min(most, max(least, value + off * each / total))
            for value, each, least, most in zip(self.worth, pull, _LEAST, _MOST, strict=True)
        )
        left = tuple(
            tuple(each - pull[row] * pull[at] / total for at, each in enumerate(line))
            for row, line in enumerate(doubt)
        )
        return Scale(worth, left)

    def to_plain(self) -> list[Any]:
        """What JSON holds of it."""
        return [list(self.worth), [list(line) for line in self.doubt]]

    @staticmethod
    def from_plain(plain: list[Any]) -> Scale:
        """What ``to_plain`` wrote."""
        worth, doubt = plain
        return Scale(tuple(worth), tuple(tuple(line) for line in doubt))


def added(makeups: Sequence[Makeup]) -> Makeup:
    """Of several blocks together."""
    if not makeups:
        return NOTHING
    a, b, c, d, e, f = (sum(column) for column in zip(*makeups, strict=True))
    return a, b, c, d, e, f


def of_text(text: str) -> Makeup:
    """Of one text block."""
    return *_signs(text), 1, 0


def of_call(text: str) -> Makeup:
    """Of one call or result, all its texts together."""
    return *_signs(text), 0, 1


_NO_DIGITS = str.maketrans("", "", string.digits)
_NO_SIGNS = str.maketrans("", "", string.punctuation)


def _signs(text: str) -> tuple[int, int, int, int]:
    """Its ASCII letters and blanks, digits, signs, and other characters."""
    plain = text if text.isascii() else text.encode("ascii", "ignore").decode("ascii")
    undigited = plain.translate(_NO_DIGITS)
    letters = len(undigited.translate(_NO_SIGNS))
    digits, signs = len(plain) - len(undigited), len(undigited) - letters
    return letters, digits, signs, len(text) - len(plain)
