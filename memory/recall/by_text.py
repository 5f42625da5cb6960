"""Finds memories by their words, and tells chance from substance.

BM25 ranks; whether a hit counts at all is decided by how much of the question it covers. Each term
weighs as much as it is rare in this store, terms that no memory holds weigh most: they are what the
question is about, and a memory without them is about something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log

from memory.hyperspace.script import is_wide
from memory.store import fulltext
from memory.store.database import Database
from memory.store.segment import MAX_QUERY_CHARS, holds_together, match_terms, segment

from .small_talk import SMALL_TALK

KNOWN = 0.3
"""Text speaks up when its best hit covers this share of the question's weight (measured: see the
bench ``recall``) ..."""
KNOWN_WIDE = 0.2
"""... or this share of it in Chinese, where pairs that are no words weigh in the question ..."""
ENOUGH_TERMS = 3.0
"""... or as much as so many terms found in one memory alone weigh: a long question, say a pasted
error, is never covered in large part."""
RELATED = 2 / 3
"""Then all hits come that cover this share of what the best one had to."""
LOOSE = 0.5
"""The share of its weight that counts of a pair of characters that may be no word."""
MOST_TERMS = 32
"""Only the rarest terms are asked for; a pasted page has thousands."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a question is about."""

    present: tuple[str, ...]
    """Terms that the store holds, rarest first."""
    weights: Mapping[str, float]
    """How rare each term is; those that no memory holds weigh most."""
    frequencies: Mapping[str, int]
    """How many places hold each term."""
    telling: frozenset[str]
    """Those that say what the question is about; the others only help to rank."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one way found."""

    ranking: tuple[tuple[int, float], ...]
    """(seq, score), best first: all candidates, for fusion."""
    sure: frozenset[int]
    """Those of them that this way alone would bring."""
    terms: Terms | None = None
    """What the question is about, where words were asked for."""


NOTHING = Found((), frozenset())


def find(db: Database, question: str, k: int) -> Found:
    """The ``k`` best nodes by BM25, and which of them cover enough of the question.

    Finds nothing for a question of function words and small talk. Raises ``MemoryFileError``.
    """
    terms = weighed(db, question)
    ranking = fulltext.matches(db, terms.present, k, terms.frequencies)
    if not ranking:
        return Found((), frozenset(), terms)
    weights = terms.weights
    telling = [term for term in terms.present if term in terms.telling]
    covered = _covered(db, telling, weights, [seq for seq, _ in ranking])
    heaviest = sorted((weights[term] for term in terms.telling), reverse=True)[:MOST_TERMS]
    share = KNOWN_WIDE if is_wide(question) else KNOWN
    bar = min(share * fsum(heaviest), ENOUGH_TERMS * rarity(1, fulltext.size(db)))
    known = max(covered.values()) >= bar
    sure = {seq for seq, weight in covered.items() if known and weight >= RELATED * bar}
    return Found(tuple(ranking), frozenset(sure), terms)


def weighed(db: Database, question: str) -> Terms:
    """The telling terms of a question, and how much each weighs in this store."""
    total = fulltext.size(db)
    frequencies = {term: fulltext.document_frequency(db, term) for term in telling_terms(question)}
    weights = {
        term: rarity(frequency, total) for term, frequency in without_seams(frequencies).items()
    }
    loose = {term: fulltext.document_frequency(db, term) for term in _loose_pairs(question)}
    every = weights | {term: LOOSE * rarity(found, total) for term, found in loose.items() if found}
    rarest = sorted(every, key=lambda term: -every[term])
    present = [term for term in rarest if (frequencies | loose)[term]][:MOST_TERMS]
    return Terms(tuple(present), every, frequencies | loose, frozenset(weights))


def _loose_pairs(question: str) -> list[str]:
    """Pairs of Chinese characters of which one mostly holds sentences together; in 成都 it does
    not, which only the store's frequencies tell."""
    pairs = [term for term in segment(question[:MAX_QUERY_CHARS]).split() if _is_pair(term)]
    return [pair for pair in dict.fromkeys(pairs) if sum(map(holds_together, pair)) == 1]


def telling_terms(question: str) -> list[str]:
    """The terms of a question that say what it is about; none of "hello, how are you". A single
    Chinese character that is all of the question is what it is about."""
    terms = [term for term in match_terms(question) if term not in SMALL_TALK]
    if len(terms) == 1 and len(terms[0]) == 1 and not terms[0].isascii():
        return terms
    return [term for term in terms if not holds_together(term)]


def without_seams(frequencies: Mapping[str, int]) -> dict[str, int]:
    """Without the unheard-of pairs of characters that stand where two words meet: in 登录失败 the
    pair 录失 is no word, and to weigh it as an unknown one would count against every memory."""
    heard = [term for term, frequency in frequencies.items() if frequency and _is_pair(term)]
    ends, starts = {term[1] for term in heard}, {term[0] for term in heard}
    return {
        term: frequency
        for term, frequency in frequencies.items()
        if frequency or not _is_pair(term) or (term[0] not in ends and term[1] not in starts)
    }


def _is_pair(term: str) -> bool:
    """Two characters of Chinese, Japanese or Korean: what a cut without a dictionary gives."""
    return len(term) == 2 and min(term) >= "\u1100"


def rarity(frequency: int, total: int) -> float:
    """Inverse document frequency of a term that ``frequency`` of ``total`` nodes hold; positive."""
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def _covered(
    db: Database, terms: Sequence[str], weights: Mapping[str, float], seqs: Sequence[int]
) -> dict[int, float]:
    """How much weight of the terms each node holds."""
    held: dict[int, list[float]] = {seq: [] for seq in seqs}
    for term in terms:
        for seq in fulltext.holding(db, term, seqs):
            held[seq].append(weights[term])
    return {seq: fsum(found) for seq, found in held.items()}
