"""Passages: the places of a long text where the words of a question stand.

Pure and deterministic, and fast on megabytes: the text is folded once, sign for sign, so that every
place found in the folded text is the same place in the text; only the lines around such places are
looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from memory.store.segment import match_terms
from memory.tokens import estimate

MOST_PASSAGES = 4
"""A few passages with what stands around them say more than many lines without."""
MOST_TERMS = 32
"""Only the rarest terms of a question choose; a pasted page has thousands."""
MOST_READ = 200_000_000
"""Characters read through for the terms of one question, all terms together: some 0.1 s."""
MOST_PLACES = 2_000
"""Places that are weighed against each other, those of the rarest terms first."""
NEIGHBOUR_CHARS = 200
"""Terms so near to a line count by half: a fact may run over two lines."""
AGAIN = 0.3
"""What a term is still worth once a passage shows it: the next one shall show something else."""
WORTH = 0.3
"""A further passage must be worth this share of the first; else what stands around the first is."""
NOTE_TOKENS = 16
"""Tokens of the note that stands for what is left out."""
SHORT = 4
"""Shorter words must stand alone: ``api`` is not meant by ``rapid``."""

Span = tuple[int, int]
"""From a character up to another one."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A term as it is looked for in folded text."""

    letters: str
    at_start: bool
    """Whether no letter may stand before it."""
    at_end: bool
    """Whether no letter may stand behind it."""
    weight: float = 0.0


def passages(text: str, question: str, limit_tokens: int) -> list[Span]:
    """The passages of a text that bear on a question, in the order of the text, with what stands
    around them, of about ``limit_tokens`` (estimated) together with the notes between them.

    Whole lines, but for lines that are longer than the limit allows. Empty if no term of the
    question stands in the text.
    """
    folded = fold(text)
    needles = _needles(folded, question)
    room = max(40, limit_tokens)
    lines = dict.fromkeys(_line(folded, place, room) for place in _places_of(folded, needles))
    chosen, left = _chosen(text, folded, list(lines), needles, limit_tokens)
    return _widened(text, sorted(chosen), left, room)


def fold(text: str) -> str:
    """Without case, accents and full-width forms, and exactly as long."""
    if text.isascii():
        return text.lower()
    # A capital sigma becomes one of two small ones, by its place in the word.
    return _MARKED.sub(_plain_of, text).lower().replace("\u03c2", "\u03c3")


_MARKED = re.compile("[\u00c0-\u024f\u1e00-\u1eff\uff01-\uff5e\uff66-\uff9d]")


def _plain_of(found: re.Match[str]) -> str:
    return _plain(found[0])


@cache
def _plain(char: str) -> str:
    """The letter without its accent, in its common form; the same where that is no single one."""
    base = unicodedata.normalize("NFKD", char)
    return base[0] if all(map(unicodedata.combining, base[1:])) else char


# ---- what is looked for ----------------------------------------------------------------------


def _needles(folded: str, question: str) -> list[Needle]:
    """The terms that stand in the text, rarest first."""
    lines = folded.count("\n") + 1
    found = []
    terms = match_terms(question)
    most = max(MOST_TERMS // 2, MOST_READ // max(1, len(folded)))
    if len(terms) > most:  # long words are rare ones
        terms = sorted(terms, key=len, reverse=True)[:most]
    for needle in dict.fromkeys(_needle(fold(term)) for term in terms):
        times = sum(1 for _ in _places(folded, needle))
        if times == MOST_PLACES:
            times = max(times, folded.count(needle.letters))
        if times:
            weight = log(1 + max(lines, times) / times)
            found.append(Needle(needle.letters, needle.at_start, needle.at_end, weight))
    return sorted(found, key=lambda needle: -needle.weight)[:MOST_TERMS]


def _needle(term: str) -> Needle:
    root = stem(term)
    short = len(root) < SHORT and term.isascii()
    return Needle(root, at_start=short, at_end=short and root == term)


def stem(term: str) -> str:
    """An English word without its ending, roughly as the index does it: what is left begins every
    form of the word."""
    if not (term.isascii() and term.isalpha()):
        return term
    for ending in ("ations", "ation", "ings", "ing", "ies", "ed", "es", "ly", "s", "e", "y"):
        if term.endswith(ending) and len(term) - len(ending) >= (3 if ending == "s" else 4):
            root = term[: -len(ending)]
            doubled = ending in ("ings", "ing", "ed") and root[-1] == root[-2]
            return root[:-1] if doubled else root
    return term


def _places(folded: str, needle: Needle) -> Iterator[int]:
    """Where a needle stands, at most ``MOST_PLACES`` of them."""
    letters, place, given = needle.letters, -1, 0
    while given < MOST_PLACES and (place := folded.find(letters, place + 1)) >= 0:
        end = place + len(letters)
        if needle.at_start and place and folded[place - 1].isalnum():
            continue
        if needle.at_end and folded[end : end + 1].isalnum():
            continue
        given += 1
        yield place


def _places_of(folded: str, needles: Sequence[Needle]) -> Iterator[int]:
    left = MOST_PLACES
    for needle in needles:
        for place in _places(folded, needle):
            if left == 0:
                return
            left -= 1
            yield place


# ---- what is shown ---------------------------------------------------------------------------


def _line(folded: str, place: int, room: int) -> Span:
    """The line around a place; of one that is longer than ``room`` the part around the place."""
    start = folded.rfind("\n", max(0, place - room), place) + 1
    end = folded.find("\n", place, place + room)
    if start == 0 and place > room:
        start = place - room // 3
    if end < 0:
        end = min(len(folded), place + room)
    if end - start > room:
        start = max(start, place - room // 3)
        end = min(end, start + room)
    return start, end


def _chosen(
    text: str, folded: str, lines: list[Span], needles: Sequence[Needle], limit_tokens: int
) -> tuple[list[Span], float]:
    """The lines to show, and how many tokens are left for what stands around them."""
    weights = {needle.letters: needle.weight for needle in needles}
    held = [(line, *_held(folded, line, needles)) for line in lines]
    chosen: list[Span] = []
    left, first = float(limit_tokens), 0.0
    while held and len(chosen) < MOST_PASSAGES:

        def worth(row: tuple[Span, list[str], list[str]]) -> tuple[float, int]:
            line, own, near = row
            gain = sum(weights[term] for term in own) + sum(weights[term] for term in near) / 2
            return gain, -line[0]

        best = max(held, key=worth)
        gain, line = worth(best)[0], best[0]
        cost = estimate(text[slice(*line)]) + NOTE_TOKENS
        if chosen and (gain < WORTH * first or cost > left):
            break
        first = first or gain
        left -= cost
        chosen.append(line)
        held = [row for row in held if row[0][0] >= line[1] or row[0][1] <= line[0]]
        for term in best[1]:
            weights[term] *= AGAIN
    return chosen, left


def _held(folded: str, line: Span, needles: Sequence[Needle]) -> tuple[list[str], list[str]]:
    """The terms in a line, and those that stand near it only."""
    start, end = line
    inside = folded[start:end]
    around = folded[max(0, start - NEIGHBOUR_CHARS) : end + NEIGHBOUR_CHARS]
    own = [needle.letters for needle in needles if _stands(inside, needle)]
    near = [needle.letters for needle in needles if _stands(around, needle)]
    return own, [letters for letters in near if letters not in own]


def _stands(chunk: str, needle: Needle) -> bool:
    return next(_places(chunk, needle), None) is not None


def _widened(text: str, chosen: list[Span], left: float, room: int) -> list[Span]:
    """The passages with whole lines added around them in turn, below and above, while tokens are
    left; those that meet become one."""
    open_sides = [(number, side) for number in range(len(chosen)) for side in ("below", "above")]
    spans = [list(span) for span in chosen]
    while open_sides:
        still = []
        for number, side in open_sides:
            start, end = spans[number]
            if side == "below":
                most = spans[number + 1][0] if number + 1 < len(spans) else len(text)
                grown = (start, _line_end(text, end, most, room))
            else:
                least = spans[number - 1][1] if number else 0
                grown = (_line_start(text, start, least, room), end)
            added = text[end : grown[1]] if side == "below" else text[grown[0] : start]
            cost = estimate(added)
            if added and cost <= left:
                left -= cost
                spans[number] = list(grown)
                still.append((number, side))
        open_sides = still
    return _joined([(start, end) for start, end in spans])


def _line_end(text: str, end: int, most: int, room: int) -> int:
    """The end of the next line, or the same place where it is too long or there is none."""
    if end >= most or text[end] != "\n":
        return end
    after = text.find("\n", end + 1, end + 1 + room)
    if after < 0:
        after = len(text) if len(text) <= end + 1 + room else end
    return min(after, most)


def _line_start(text: str, start: int, least: int, room: int) -> int:
    """The start of the line before, or the same place where it is too long or there is none."""
    if start <= least or text[start - 1] != "\n":
        return start
    before = text.rfind("\n", max(0, start - 1 - room), start - 1) + 1
    if before == 0 and start - 1 > room:
        return start
    return max(before, least)


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Without the gaps of a line end or nothing."""
    whole: list[Span] = []
    for start, end in spans:
        if whole and start <= whole[-1][1] + 1:
            whole[-1] = (whole[-1][0], max(end, whole[-1][1]))
        else:
            whole.append((start, end))
    return whole
