"""How like two questions are by their words, and from what likeness on they are like at all.

Vectors take "Where is Anna's key?" and "Where is Tom's key?" for nearly the same; the rare words of
a past question that this one does not hold tell them apart. Where "like" begins is learned from the
store: the questions on file that were answered by different memories are unlike each other, however
near they are, so a question has to be nearer than most of those.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.recall.by_text import telling_terms
from memory.recall.pointers import CLEARNESS, Bars, clearness, match
from memory.store.keys import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHANCE = 0.85
"""The share of past questions whose nearest unlike one is farther than the bar: about one in six
new questions is led somewhere for nothing, which costs the reading of what it is led to (measured
on the learning bench)."""
SAMPLE = 256
"""Questions that are compared with all others to set the bars."""
FEWEST = 16
"""With fewer questions that have a vector chance is not known: only the nearest are followed."""
GROWN = 1.25
"""The bars are set anew when there are so many times more questions."""
ENDINGS = ("ing", "ies", "ed", "es", "e", "s")
"""What an English word may end in and be the same."""


class Likeness:
    """The words of the questions that lead somewhere, and the bars. For one thread; follows the
    ``Keys`` that it is given, and sets the bars anew only as the questions become more."""

    def __init__(self) -> None:
        self._keys: Keys | None = None
        self._numbers: dict[str, int] = {}
        self._terms: dict[int, NDArray[np.int64]] = {}
        self._words = _Words()
        self._bars: dict[str, tuple[int, Bars]] = {}

    def coverage(self, keys: Keys, text: str) -> NDArray[np.float32]:
        """Shape (questions,): the share, 0 to 1, of what each past question is about that this one
        speaks of too. Rare words weigh more; what a typed word ends in does not count."""
        self._follow(keys)
        return self._words.covered(self._known(text))

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
        for each in keys.questions:
            if each.id not in self._terms:
                new = [self._numbers.setdefault(t, len(self._numbers)) for t in terms(each.text)]
                self._terms[each.id] = _sorted(new)
        self._words = _Words.of([self._terms[each.id] for each in keys.questions])
        self._keys = keys

    def _known(self, text: str) -> NDArray[np.int64]:
        """The numbers of those words of a text that any past question holds."""
        return _sorted([self._numbers[term] for term in terms(text) if term in self._numbers])

    def _set(self, keys: Keys) -> Bars:
        import numpy as np

        filled = np.flatnonzero(keys.vectors.any(axis=1))
        drawn = filled[:: max(1, len(filled) // SAMPLE)]
        cosines = keys.vectors[drawn] @ keys.vectors.T
        pairs = (
            self._nearest_unlike(keys, int(row), near)
            for row, near in zip(drawn, cosines, strict=True)
        )
        unlike = [pair for pair in pairs if pair is not None]
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
        self, keys: Keys, row: int, cosines: NDArray[np.float32]
    ) -> tuple[float, float] | None:
        """(strength and clearness, cosine) of the nearest one that other memories answered."""
        strengths = match(cosines, self._words.covered(self._terms[keys.questions[row].id]))
        own = {key.target for key in keys.of[keys.questions[row].id]}
        ends, nearest, clear = clearness(keys, strengths, own)
        if not ends:
            return None
        return nearest + CLEARNESS * clear, clearness(keys, cosines, own)[1]


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of past questions, one question after the other."""

    flat: NDArray[np.int64] | None = None
    """Numbers of words; ``None`` where there is no question."""
    row: NDArray[np.int64] | None = None
    """The question of each."""
    weight: NDArray[np.float64] | None = None
    """What each is worth in its question: shares of 1."""
    size: int = 0
    """How many questions."""

    @classmethod
    def of(cls, held: list[NDArray[np.int64]]) -> _Words:
        """Rare words weigh more: by the logarithm of how few questions hold them."""
        import numpy as np

        if not held:
            return cls()
        flat, size = np.concatenate(held), len(held)
        row = np.repeat(np.arange(size), [len(each) for each in held])
        rarity = np.log(1 + (size + 0.5) / (np.bincount(flat) + 0.5))[flat]
        mass = np.bincount(row, weights=rarity, minlength=size)
        return cls(flat, row, rarity / mass[row], size)

    def covered(self, asked: NDArray[np.int64]) -> NDArray[np.float32]:
        """Shape (questions,): which share of each is among the words asked."""
        import numpy as np

        if self.flat is None or self.row is None or self.weight is None:
            return np.zeros(0, dtype=np.float32)
        there = np.isin(self.flat, asked)
        shares = np.bincount(self.row[there], weights=self.weight[there], minlength=self.size)
        return np.minimum(shares, 1.0).astype(np.float32)


def _sorted(numbers: list[int]) -> NDArray[np.int64]:
    import numpy as np

    return np.array(sorted(numbers), dtype=np.int64)


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
