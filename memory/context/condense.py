"""Condense: one message in one line, by taking from it what it says itself. Pure, deterministic.

No model is asked. Of a tool result stay what was asked, how it ended, what went wrong, its first
and its last telling line; of prose its first sentence and the one that concludes. Nothing depends
on locale, clock or hash order, so the same message gives the same bytes everywhere.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from memory.context.excerpt import excerpt
from memory.context.signals import (
    MOST_LINES,
    concludes,
    demands,
    errors,
    is_definition,
    is_specific,
    is_status,
    is_telling,
    lowered,
    offers,
    sentences,
    without_code,
)
from memory.store.signs import boundary, cut
from memory.store.texts import clean
from memory.tokens import estimate
from memory.types import Node

__all__ = ["LINE_TOKENS", "excerpt", "line", "line_of"]

LINE_TOKENS = 60
"""Estimated tokens of one line at most."""
GAP = " … "
"""Between two pieces of a line."""
PROSE_CHARS = 3_000
"""Characters at each end of a long text in which its first and its concluding sentence are
sought."""
MOST_SENTENCES = 16
"""Sentences of each end that are weighed."""
PIECE_CHARS = 1_000
"""Characters of one piece that are looked at; no line can hold more."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a line."""

    place: float
    """Where in the text it stands."""
    text: str
    share: float
    """Of the line's tokens, before what others leave over is given out."""


def line_of(node: Node, tokens: int = LINE_TOKENS) -> str:
    """A node in one line of at most ``tokens`` estimated tokens: the summary that its writer gave
    (``meta["summary"]``), else what ``line`` takes from its text."""
    given = node.meta.get("summary")
    if isinstance(given, str) and given.strip():
        # It is kept as it came, with what no file could hold as text.
        return cut(_flat(clean(given[: 4 * PIECE_CHARS])), tokens)
    return line(node.text, tokens, role=node.role, kind=node.kind)


def line(text: str, tokens: int = LINE_TOKENS, *, role: str = "assistant", kind: str = "") -> str:
    """A message in one line of at most ``tokens`` estimated tokens; all of it where it fits.

    ``role``: whose words they are. ``kind``: of a tool's result the tool's name; its text begins
    with ``kind: what was asked`` where that is known.
    """
    if len(text) <= 8 * tokens:
        whole = _flat(text)
        if estimate(whole) <= tokens:
            return whole
    pieces = _of_tool(text, kind) if role == "tool" else _of_prose(text, role)
    return _packed(pieces, tokens)


def _of_tool(text: str, kind: str) -> list[_Piece]:
    """In the order in which they are worth their room."""
    asked, content = _asked(text, kind)
    lines = _telling(content, 1)
    if not lines:
        return [_Piece(-1, asked or _flat(text[:PIECE_CHARS]), 1.0)]
    last = _telling(content, -1)
    ends = [row for row in last[:5] if is_status(row[1])]
    wrong = [(start, content[start:end]) for start, end in errors(content, lowered(content))]
    specific = [row for row in wrong if is_specific(row[1])] or wrong
    count = content.count("\n", 0, len(content.rstrip())) + 1
    pieces = [_Piece(place, words, 0.3) for place, words in ends[:2]]
    pieces += [_Piece(-1, asked, 0.4)] if asked else []
    pieces += [_Piece(place, words, 0.3) for place, words in (specific[-1:] + specific[:1])]
    pieces += [_Piece(len(content) + 1, f"[{count} lines]", 0.1)] if count > 8 else []
    pieces += [_Piece(place, words, 0.25) for place, words in (last[0], lines[0])]
    return pieces


def _asked(text: str, kind: str) -> tuple[str, str]:
    """What a tool was asked, and what it answered."""
    first, _, rest = text.partition("\n")
    if (kind and first.startswith(f"{kind}: ")) or first.startswith("I ran `"):
        return _flat(first[:PIECE_CHARS]), rest
    return kind, text


def _telling(text: str, step: int) -> list[tuple[int, str]]:
    """Some telling lines with their places, from the start (1) or the end (-1) on."""
    found: list[tuple[int, str]] = []
    start, end = 0, len(text)
    for _ in range(MOST_LINES):
        if start >= end or len(found) == 5:
            break
        if step > 0:
            stop = text.find("\n", start, end)
            span, start = (start, end if stop < 0 else stop), end if stop < 0 else stop + 1
        else:
            begin = text.rfind("\n", start, end) + 1
            span, end = (begin, end), max(0, begin - 1)
        words = text[span[0] : min(span[1], span[0] + PIECE_CHARS)]
        if is_telling(words):
            found.append((span[0], words))
    return found


def _of_prose(text: str, role: str) -> list[_Piece]:
    """In the order in which they are worth their room."""
    prose = without_code(text)
    said = sentences(_both_ends(prose))
    if len(said) > 2 * MOST_SENTENCES:
        said = said[:MOST_SENTENCES] + said[-MOST_SENTENCES:]
    if not said:
        return _of_code(text)
    places = range(len(said))
    first = next((place for place in places if _substance(said[place])), 0)
    worth = {place: _weight(said[place], role) + place / len(said) for place in places}
    others = [place for place in places if place > first] or [first]
    best = max(others, key=lambda place: (worth[place], place))
    wrong = errors(text, lowered(text)) if text.count("\n") > 8 else []
    pieces = [_Piece(first, said[first], 0.5), _Piece(best, said[best], 0.5)]
    pieces += [_Piece(best - 0.5, text[start:end], 0.3) for start, end in wrong[-1:]]
    rest = sorted(set(others) - {best}, key=lambda place: (-worth[place], -place))
    return pieces + [_Piece(place, said[place], 0.3) for place in rest[:4] if worth[place] > 1]


def _weight(sentence: str, role: str) -> float:
    """How much a sentence says of what a message comes to."""
    if offers(sentence):
        return -3.0
    tells = concludes(sentence) + 2 * demands(sentence) if role == "user" else concludes(sentence)
    return 2.0 * tells - (0.0 if _substance(sentence) else 2.0)


def _substance(sentence: str) -> bool:
    """Whether it is more than a word of agreement."""
    return estimate(sentence) >= 5


def _of_code(text: str) -> list[_Piece]:
    """Of a message that is code alone: what it defines, and its first lines."""
    lines = [(place, words) for place, words in enumerate(text[:PROSE_CHARS].splitlines())]
    lines = [row for row in lines if is_telling(row[1]) and not row[1].lstrip().startswith("```")]
    defined = [row for row in lines if is_definition(row[1])]
    rows = dict.fromkeys(defined[:3] + lines[:2])
    return [_Piece(place, words, 0.4) for place, words in rows] or [
        _Piece(0, text[:PIECE_CHARS], 1)
    ]


def _both_ends(text: str) -> str:
    if len(text) <= 2 * PROSE_CHARS:
        return text
    return f"{text[:PROSE_CHARS]}\n\n{text[-PROSE_CHARS:]}"


def _packed(pieces: list[_Piece], tokens: int) -> str:
    """The pieces in the order of the text: each with its share of the tokens, as long as there are
    some, then with what was left over, in the order given."""
    room = float(tokens)
    flat: dict[str, _Piece] = {}
    for piece in pieces:
        words = _flat(piece.text[: boundary(piece.text, PIECE_CHARS)])
        if words and not any(words in other for other in flat):
            flat[words] = piece
    given: dict[str, float] = {}
    gap = estimate(GAP) + 1  # each piece's own rounding is in it
    for words, piece in flat.items():
        size = min(float(estimate(words)), piece.share * tokens)
        if size + gap > room and given:
            continue
        given[words] = min(size, room)
        room -= given[words] + gap
    for words in given:
        more = min(estimate(words) - given[words], max(0.0, room))
        given[words] += more
        room -= more
    ordered = sorted(given, key=lambda words: flat[words].place)
    shown = cut(GAP.join(cut(words, int(given[words])) for words in ordered), tokens)
    return shown or cut(next(iter(flat), ""), tokens)


def _flat(text: str) -> str:
    """On one line, its letters in the form in which they are sent."""
    return unicodedata.normalize("NFC", " ".join(text.split()))
