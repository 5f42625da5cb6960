"""Excerpt: the passages of a text that tell most, within some tokens, in their order. Pure.

A passage is worth the words in it that are rare in the text itself, what it signals (an error, a
definition, a conclusion, a place), and whether it begins or ends the text. What was shown once is
worth less the next time, so that a log of ten thousand equal lines gives one of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log, sqrt

from memory.context.passages import AGAIN, Span
from memory.context.signals import (
    concludes,
    errors,
    is_definition,
    is_error,
    is_specific,
    is_status,
    is_telling,
    lowered,
    names_a_place,
    offers,
)
from memory.store.signs import boundary, cut
from memory.store.stopwords import ENGLISH
from memory.tokens import ASCII_TOKENS, estimate

NOTE = "[…]"
"""Stands for what is left out."""
NOTE_COST = estimate(f"\n{NOTE}\n")
LOOK = 24
"""Units among which the next best is sought."""
UNIT_CHARS = 240
"""A longer line is cut into pieces of about so many characters, at sentences where it has some."""
DENSE_CHARS = 40
"""Pieces of other scripts than Latin are a third as long, but not shorter than this: a sign of
Chinese says as much as some letters."""
MOST_UNITS = 200
"""Units that are weighed by their words. Of more, one stands for all that differ by their figures
only; of those the ends, the errors, and the likeliest of each stretch between."""
LIKELY_CHARS = 120
"""A unit as long says enough."""
END_SHARE = 0.3
"""Of the tokens, what the first unit, and the last one, may take before all others."""
ONCE = 0.6
"""What a word that stands once is worth of its rarity: it may be a slip or a hash."""
MOST_WORDS = 40
"""Words of one unit that count."""

_SENTENCE_ENDS = (". ", "! ", "? ", "。", "！", "？", "；")
_CLAUSE_ENDS = (", ", "; ", ": ", "，", "：", "、")
_WORD = re.compile(r"[a-z_][a-z0-9_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}|\d{2,}")


@dataclass(frozen=True, slots=True, eq=False)
class _Unit:
    span: Span
    cost: int
    words: list[str]
    bonus: float


def excerpt(text: str, tokens: int) -> str:
    """The telling passages of a text, of at most ``tokens`` estimated tokens with the notes for the
    gaps between them; the whole text where it fits. Line ends become ``\\n`` and letters NFC."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.strip("\n")
    # The first test spares a long text being counted.
    if len(text) * ASCII_TOKENS < tokens + 1 and estimate(text) <= tokens:
        return cut(unicodedata.normalize("NFC", text), tokens)
    units = _units(text, min(UNIT_CHARS, max(40, tokens)))
    chosen = _chosen(units, _rarity(units), tokens)
    if not chosen:
        return cut(unicodedata.normalize("NFC", text[: 8 * tokens]), tokens)
    return _written(text, sorted(unit.span for unit in chosen), tokens)


def _units(text: str, longest: int) -> list[_Unit]:
    """What can be chosen, in the order of the text."""
    wrong = errors(text, lowered(text))
    spans = _fewer(text, _lines(text), wrong)
    spans = [part for span in spans for part in _parts(text, span, longest)]
    if len(spans) > MOST_UNITS:
        spans = _likeliest(text, spans, {start for start, _ in wrong})
    units = []
    for start, end in spans:
        shown = text[start:end]
        if is_telling(shown):
            words = [word for word in _WORD.findall(shown.lower()) if word not in ENGLISH]
            cost = estimate(shown) + 1
            units.append(_Unit((start, end), cost, words[:MOST_WORDS], _signals(shown)))
    return units


def _lines(text: str) -> list[Span]:
    """Where each line stands."""
    spans = []
    start = 0
    for line in text.split("\n"):
        spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


def _fewer(text: str, lines: list[Span], wrong: Sequence[Span]) -> list[Span]:
    """Of very many lines one of each kind: those that differ by figures alone, such as times,
    counts and hashes, are of one kind. The first of it stands for all; ends and errors stand for
    themselves."""
    if len(lines) <= MOST_UNITS:
        return [(start, end) for start, end in lines if end > start]
    raw = text.encode("utf-8", "replace")
    for figures in (b"0123456789", b"0123456789abcdefABCDEF"):
        kinds: dict[bytes, Span] = {}
        # No byte of a longer sign is one of these, so the lines stay the same.
        for line, span in zip(raw.translate(None, figures).split(b"\n"), lines, strict=True):
            kinds.setdefault(line, span)
        if len(kinds) <= MOST_UNITS:
            break
    ends = [line for line in lines if line[1] > line[0]]
    chosen = {*kinds.values(), *ends[:4], *ends[-4:], *wrong}
    return sorted(span for span in chosen if span[1] > span[0])


def _parts(text: str, span: Span, longest: int) -> Iterator[Span]:
    """A line; of a long one its sentences, together as far as they are short; of a sentence that is
    long itself, pieces."""
    start, end = span
    if end - start > DENSE_CHARS and not text[start:end].isascii():
        longest = max(DENSE_CHARS, longest // 3)
    while end - start > longest:
        stop = _stop(text, start, longest)
        yield start, stop
        start = stop
    if end > start:
        yield start, end


def _stop(text: str, start: int, longest: int) -> int:
    """Where a piece ends that begins at ``start``: at a sentence's end, else a clause's, else a
    word's, else a sign's."""
    for marks in (_SENTENCE_ENDS, _CLAUSE_ENDS, (" ",)):
        least = start + longest // 4
        stop = max(text.rfind(mark, least, start + longest) + len(mark) for mark in marks)
        if stop > least:
            return stop
    return max(start + 1, boundary(text, start + longest))


def _likeliest(text: str, spans: list[Span], wrong: AbstractSet[int]) -> list[Span]:
    """The ends, some errors, and of each stretch between the one that is likeliest to tell: not
    indented, and long."""
    told = [span for span in spans if span[0] in wrong]
    most, ends = MOST_UNITS // 8, MOST_UNITS // 12
    told = [*told[: most // 2], *told[-most:]]
    stretch = -(-len(spans) // (MOST_UNITS - 2 * ends - len(told)))

    def likely(span: Span) -> tuple[bool, int]:
        start, end = span
        return not text[start].isspace(), min(end - start, LIKELY_CHARS)

    between = (
        max(spans[place : place + stretch], key=likely) for place in range(0, len(spans), stretch)
    )
    return sorted({*spans[:ends], *spans[-ends:], *told, *between})


def _signals(shown: str) -> float:
    worth = 0.6 * names_a_place(shown) + 0.8 * concludes(shown) - 2.0 * offers(shown)
    if is_definition(shown):
        worth += 1.5 + (not shown[0].isspace())
    if is_error(shown):
        worth += 2.5 + is_specific(shown)
    return worth + 1.5 * is_status(shown)


def _rarity(units: Sequence[_Unit]) -> dict[str, float]:
    """How much each word says, 0 to 1: rare ones more."""
    counts = Counter(word for unit in units for word in set(unit.words))
    most = log(len(units) + 2)
    return {
        word: (ONCE if count == 1 else 1.0) * log((len(units) + 2) / count) / most
        for word, count in counts.items()
    }


def _chosen(units: list[_Unit], worth: dict[str, float], tokens: int) -> list[_Unit]:
    """The first and the last, then by worth over cost, the worth of words that are shown already
    being less. Changes ``worth``."""
    chosen: list[_Unit] = []
    left = tokens - 2 * NOTE_COST

    def value(unit: _Unit) -> float:
        words = sum(worth[word] for word in dict.fromkeys(unit.words))
        return max(0.0, words + unit.bonus) / sqrt(unit.cost + 4)

    def choose(unit: _Unit) -> None:
        nonlocal left
        chosen.append(unit)
        left -= unit.cost + NOTE_COST
        for word in set(unit.words):
            worth[word] *= AGAIN

    queue = sorted(units, key=lambda unit: (-value(unit), unit.span))
    for end in (units[:1] + units[-1:])[: len(units)]:
        if end.cost <= min(left, END_SHARE * tokens) and end.bonus >= 0:
            queue.remove(end)
            choose(end)
    while queue and left > 4:
        best = 0
        for place, unit in enumerate(queue[:LOOK]):
            # Worth only falls, so what beats the old value of the next one beats all behind it.
            best = place
            if place + 1 >= len(queue) or value(unit) >= value(queue[place + 1]):
                break
        if (unit := queue.pop(best)).cost <= left:
            choose(unit)
    return chosen


def _written(text: str, spans: list[Span], tokens: int) -> str:
    parts: list[str] = []
    last = 0
    for start, end in spans:
        between = text[last:start]
        if between.strip():
            parts.append(f"\n{NOTE}\n" if parts else f"{NOTE}\n")
        else:
            parts.append(between if parts else "")
        parts.append(text[start:end])
        last = end
    if text[last:].strip():
        parts.append(f"\n{NOTE}")
    return cut(unicodedata.normalize("NFC", "".join(parts)), tokens)
