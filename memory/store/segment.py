"""Cuts text into the words that full text indexes and looks for, in any script.

FTS5's ``unicode61`` tokenizer takes a whole run of Chinese for one word, so such runs are written
out here as single characters and overlapping pairs, separated by spaces. Identifiers are indexed
whole and in their parts. Both sides, what is stored and what is asked, go through the same cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from .stopwords import CHINESE_FUNCTION, ENGLISH, JAPANESE_PARTICLES

HEAD_BYTES = 4_500_000
TAIL_BYTES = 1_500_000
"""Of a text of more than both together (in UTF-8) only the head and the tail are indexed; what
lies between is kept and not searched. Measured: cutting and indexing take 0.1 to 0.2 s a million
characters of code, logs or prose and 1 s a million of Chinese, during which other writes wait: at
most about a second for the one, two for the other. Two million characters of any script fit."""
MAX_WORD = 64
"""Longer words (base64, minified code) are cut to this; nobody types them."""
MAX_TERMS = 128
"""A question has at most so many terms: a pasted log must not become a query of its size."""
MAX_QUERY_CHARS = 8_000
"""Only the first so many characters of a question are looked at."""

_NORMALISE_BLOCK = 1_024

# Han with extensions, iteration marks, kana without the middle dot, hangul syllables and jamo.
_CJK = (
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff"
)
# Signs that belong to the word although they are no letters: accents that did not compose, Hebrew
# and Arabic points, and the vowel signs of the Indic and South-East Asian scripts.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0963\u0966-\u109f\u1780-\u17d3"
)
# Possessive: the alternatives share no character, so there is nothing to go back to.
_PIECE = re.compile(f"[{_CJK}]++|(?:[^\\W_{_CJK}]++|[{_MARKS}]++)++(?:\\+\\+|#)?")
_STARTS_CJK = re.compile(f"[{_CJK}]")
# An acronym ends before a capitalised word.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# A sign after a single letter that makes it another word: C++, C#, F#.
_SIGNS = {"++": "plusplus", "#": "sharp"}


def segment(text: str) -> str:
    """The text as space-separated words for the index: all of it up to 6,000,000 bytes of
    UTF-8, else the first 4,500,000 and the last 1,500,000. Linear in its length; never raises."""
    pieces = _PIECE.findall(_normalised(_ends(text)))
    # Most words of a long text come again and again; the cache lives as long as this call.
    return " ".join(map(cache(_stored_forms), pieces))


def match_terms(query: str) -> list[str]:
    """The distinct terms to look for, in the order asked: letters and digits only, so that each
    may stand between double quotes in an FTS5 MATCH.

    Runs of Chinese, Japanese or Korean give their pairs, or the single character if they are one
    long. Words that carry no meaning of their own are dropped as long as something else remains.
    Empty when the question has no words; never raises.
    """
    strong: dict[str, None] = {}
    weak: dict[str, None] = {}
    for piece in _PIECE.findall(_normalised(query[:MAX_QUERY_CHARS])):
        for term in _asked_forms(piece):
            (weak if holds_together(term) else strong)[term] = None
    return list(strong or weak)[:MAX_TERMS]


def holds_together(term: str) -> bool:
    """Whether a term only holds a sentence together and says nothing of what it is about: ``the``,
    的, 什么, です, の."""
    if term in ENGLISH or term in CHINESE_FUNCTION:
        return True
    if all("\u3041" <= char <= "\u309f" for char in term):
        return True
    return any(char in CHINESE_FUNCTION or char in JAPANESE_PARTICLES for char in term)


def _normalised(text: str) -> str:
    """NFKC, without the quadratic cost that long chains of combining marks have in one call."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    blocks = []
    start = 0
    while start < len(text):
        end = start + _NORMALISE_BLOCK
        # A mark stays with its letter, unless somebody piled up more than a script ever does.
        for _ in range(32):
            if end >= len(text) or not _joins(text[end]):
                break
            end += 1
        blocks.append(unicodedata.normalize("NFKC", text[start:end]))
        start = end
    return "".join(blocks)


def _joins(char: str) -> bool:
    """Whether a character may compose with the one before it: accents, and hangul jamo."""
    return unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff"


def searched(text: str) -> tuple[int, int]:
    """Up to which character a text is indexed, and from which on again; its length twice where all
    of it is."""
    if len(text) * 4 <= HEAD_BYTES + TAIL_BYTES:
        return len(text), len(text)
    data = text.encode("utf-8", "replace")
    if len(data) <= HEAD_BYTES + TAIL_BYTES:
        return len(text), len(text)
    head, tail = data[:HEAD_BYTES], data[-TAIL_BYTES:]
    return len(head.decode("utf-8", "ignore")), len(text) - len(tail.decode("utf-8", "ignore"))


def _ends(text: str) -> str:
    head, tail = searched(text)
    return text if head == tail else f"{text[:head]} {text[tail:]}"


def _stored_forms(piece: str) -> str:
    """A piece as the index holds it: a run of Chinese in single characters and in pairs."""
    forms = (*piece, *_pairs(piece)) if _STARTS_CJK.match(piece) else _word_forms(piece)
    return " ".join(forms)


def _asked_forms(piece: str) -> Iterator[str]:
    """A piece as it is looked for: a run of Chinese in pairs."""
    if not _STARTS_CJK.match(piece):
        return _word_forms(piece)
    return _pairs(piece) if len(piece) > 1 else iter(piece)


def _pairs(run: str) -> Iterator[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))


def _word_forms(piece: str) -> Iterator[str]:
    """The word itself, folded, then the parts of an identifier of two characters or more."""
    word = piece.rstrip("+#")
    sign = piece[len(word) :]
    word = word[:MAX_WORD]
    yield word.casefold()
    if sign and len(word) == 1:
        yield word.casefold() + _SIGNS[sign]
    if word.isascii():
        yield from _identifier_parts(word)


def _identifier_parts(word: str) -> Iterator[str]:
    """``getUserName`` as get, user, name; ``HTTPServer`` as http, server; ``fts5`` as fts. Nothing
    for a plain word. Words that change between letters and digits more than once are hashes or
    numbers in disguise and have no parts."""
    parts = _PART.findall(word)
    if len(parts) > 1 and sum(part.isdigit() for part in parts) <= 1:
        yield from (part.lower() for part in parts if len(part) > 1 and part.isalpha())
