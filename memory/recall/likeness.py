"""How like two questions are by their words, and from what likeness on they are like at all.

Vectors take "Where is Anna's key?" and "Where is Tom's key?" for nearly the same; the rare words of
a past question that this one does not hold tell them apart. Where "like" begins is learned from the
store: the questions on file that were answered by different memories are unlike each other, however
near they are, so a question has to be nearer than most of those.
"""

from __future__ import annotations

from collections import Counter
from math import fsum, log
from typing import TYPE_CHECKING

from memory.recall.by_text import telling_terms
from memory.recall.pointers import Bars, match
from memory.store.keys import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHANCE = 0.8
"""The share of past questions whose nearest unlike one is farther than the bar: one in five new
questions is led somewhere for nothing, which costs the reading of what it is led to (measured on
the learning bench: a higher share misses rewordings, a lower one saves nothing)."""
SAMPLE = 384
"""Questions that are compared with all others to set the bars."""
FEWEST = 16
"""With fewer questions that have a vector chance is not known: only the nearest are followed."""
NEAREST = 64
"""Among so many nearest questions one is looked for that is unlike."""
GROWN = 1.25
"""The bars are set anew when there are so many times more questions."""
ENDINGS = ("ing", "ies", "ed", "es", "e", "s")
"""What an English word may end in and be the same."""


class Likeness:
    """The words of the questions that lead somewhere, and the bars. For one thread; follows the
    ``Keys`` that it is given, and sets the bars anew only as the questions become more."""

    def __init__(self) -> None:
        self._keys: Keys | None = None
        self._terms: dict[int, frozenset[str]] = {}
        self._rows: dict[str, list[int]] = {}
        self._weights: dict[str, float] = {}
        self._masses: list[float] = []
        self._bars: dict[str, tuple[int, Bars]] = {}

    def coverage(self, keys: Keys, text: str) -> NDArray[np.float32]:
        """Shape (questions,): the share, 0 to 1, of what each past question is about that this one
        speaks of too. Rare words weigh more; what a typed word ends in does not count."""
        self._follow(keys)
        return self._covered(terms(text))

    def bars(self, keys: Keys) -> Bars:
        """From what likeness on a key of this embedder is followed, and from what on it counts."""
        known, bars = self._bars.get(keys.stamp, (0, None))
        filled = int(keys.vectors.any(axis=1).sum())
        if bars is None or not known <= filled < max(known + 4, GROWN * known):
            self._follow(keys)
            bars = self._set(keys)
            self._bars[keys.stamp] = (filled, bars)
        return bars

    def _follow(self, keys: Keys) -> None:
        if keys is self._keys:
            return
        held = {each.id: self._terms.get(each.id) or terms(each.text) for each in keys.questions}
        counts = Counter(term for of in held.values() for term in of)
        total = len(held)
        weights = {term: log(1 + (total + 0.5) / (n + 0.5)) for term, n in counts.items()}
        rows: dict[str, list[int]] = {}
        for row, each in enumerate(keys.questions):
            for term in held[each.id]:
                rows.setdefault(term, []).append(row)
        self._terms, self._weights, self._rows = held, weights, rows
        self._masses = [
            fsum(weights[term] for term in held[each.id]) or 1.0 for each in keys.questions
        ]
        self._keys = keys

    def _covered(self, asked: frozenset[str]) -> NDArray[np.float32]:
        import numpy as np

        covered = np.zeros(len(self._masses), dtype=np.float32)
        for term in sorted(asked):
            rows = self._rows.get(term)
            if rows:
                covered[rows] += self._weights[term]
        covered /= np.array(self._masses, dtype=np.float32)
        return np.minimum(covered, np.float32(1.0))

    def _set(self, keys: Keys) -> Bars:
        import numpy as np

        filled = np.flatnonzero(keys.vectors.any(axis=1))
        step = max(1, len(filled) // SAMPLE)
        ends = [frozenset(key.target for key in keys.of[each.id]) for each in keys.questions]
        unlike = [
            pair for row in filled[::step] if (pair := self._nearest_unlike(keys, int(row), ends))
        ]
        if not unlike:
            return Bars(follow=1.0, boost=1.0)
        strengths, cosines = np.array(unlike).T
        if len(unlike) < FEWEST:
            nearest = (1.0 + float(strengths.max())) / 2
            return Bars(follow=nearest, boost=nearest)
        return Bars(
            follow=float(np.quantile(strengths, CHANCE)),
            boost=float(np.median(cosines)),
            spread=max(0.02, float(cosines.std())),
        )

    def _nearest_unlike(
        self, keys: Keys, row: int, ends: list[frozenset[int]]
    ) -> tuple[float, float] | None:
        """(strength, cosine) of the nearest question that other memories answered."""
        import numpy as np

        cosines = keys.vectors @ keys.vectors[row]
        strengths = match(cosines, self._covered(self._terms[keys.questions[row].id]))
        unlike = [
            other
            for other in np.argsort(-strengths, kind="stable")[:NEAREST]
            if not ends[row] & ends[other]
        ]
        if not unlike:
            return None
        return float(strengths[unlike[0]]), float(cosines[unlike].max())


def terms(text: str) -> frozenset[str]:
    """The telling words of a question, without their endings."""
    return frozenset(_bare(term) for term in telling_terms(text))


def _bare(term: str) -> str:
    if term.isascii() and term.isalpha():
        for ending in ENDINGS:
            if term.endswith(ending) and len(term) - len(ending) >= 3:
                term = term[: -len(ending)]
                break
    return term
