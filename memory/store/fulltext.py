"""Full text: finding nodes by their words, in any script.

The index holds ``segment(text)``, in which runs of Chinese, Japanese and Korean stand as single
characters and pairs, since SQLite's tokenizer sees such a run as one endless word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, takewhile
from math import log

from memory.store.database import Database
from memory.store.segment import segment

MOST_RANKED = 20_000
"""Places that are ranked for one question; some 15 ms. At a million nodes, for questions with names
that stand in every tenth, what comes has .975 of the BM25 of what ranking all brings in 60 ms."""
CANDIDATES = 4
"""So many times as many are ranked by the rarest terms alone before the others count."""
MOST_COUNTED = 50_000
"""Places that are counted for one term; 3 ms."""


def index(db: Database, place: int, text: str) -> None:
    """Make the words of a node or a piece findable. Belongs in the transaction that stores it."""
    db.execute("INSERT INTO node_text (rowid, body) VALUES (?, ?)", (place, segment(text)))


def remove(db: Database, place: int) -> None:
    """Take a place out of the index; does nothing if it is not in it."""
    db.execute("DELETE FROM node_text WHERE rowid = ?", (place,))


def size(db: Database) -> int:
    """How many places the index holds, or held before they were taken out: told by its ends, since
    counting takes 10 ms a million."""
    lowest, highest = _ends(db)
    return max(0, highest) + max(0, -lowest)


def matches(
    db: Database, terms: Sequence[str], k: int, frequencies: Mapping[str, int] | None = None
) -> list[tuple[int, float]]:
    """The ``k`` best places that hold any of the terms: (place, BM25; higher is better).

    Rare terms weigh more. Equal scores come newest first. Where ranking all that hold any of them
    would take too long, only those are ranked that hold one of the rarest; what they hold of the
    others counts as if it were said once. ``frequencies``: how many places hold each term, as
    ``document_frequency`` tells, if that is known.
    """
    asked = [term for term in dict.fromkeys(terms) if term.strip()]
    if not asked or k < 1:
        return []
    total, common = size(db), list[str]()
    if total > MOST_RANKED:
        known = frequencies or {term: document_frequency(db, term) for term in asked}
        asked, common = _affordable(asked, known)
    rows = db.rows(
        "SELECT rowid, -rank FROM node_text WHERE node_text MATCH ? ORDER BY rank LIMIT ?",
        (" OR ".join(map(quoted, asked)), CANDIDATES * k if common else k),
    )
    scores: dict[int, float] = dict(rows)
    for term in common:
        weight = max(0.0, log((total - known[term] + 0.5) / (known[term] + 0.5)))
        for place in holding(db, term, list(scores)):
            scores[place] += weight
    return sorted(scores.items(), key=lambda hit: (-hit[1], -hit[0]))[:k]


def document_frequency(db: Database, term: str) -> int:
    """How many places hold the term, stemmed like the index (so ``runs`` counts ``running``); of a
    very common one an estimate from how soon ``MOST_COUNTED`` were met.

    Asked of the index itself and not of its vocabulary table: that one holds stems, knows nothing
    of a term that the tokenizer takes apart, as ``snake_case``, and counts no faster.
    """
    if not term.strip():
        return 0
    met, last = db.row(
        "SELECT count(*), max(rowid) FROM"
        " (SELECT rowid FROM node_text WHERE node_text MATCH ? LIMIT ?)",
        (quoted(term), MOST_COUNTED),
    ) or (0, 0)
    if met < MOST_COUNTED:
        return int(met)
    lowest, highest = _ends(db)
    met_by_then = int(met) / (int(last) - lowest + 1)
    return min(size(db), round(met_by_then * (highest - lowest + 1)))


def holding(db: Database, term: str, seqs: Sequence[int]) -> set[int]:
    """Those of the places that hold the term."""
    # The plus keeps SQLite from asking the index once for each position: reading the term's whole
    # list once is ten times cheaper.
    if not term.strip() or not seqs:
        return set()
    marks = ", ".join("?" * len(seqs))
    rows = db.rows(
        f"SELECT rowid FROM node_text WHERE node_text MATCH ? AND +rowid IN ({marks})",
        (quoted(term), *seqs),
    )
    return {seq for (seq,) in rows}


def _affordable(
    terms: Sequence[str], frequencies: Mapping[str, int]
) -> tuple[list[str], list[str]]:
    """The rarest terms that together stand in no more than ``MOST_RANKED`` places, at least
    one, and the others."""
    rarest = sorted(terms, key=lambda term: frequencies[term])
    ranked = takewhile(
        lambda met: met <= MOST_RANKED, accumulate(frequencies[term] for term in rarest)
    )
    kept = max(1, sum(1 for _ in ranked))
    return rarest[:kept], rarest[kept:]


def _ends(db: Database) -> tuple[int, int]:
    """The lowest and the highest place that the index holds; (0, 0) if it is empty. Asked of the
    table of lengths, whose ends are found at once."""
    lowest = db.value("SELECT coalesce(min(id), 0) FROM node_text_docsize")
    return int(lowest), int(db.value("SELECT coalesce(max(id), 0) FROM node_text_docsize"))


def quoted(term: str) -> str:
    """The term as an FTS5 string: no character in it is an operator any more."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
