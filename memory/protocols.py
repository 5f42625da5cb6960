"""What memory asks of others: vectors and the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Text to vectors of one fixed length."""

    @property
    def stamp(self) -> str:
        """Name and version. Vectors of two stamps are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of each vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of length 1; a row of zeros where a text has
        nothing to embed. Blocking; loads its weights at the first call."""


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
