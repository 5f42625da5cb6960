"""The retrieval that the reference figures were made with: three standardised scores, added.

The cosine of the turn, BM25 of the turn, and BM25 of the turn with what stands beside it. Own
numbers in plain arrays, apart from the product's search.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from tests.bench.learning.corpus import Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1, B = 1.5, 0.75
_WORD = re.compile(r"[a-z0-9]+")
_HOLDING = """
    a an and are as at be been but by did do does for from had has have he her his how i in is it
    its of on or our she that the their them there they this to was we were what when where which
    who why will with would you your
"""
_FUNCTION = frozenset(_HOLDING.split())


class Bm25:
    """BM25 with stems, over texts that do not change."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index the texts."""
        import numpy as np

        counts = [Counter(words(text)) for text in texts]
        lengths = np.array([sum(each.values()) for each in counts], dtype=np.float32)
        norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        rows: dict[str, list[tuple[int, float]]] = {}
        for row, each in enumerate(counts):
            for word, n in each.items():
                rows.setdefault(word, []).append((row, n / (n + float(norm[row]))))
        self._size = len(texts)
        self._rows = {
            word: (
                np.array([row for row, _ in held]),
                np.array([worth for _, worth in held], dtype=np.float32)
                * log(1 + (len(texts) - len(held) + 0.5) / (len(held) + 0.5)),
            )
            for word, held in rows.items()
        }

    def scores(self, question: str) -> NDArray[np.float32]:
        """One score a text, shape (texts,)."""
        import numpy as np

        total = np.zeros(self._size, dtype=np.float32)
        for word in words(question):
            if word in self._rows:
                places, worth = self._rows[word]
                total[places] += worth
        return total


class Mix:
    """Search over turns, with the vectors of the turns (shape (turns, dimensions), unit rows)."""

    def __init__(self, turns: Sequence[Turn], vectors: NDArray[np.float32]) -> None:
        """Index the turns."""
        self._vectors = vectors
        self._narrow = Bm25([turn.text for turn in turns])
        self._wide = Bm25(beside(turns))

    def ranked(self, text: str, vector: NDArray[np.float32], depth: int) -> tuple[int, ...]:
        """The best places, best first."""
        import numpy as np

        columns = (self._vectors @ vector, self._narrow.scores(text), self._wide.scores(text))
        total = np.sum([_standard(column) for column in columns], axis=0)
        return tuple(int(row) for row in np.argsort(-total, kind="stable")[:depth])


def beside(turns: Sequence[Turn]) -> list[str]:
    """Each turn with the one before and the one after it in its session."""
    joined = []
    for at, turn in enumerate(turns):
        around = turns[max(0, at - 1) : at + 2]
        joined.append("\n".join(each.text for each in around if each.unit == turn.unit))
    return joined


def words(text: str) -> list[str]:
    """Lower-case words without function words, without their endings."""
    return [_bare(word) for word in _WORD.findall(text.lower()) if word not in _FUNCTION]


def _bare(word: str) -> str:
    for ending in ("ing", "ies", "ied", "ed", "es", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _standard(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    spread = float(scores.std())
    standard: NDArray[np.float32] = (scores - scores.mean()) / (spread if spread > 1e-9 else 1.0)
    return standard
