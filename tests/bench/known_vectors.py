"""The bundled embedders, each text embedded once in a process: a bench fills several memories with
the same texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.hyperspace.embedders.choose import choose
from memory.hyperspace.spaces import is_for_wide, late
from memory.protocols import Embedder, Late


class KnownSpace:
    """One space, and the codes of its texts if it keeps any."""

    def __init__(self, space: Embedder) -> None:
        self._space, self._late = space, late(space)
        self.wide = is_for_wide(space)
        self.late: Late | None = self if self._late else None
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._codes: dict[str, bytes] = {}

    @property
    def stamp(self) -> str:
        """As of the space."""
        return self._space.stamp

    @property
    def dimensions(self) -> int:
        """As of the space."""
        return self._space.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the space."""
        new = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if len(texts) == 1:  # a question, which is to cost what it costs
            return self._space.embed(texts)
        if new:
            self._vectors.update(zip(new, self._space.embed(new), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        """As of late interaction."""
        new = list(dict.fromkeys(text for text in texts if text not in self._codes))
        if new and self._late:
            self._codes.update(zip(new, self._late.codes(new), strict=True))
        return [self._codes[text] for text in texts]

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        """As of late interaction."""
        if self._late is None:
            raise LookupError(self.stamp)
        return self._late.answers(question, codes)


class KnownVectors:
    """All spaces, as one embedder too."""

    def __init__(self) -> None:
        self.spaces = tuple(KnownSpace(space) for space in choose().spaces)

    @property
    def stamp(self) -> str:
        """Of all spaces."""
        return "+".join(space.stamp for space in self.spaces)

    @property
    def dimensions(self) -> int:
        """Of all spaces together."""
        return sum(space.dimensions for space in self.spaces)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of all spaces side by side."""
        return np.hstack([space.embed(texts) for space in self.spaces])
