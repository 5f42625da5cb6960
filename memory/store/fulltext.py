"""Full text: finding nodes by their words, in any script.

The index holds ``segment(text)``, in which runs of Chinese, Japanese and Korean stand as single
characters and pairs, since SQLite's tokenizer sees such a run as one endless word.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.store.database import Database
from memory.store.segment import segment


def index(db: Database, place: int, text: str) -> None:
    """Make the words of a node or a piece findable. Belongs in the transaction that stores it."""
    db.execute("INSERT INTO node_text (rowid, body) VALUES (?, ?)", (place, segment(text)))


def remove(db: Database, place: int) -> None:
    """Take a place out of the index; does nothing if it is not in it."""
    db.execute("DELETE FROM node_text WHERE rowid = ?", (place,))


def matches(db: Database, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
    """The ``k`` best nodes that hold any of the terms: (position, BM25; higher is better).

    Rare terms weigh more. Equal scores come newest first.
    """
    asked = [quoted(term) for term in dict.fromkeys(terms) if term.strip()]
    if not asked or k < 1:
        return []
    rows = db.rows(
        "SELECT rowid, -rank FROM node_text WHERE node_text MATCH ? ORDER BY rank LIMIT ?",
        (" OR ".join(asked), k),
    )
    return sorted(((seq, score) for seq, score in rows), key=lambda hit: (-hit[1], -hit[0]))


def document_frequency(db: Database, term: str) -> int:
    """How many nodes hold the term, stemmed like the index (so ``runs`` counts ``running``).

    Asked of the index itself and not of its vocabulary table: that one holds stems, and knows
    nothing of a term that the tokenizer takes apart, as ``snake_case``.
    """
    if not term.strip():
        return 0
    return int(db.value("SELECT count(*) FROM node_text WHERE node_text MATCH ?", (quoted(term),)))


def holding(db: Database, term: str, seqs: Sequence[int]) -> set[int]:
    """Those of the positions whose node holds the term."""
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


def quoted(term: str) -> str:
    """The term as an FTS5 string: no character in it is an operator any more."""
    return '"' + term.replace('"', '""').replace("\0", " ") + '"'
