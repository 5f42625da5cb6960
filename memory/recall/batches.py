"""Batches: how raw text is put before a judge, so that no call is larger than it can read. Pure.

A place whose text is too long for one call is read in windows. It bears on the question if one of
them does, and does not only if none does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.config import BATCH_CANDIDATES, JUDGED_OVERHEAD
from memory.recollection import Candidate
from memory.store import cutting
from memory.tokens import estimate

Answer = Literal["yes", "no", "unknown"]

LEAST_WINDOW = 64
"""Tokens of text that a window has at least, however small a judge says it is."""


@dataclass(frozen=True, slots=True)
class Part:
    """A place, or a window of one that is too long."""

    place: int
    candidate: Candidate
    tokens: int
    """Estimated, with what it costs besides."""


def room(window: int, question: str) -> int:
    """Tokens that the candidates of one call may take beside the question."""
    return max(LEAST_WINDOW + JUDGED_OVERHEAD, window - estimate(question))


def parts(place: int, text: str, most: int) -> list[Part]:
    """A place's text in parts of at most about ``most`` tokens each; one even of an empty text."""
    fits = max(LEAST_WINDOW, most - JUDGED_OVERHEAD)
    whole = estimate(text) <= fits
    # Cut finer than what fits: a break is looked for around the size that is aimed at.
    spans = [(0, len(text))] if whole else cutting.cut(text, int(fits / cutting.LONGEST))
    return [
        Part(place, Candidate(_name(place, number), told), estimate(told) + JUDGED_OVERHEAD)
        for number, (lo, hi) in enumerate(spans)
        for told in (text[lo:hi],)
    ]


def fill(waiting: Sequence[Part], most: int) -> int:
    """How many of the first parts go into one call; at least one if there is any."""
    tokens = 0
    for number, part in enumerate(waiting[:BATCH_CANDIDATES]):
        tokens += part.tokens
        if number and tokens > most:
            return number
    return min(len(waiting), BATCH_CANDIDATES)


def answer(names: Iterable[str], answers: Mapping[str, Answer]) -> Answer:
    """What the answers to the windows of a place say of the place."""
    said = {answers.get(name, "unknown") for name in names}
    return "yes" if "yes" in said else "no" if said == {"no"} else "unknown"


def _name(place: int, number: int) -> str:
    """Names a part; no text holds it by chance, and it is the same each time."""
    return "m" + hashlib.sha256(f"{place}:{number}".encode()).hexdigest()[:7]
