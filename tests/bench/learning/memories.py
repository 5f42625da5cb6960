"""Reference memories: what a memory can be measured against, over somebody else's ranking.

Each proposes places to read first, and is told what was needed. ``blind`` ones are believed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TAU = 0.8
"""The cosine from which on two questions count as the same: best of 0.7 to 0.9 for MiniLM."""
FANOUT = 2
"""Keys that are followed at most."""
PATIENCE = 2
"""Misses in a row after which a key is dropped."""
SAME = 0.98
"""The cosine of questions of which only the newer one's answers are kept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is asked: in some wording, with its vector (shape (dimensions,))."""

    text: str
    vector: NDArray[np.float32]
    needed: frozenset[int]
    """Only for whoever is told: the reader and the ideal memo."""


class Reference(Protocol):
    """What a reference memory does."""

    blind: bool

    def propose(self, asked: Asked) -> tuple[int, ...]:
        """Places to read first."""

    def learn(self, asked: Asked, found: frozenset[int]) -> None:
        """What was needed and found."""


class Plain:
    """Retrieval without a memory: flat by construction."""

    blind = False

    def propose(self, asked: Asked) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def learn(self, asked: Asked, found: frozenset[int]) -> None:
        """Nothing."""


@dataclass(slots=True)
class ExactMemo:
    """Remembers what answered a question, word for word."""

    blind: bool = False
    answers: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def propose(self, asked: Asked) -> tuple[int, ...]:
        """What answered the same words."""
        return self.answers.get(_words(asked.text), ())

    def learn(self, asked: Asked, found: frozenset[int]) -> None:
        """The newest answer holds."""
        self.answers[_words(asked.text)] = tuple(sorted(found))


@dataclass(slots=True)
class IdealMemo:
    """Is told what is needed and proposes it once it was found: no memory can do better."""

    blind: bool = False
    known: set[int] = field(default_factory=set)

    def propose(self, asked: Asked) -> tuple[int, ...]:
        """All that is needed, if all of it was found before."""
        return tuple(sorted(asked.needed)) if asked.needed <= self.known else ()

    def learn(self, asked: Asked, found: frozenset[int]) -> None:
        """What was found is known."""
        self.known |= found


@dataclass(slots=True)
class _Key:
    vector: NDArray[np.float32]
    targets: tuple[int, ...]
    misses: int = 0


@dataclass(slots=True)
class NearestKeys:
    """Keys are vectors of questions that succeeded. As a blind cache the nearest is believed; as
    reference pointers the targets of the nearest two are read first and the search follows."""

    blind: bool = False
    keys: list[_Key] = field(default_factory=list)
    used: list[_Key] = field(default_factory=list)

    def propose(self, asked: Asked) -> tuple[int, ...]:
        """The targets of the nearest keys above the bar."""
        near = self._nearest(asked.vector)[: 1 if self.blind else FANOUT]
        self.used = [key for cosine, key in near if cosine >= TAU]
        return tuple(dict.fromkeys(place for key in self.used for place in key.targets))

    def learn(self, asked: Asked, found: frozenset[int]) -> None:
        """A success makes a key; one that missed twice in a row goes, unless it is believed."""
        for key in self.used:
            key.misses = 0 if found & set(key.targets) else key.misses + 1
        if not self.blind:
            gone = [key for key in self.used if key.misses >= PATIENCE]
            self.keys = [key for key in self.keys if not any(key is each for each in gone)]
        if not found:
            return
        targets = tuple(sorted(found))
        near = self._nearest(asked.vector)
        if near and near[0][0] > SAME:
            if near[0][1].targets != targets:
                near[0][1].targets, near[0][1].misses = targets, 0
            return
        self.keys.append(_Key(asked.vector, targets))

    def _nearest(self, vector: NDArray[np.float32]) -> Sequence[tuple[float, _Key]]:
        import numpy as np

        if not self.keys:
            return []
        cosines = np.stack([key.vector for key in self.keys]) @ vector
        best = np.argsort(-cosines, kind="stable")[:FANOUT]
        return [(float(cosines[row]), self.keys[row]) for row in best]


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
