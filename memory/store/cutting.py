"""Cutting: where a long text may be taken apart, so that each piece is one thing to find. Pure.

Between two sentences, lines, paragraphs, log entries or functions a text may break; the more ends
there, the better the break. Pieces tile the text: put together they are it, to the character, and
no visible sign is torn apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from math import ceil

from memory.config import (
    HEADING_TOKENS,
    MOST_PIECES,
    MOST_TOOL_PIECES,
    PIECE_TOKENS,
    TELLING_CHARS,
    WHOLE_TOKENS,
)
from memory.store.signs import boundary
from memory.tokens import ASCII_TOKENS, OTHER_TOKENS
from memory.types import NodeRole

Span = tuple[int, int]
"""From a character up to another one."""

SHORTEST, LONGEST = 0.5, 1.3
"""A piece has between so many times the tokens that are aimed at, if a break allows it; and never
more than the larger."""
DISTANCE = 1.5
"""By how much a break must be better to lie a whole piece away from where one was aimed at."""
LONG_LINE = 100
"""Characters of a line within which sentences are looked for."""
MOST_TELLING = 5_000
"""Words of error that are looked at in a long text."""
LAST_WORDS = 4
"""A sentence that has to be cut is cut at a word's end in the last of so many parts."""

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SENTENCE = re.compile(
    r"""(?:[。！？；…] | [.!?;](?=[\s"'”’」』）)\]] | [^\x00-\xff]))["'”’」』）)\]]*[^\S\n]*""",
    re.VERBOSE,
)
_SECTION = re.compile(r"\#{1,6}\s\S|```|~~~|={4,}|-{4,}|diff\s--git\s|@@\s|第.{1,6}[章节条]")
_ENTRY = re.compile(
    r"""\s{0,4}(?:[\[(<]?\d{4}[-/]\d\d[-/]\d\d[T\s]\d\d:\d\d | [\[(]?\d\d:\d\d:\d\d
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d+\s\d\d:\d\d
    | [\[(]?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b)""",
    re.VERBOSE,
)
_DEFINITION = re.compile(
    r"""(?:@\w
    | (?:export|pub|public|private|protected|static|async|abstract|default|unsafe)\s
    | (?:def|class|fn|func|function|struct|enum|trait|impl|interface|module|namespace)\b
    | CREATE\s | [A-Za-z_][\w\s*&:<>,]*\([^;]*\)\s*\{?\s*$)""",
    re.VERBOSE,
)
_TELLING = re.compile(
    r"error|fail|fatal|exception|panic|traceback|denied|错误|失败|异常|超时|拒绝", re.IGNORECASE
)
_DIGITS = re.compile(r"[0-9a-f]{6,}|\d+")


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a text may be cut."""

    place: int
    worth: float
    """How much ends there: 1 a sentence, 2 a line, 3 a paragraph or a log entry, 4 a function or a
    section."""


def breaks(text: str) -> list[Break]:
    """All places where a text may be cut, in order; neither its start nor its end is one. Blank
    lines belong to what stands before them."""
    found: list[Break] = []
    place, before, blank = 0, "", False
    for line in _LINE.findall(text):
        if line.isspace():
            blank = True
        else:
            if before:
                found.append(Break(place, _worth(line, before, blank)))
            if len(line) > LONG_LINE:
                found += [Break(place + end, 1.0) for end in _sentences(line)]
            before, blank = line, False
        place += len(line)
    return [each for each in found if _whole(text, each.place)]


def _whole(text: str, place: int) -> bool:
    """Whether no visible sign stands across a place."""
    return text[place] < "\x80" or boundary(text, place) == place


def _worth(line: str, before: str, blank: bool) -> float:
    """Of a break between two lines; ``blank``: whether an empty one stands between them."""
    indent, above = _indent(line), _indent(before)
    if before.startswith("@"):  # a decorator belongs to what it decorates
        return 0.5
    if _SECTION.match(line):
        return 4.0
    if _ENTRY.match(line):
        return 3.0
    if not indent and _DEFINITION.match(line):
        return 4.0 if blank else 3.0 if above or before.startswith("}") else 2.2
    if blank:
        return 2.5 if indent else 3.0
    if indent > above:  # what a line opens
        return 1.5
    return 2.4 if above and not indent else 2.0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _sentences(line: str) -> Iterator[int]:
    """Where sentences end within a line, but for its last one."""
    written = len(line.rstrip())
    return (end for match in _SENTENCE.finditer(line) if (end := match.end()) < written)


def cut(text: str, tokens: int = PIECE_TOKENS, at: Iterable[int] = ()) -> list[Span]:
    """The text in pieces of about so many estimated tokens, at most ``LONGEST`` times as many.

    ``at``: places where it must be cut whatever the size. A text that is small enough is one piece;
    an empty one none.
    """
    possible = breaks(text)
    places = [each.place for each in possible]
    edges = sorted({0, len(text), *(place for place in at if 0 < place < len(text))})
    spans: list[Span] = []
    for start, end in pairwise(edges):
        inside = possible[bisect_right(places, start) : bisect_left(places, end)]
        spans += _without_blanks(text, _assembled(text, start, end, inside, tokens))
    return spans


def _without_blanks(text: str, spans: Iterable[Span]) -> list[Span]:
    """Pieces of which none says nothing: blank ones join the one before, or after at the start."""
    joined: list[Span] = []
    for lo, hi in spans:
        if joined and (text[lo:hi].isspace() or text[joined[-1][0] : joined[-1][1]].isspace()):
            joined[-1] = (joined[-1][0], hi)
        else:
            joined.append((lo, hi))
    return joined


def _assembled(
    text: str, start: int, end: int, possible: Sequence[Break], tokens: int
) -> Iterator[Span]:
    """A part of a text in pieces of about equal size."""
    places = [each.place for each in possible]
    marks = [start, *places, end]
    costs = list(accumulate((weight(text[a:b]) for a, b in pairwise(marks)), initial=0.0))
    total, spent, after = costs[-1], 0.0, 0
    while total - spent > LONGEST * tokens:
        aim = (total - spent) / ceil((total - spent) / tokens)
        first = bisect_left(costs, spent + SHORTEST * aim, after + 1)
        last = bisect_right(costs, spent + LONGEST * tokens, first, len(costs) - 1)
        if first < last:

            def good(index: int, spent: float = spent, aim: float = aim) -> float:
                return possible[index - 1].worth - DISTANCE * abs(costs[index] - spent - aim) / aim

            after = max(range(first, last), key=good)
            place, spent = marks[after], costs[after]
        else:
            place = _within(text, start, end, aim)
            spent += weight(text[start:place])
            after = bisect_right(marks, place) - 1
        yield start, place
        start = place
    if start < end:
        yield start, end


def _within(text: str, start: int, end: int, tokens: float) -> int:
    """A place inside a sentence that is too long, so many tokens behind ``start``: at the end of a
    word where there is one, else between two visible signs."""
    room = text[start : min(end, start + int(tokens / ASCII_TOKENS) + 1)]
    costs = accumulate(ASCII_TOKENS if char < "\x80" else OTHER_TOKENS for char in room)
    far = start + max(1, sum(1 for cost in costs if cost <= tokens))
    near = far - (far - start) // LAST_WORDS
    for signs in ("\n", " \t，、,；;", ")]}>|/&=_-"):
        place = max(text.rfind(sign, near, far) for sign in signs) + 1
        if start < boundary(text, place) == place:
            return place
    place = boundary(text, far)
    if place <= start:  # a sign that is larger than a piece
        ahead = range(far + 1, min(end, far + LONG_LINE))
        place = next((each for each in ahead if boundary(text, each) == each), far)
    return place


def weight(text: str) -> float:
    """Estimated tokens of a text, unrounded, so that those of its parts add up."""
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return plain * ASCII_TOKENS + (len(text) - plain) * OTHER_TOKENS


# ---- without a model -------------------------------------------------------------------------


def pieces(text: str, role: NodeRole) -> list[Span]:
    """The pieces of a text that is too long to be found as one; none of one that is not.

    At most ``MOST_PIECES``, of a tool's output ``MOST_TOOL_PIECES``: of more the beginning,
    the end and what tells of errors are cut fine, and what lies between them coarse.
    """
    tokens = weight(text)
    if tokens <= WHOLE_TOKENS:
        return []
    most = MOST_TOOL_PIECES if role == "tool" else MOST_PIECES
    small = tokens <= most * SHORTEST * PIECE_TOKENS
    spans = cut(text) if small else _without_blanks(text, _sparse(text, most))
    return spans if len(spans) > 1 else []


def _sparse(text: str, most: int) -> Iterator[Span]:
    """At most ``most`` pieces: small ones at both ends and around errors, else large ones."""
    room = PIECE_TOKENS * most // 8
    head = _line_end(text, _within(text, 0, len(text), room))
    back = _within(text[: head - 1 if head else None : -1], 0, len(text) - head, room)
    tail = _line_end(text, len(text) - back)
    last, coarse = head, max(1, 4 * (tail - head) // most)
    yield from cut(text[:head])
    for start, end in [*_telling(text, head, tail, most // 8 - 1), (tail, tail)]:
        while last < start:
            near = start - last <= 2 * coarse
            place = start if near else min(start, _line_end(text, last + coarse))
            yield last, place
            last = place
        if start < end:
            yield start, end
            last = end
    yield from ((tail + start, tail + end) for start, end in cut(text[tail:]))


def _telling(text: str, lo: int, hi: int, most: int) -> list[Span]:
    """Lines that tell of errors, with what follows them, in order; of lines that differ by numbers
    alone the first."""
    spots: list[Span] = []
    known: set[str] = set()
    last = lo
    for match in islice(_TELLING.finditer(text, lo, min(hi, lo + TELLING_CHARS)), MOST_TELLING):
        if match.start() < last or len(spots) == most:
            continue
        start = max(last, match.start() - LONG_LINE)
        start = boundary(text, text.rfind("\n", start, match.start()) + 1 or start)
        form = _DIGITS.sub("0", text[start : match.end() + LONG_LINE // 2])
        if start >= last and form not in known:
            known.add(form)
            last = _within(text, start, hi, PIECE_TOKENS)
            spots.append((start, last))
    return spots


def heading(text: str) -> str:
    """How a text begins: its first line or sentence, of at most ``HEADING_TOKENS``."""
    line = text[: 16 * HEADING_TOKENS].lstrip().partition("\n")[0]
    first = line[: next(_sentences(line), len(line))]
    return first[: _within(first, 0, len(first), HEADING_TOKENS)].rstrip() if first else ""


def _line_end(text: str, place: int) -> int:
    """A place at or a little behind this one: at a line's end, or else between two signs."""
    end = text.find("\n", place, place + 4 * LONG_LINE) + 1
    return end if 0 < end < len(text) and _whole(text, end) else boundary(text, place)


# ---- a model's choice ------------------------------------------------------------------------


def sentence_starts(text: str) -> list[int]:
    """Where each sentence or line begins that a model may choose from; the first at 0."""
    return [0, *(each.place for each in breaks(text))] if text else []


def chosen(text: str, answers: Iterable[object], tokens: int = PIECE_TOKENS) -> list[Span]:
    """The text cut before the sentences of these numbers (as in ``sentence_starts``), and wherever
    the size demands it. What is no number of a sentence is passed over, so an answer of nonsense
    is as good as none."""
    starts = sentence_starts(text)
    numbers = (each for each in answers if isinstance(each, int) and not isinstance(each, bool))
    return cut(text, tokens, [starts[each] for each in numbers if 0 < each < len(starts)])
