"""Excerpt: the passages of a text that tell most, within some tokens, in their order. Pure.

A passage is worth the words in it that are rare in the text itself, what it signals (an error, a
definition, a conclusion, a place), and whether it begins or ends the text. What was shown once is
worth less the next time, so that a log of ten thousand equal lines gives one of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

from memory.context.passages import AGAIN, Span, fold
from memory.context.signals import (
    concludes,
    errors,
    is_definition,
    is_error,
    is_specific,
    is_status,
    is_telling,
    names_a_place,
)
from memory.context.signs import boundary, cut
from memory.store.stopwords import ENGLISH
from memory.tokens import estimate

NOTE = "[…]"
"""Stands for what is left out."""
UNIT_CHARS = 240
"""A longer line is cut into pieces of about so many characters, at sentences where it has some."""
MOST_UNITS = 600
"""Units that are weighed by their words; of more, the telling ones, the ends and an even choice."""
MOST_WORDS = 40
"""Words of one unit that count."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])|\n")
_WORD = re.compile(r"[a-z_][a-z0-9_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}|\d{2,}")
_DIGITS = re.compile(r"\d+")


@dataclass(slots=True)
class _Unit:
    span: Span
    cost: int
    words: list[str]
    bonus: float


def excerpt(text: str, tokens: int) -> str:
    """The telling passages of a text, of at most ``tokens`` estimated tokens with the notes for the
    gaps between them; the whole text where it fits. Line ends become ``\\n``."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if estimate(text) <= tokens:
        return text
    folded = fold(text)
    units = _units(text, folded)
    chosen = _chosen(units, _rarity(units), tokens)
    if not chosen:
        return cut(text, tokens)
    return _written(text, sorted(unit.span for unit in chosen), tokens)


def _units(text: str, folded: str) -> list[_Unit]:
    """What can be chosen, in the order of the text."""
    spans = _pieces(text)
    wrong = {span[0] for span in errors(text, folded)}
    if len(spans) > MOST_UNITS:
        spans = _fewer(text, spans, wrong)
    last = len(spans) - 1
    units = []
    for number, (start, end) in enumerate(spans):
        shown = text[start:end]
        if not is_telling(shown):
            continue
        words = [word for word in _WORD.findall(folded[start:end]) if word not in ENGLISH]
        bonus = _signals(shown) + 2.0 * (number == 0) + 1.5 * (number == last)
        units.append(_Unit((start, end), estimate(shown) + 1, words[:MOST_WORDS], bonus))
    return units


def _pieces(text: str) -> list[Span]:
    """Lines; the sentences of long ones; pieces of long sentences."""
    spans: list[Span] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start <= UNIT_CHARS:
            if end > start:
                spans.append((start, end))
        else:
            spans += _parts(text, start, end)
        start = end + 1
    return spans


def _parts(text: str, start: int, end: int) -> list[Span]:
    """A long line in pieces."""
    parts: list[Span] = []
    while end - start > UNIT_CHARS:
        stop = start
        for found in _SENTENCE.finditer(text, start + 1, start + UNIT_CHARS):
            stop = found.end()
        if stop <= start:
            space = text.rfind(" ", start + UNIT_CHARS // 2, start + UNIT_CHARS)
            stop = space + 1 if space > 0 else boundary(text, start + UNIT_CHARS)
        parts.append((start, stop))
        start = stop
    return [*parts, (start, end)] if end > start else parts


def _fewer(text: str, spans: list[Span], wrong: set[int]) -> list[Span]:
    """Of very many units: one of each kind that differs by its figures only, then the errors, both
    ends, and an even choice of the rest."""
    kinds: dict[str, Span] = {}
    for span in [*spans[:1], *reversed(spans)]:
        kinds[_DIGITS.sub("0", text[slice(*span)])] = span
    distinct = sorted({*kinds.values(), *(span for span in spans if span[0] in wrong), spans[-1]})
    if len(distinct) <= MOST_UNITS:
        return distinct
    ends = MOST_UNITS // 6
    told = [span for span in distinct if span[0] in wrong][: MOST_UNITS // 6]
    step = len(distinct) / (MOST_UNITS - 2 * ends - len(told))
    even = [distinct[int(place * step)] for place in range(int(len(distinct) / step))]
    return sorted({*distinct[:ends], *distinct[-ends:], *told, *even})


def _signals(shown: str) -> float:
    worth = 0.6 * names_a_place(shown) + 0.8 * is_definition(shown) + 0.8 * concludes(shown)
    if is_error(shown):
        worth += 2.5 + 1.0 * is_specific(shown)
    return worth + 1.5 * is_status(shown)


def _rarity(units: Sequence[_Unit]) -> dict[str, float]:
    """How much each word says: rare ones more; those that stand once are often slips or hashes, and
    say no more than those that stand twice."""
    counts = Counter(word for unit in units for word in set(unit.words))
    most = len(units) + 1
    return {word: log(most / max(2, count)) for word, count in counts.items()}


def _chosen(units: list[_Unit], rarity: dict[str, float], tokens: int) -> list[_Unit]:
    """By worth over cost, the worth of words that are shown already being less."""
    most = max(rarity.values(), default=0.0) or 1.0
    worth = {word: weight / most for word, weight in rarity.items()}

    def value(unit: _Unit) -> float:
        words = sum(worth[word] for word in dict.fromkeys(unit.words))
        return (words + unit.bonus) / sqrt(unit.cost + 4)

    queue = sorted(units, key=lambda unit: (-value(unit), unit.span))
    chosen: list[_Unit] = []
    left = tokens - 2 * estimate(NOTE)
    while queue and left > 4:
        # Worth only falls, so the first whose value still beats the next one's old value is best.
        for place, unit in enumerate(queue[:24]):
            now = value(unit)
            if place + 1 >= len(queue) or now >= value(queue[place + 1]):
                break
        queue.remove(unit)
        if unit.cost > left:
            continue
        chosen.append(unit)
        left -= unit.cost + estimate(NOTE)
        for word in unit.words:
            worth[word] *= AGAIN
        unit.bonus = 0.0
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
    return cut("".join(parts), tokens)
