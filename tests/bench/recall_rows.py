"""The rows that recall is measured against: plain ways of finding, over the same texts.

BM25 by SQLite's full text (porter; Chinese in pairs), one vector a text, both again over each text
with the one before and the one after it, and their sums as standardised scores.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.hyperspace.script import is_wide
from memory.store.segment import match_terms, segment
from tests.bench.known_vectors import KnownVectors
from tests.bench.recall_sets import Corpus, Text

Scores = NDArray[np.float32]
"""One for each text."""
Row = Callable[[str], Scores]

WINDOWED_AT_MOST = 20_000
"""Texts; of more only the rows without neighbours are made, which take long enough."""


class Vectors:
    """Vectors of texts and questions, each embedded once: MiniLM's, static ones for Chinese."""

    def __init__(self, embedder: KnownVectors) -> None:
        self._spaces = embedder.spaces
        self._known: dict[str, Scores] = {}

    def of(self, texts: Sequence[str]) -> Scores:
        """Shape (len(texts), dimensions) of the space that most of the texts live in."""
        space = self._spaces[2 * sum(map(is_wide, texts)) > len(texts)]
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(new), 64):
            batch = new[start : start + 64]
            self._known.update(zip(batch, space.embed(batch), strict=True))
        width = space.dimensions
        return np.stack([_wide(self._known[text], width) for text in texts])


def _wide(row: Scores, width: int) -> Scores:
    return row if len(row) == width else np.zeros(width, dtype=np.float32)


def rows(corpus: Corpus, vectors: Vectors) -> dict[str, Row]:
    """Name → what scores all texts of a corpus for a question."""
    texts = [text.words for text in corpus.texts]
    around = windows(corpus.texts)
    made = {"bm25": bm25(texts), "vector": by_vector(texts, vectors)}
    if around != texts and len(texts) <= WINDOWED_AT_MOST:
        made |= {"bm25_beside": bm25(around), "vector_beside": by_vector(around, vectors)}
        made["z_bm25_both"] = summed(made["bm25"], made["bm25_beside"])
    made["z_bm25_vector"] = summed(made["bm25"], made["vector"])
    if "bm25_beside" in made:
        made["z_all_four"] = summed(
            made["bm25"], made["bm25_beside"], made["vector"], made["vector_beside"]
        )
    return made


def windows(texts: Sequence[Text]) -> list[str]:
    """Each text with the one before and the one after it in its session."""
    joined = []
    for place, text in enumerate(texts):
        near = texts[max(0, place - 1) : place + 2]
        joined.append("\n".join(each.words for each in near if each.session == text.session))
    return joined


def bm25(texts: Sequence[str]) -> Row:
    """BM25 of the texts for a question."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE held USING fts5(body, tokenize = 'porter unicode61')")
    db.executemany("INSERT INTO held (rowid, body) VALUES (?, ?)", enumerate(map(segment, texts)))

    def scored(question: str) -> Scores:
        scores = np.zeros(len(texts), dtype=np.float32)
        terms = " OR ".join(f'"{term}"' for term in match_terms(question))
        if terms:
            found = db.execute("SELECT rowid, -rank FROM held WHERE held MATCH ?", (terms,))
            for place, score in found:
                scores[place] = score
        return scores

    return scored


def by_vector(texts: Sequence[str], vectors: Vectors) -> Row:
    """Cosines of the texts to a question."""
    matrix = vectors.of(texts)

    def scored(question: str) -> Scores:
        (asked,) = vectors.of([question])
        if len(asked) != matrix.shape[1]:
            return np.zeros(len(texts), dtype=np.float32)
        found: Scores = matrix @ asked
        return found

    return scored


def summed(*parts: Row) -> Row:
    """Standardised scores, added."""

    def scored(question: str) -> Scores:
        total: Scores = np.sum([standard(part(question)) for part in parts], axis=0)
        return total

    return scored


def standard(scores: Scores) -> Scores:
    """Zero mean and unit variance; zeros where all are equal."""
    spread = float(scores.std())
    return (scores - scores.mean()) / spread if spread > 1e-9 else scores * 0


def best(scores: Scores, k: int) -> list[int]:
    """Places of the ``k`` best, best first."""
    return [int(place) for place in np.argsort(-scores, kind="stable")[:k]]
