"""Quoting: where the user's words point to what was said before.

Lines behind a ``>`` quote, and so do quotation marks and what follows "as we said", in a sentence
that speaks of the past. What is quoted must stand on the timeline, or it was no quotation.
"""

from __future__ import annotations

import re
import unicodedata

from memory.recall.by_text import telling_terms
from memory.store import fulltext, pieces
from memory.store.database import Database
from memory.types import Node

MOST = 3
"""Quotations of one message that are looked at."""
LONGEST = 400
"""Characters of a quotation that are compared."""
FEWEST = 3
"""Telling words that a quotation has at least: fewer are common phrases."""
NEARLY = 0.9
"""Share of its telling words that have to stand in what it quotes loosely, ..."""
LOOSE = 4
"""... and how many at least."""
LOOKED_AT = 30
"""Memories that are compared with a quotation."""

_LINES = re.compile(r"(?m)(?:^[ \t]*>[ \t]?.*\n?)+")
_MARKS = re.compile(r"“([^”\n]+)”|\"([^\"\n]+)\"|「([^」\n]+)」|『([^』\n]+)』|«([^»\n]+)»")
_BACK = re.compile(
    r"\b(?:as|like|what|when)\s+(?:we|you|i)(?:'ve|\s+have|\s+had)?\s+(?:already\s+|just\s+)?"
    r"(?:said|told|wrote|discussed|agreed|decided|noted|mentioned|talked about)\b"
    r"|\b(?:we|you|i)\s+(?:said|wrote|agreed|decided)\b"
    r"|(?:之前|上次|刚才|早先|前面|以前)?(?:我们|你|我)?(?:之前|上次|刚才)?(?:说过|说好|讲过|提到|提过|讨论过|决定过|约定)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[\s,:，：]*(?:that\b|的是?)?[\s,:，：]*([^.!?。！？\n;；]+)")
_SPACES = re.compile(r"\s+")


def quotations(text: str) -> tuple[str, ...]:
    """What a message quotes of what was said before, in its order; at most ``MOST``."""
    found = []
    for block in _LINES.findall(text):
        lines = (line.strip().removeprefix(">").strip() for line in block.splitlines())
        found.append(" ".join(filter(None, lines)))
    prose = _LINES.sub("\n", text)
    back = _BACK.search(prose)
    if back is not None:
        marked = ["".join(groups) for groups in _MARKS.findall(prose)]
        clause = _CLAUSE.match(prose, back.end())
        found += marked or ([clause[1]] if clause else [])
    telling = [each for each in found if len(telling_terms(each)) >= FEWEST]
    return tuple(dict.fromkeys(each.strip()[:LONGEST] for each in telling))[:MOST]


def quoted(db: Database, words: str) -> Node | None:
    """The memory that is quoted: the newest that holds the words as they are, else the newest that
    holds nearly all of those that tell something; people's words before a tool's. ``None`` if there
    is none. Who quotes the same is not who said it."""
    terms = telling_terms(words)
    if len(terms) < FEWEST:
        return None
    places = [place for place, _ in fulltext.matches(db, terms, LOOKED_AT)]
    asked = _folded(words)
    best: tuple[tuple[bool, bool, int], Node] | None = None
    for placed in pieces.hits(db, places):
        lo, hi = placed.piece or (0, len(placed.node.text))
        text = placed.node.text[lo:hi]
        if any(asked in _folded(each) for each in quotations(text)):
            continue
        said = _folded(_LINES.sub("\n", text))
        verbatim = asked in said
        if not verbatim and not _nearly(terms, said):
            continue
        rank = (verbatim, placed.node.role in ("user", "assistant"), placed.node.seq)
        if best is None or rank > best[0]:
            best = (rank, placed.node)
    return None if best is None else best[1]


def _nearly(terms: list[str], said: str) -> bool:
    held = sum(term in said for term in terms)
    return held >= LOOSE and held >= NEARLY * len(terms)


def _folded(text: str) -> str:
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
