"""What memory asks of others: vectors and the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from memory.recollection import Candidate, Judgement

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


class Judge(Protocol):
    """Reads raw text and says of each candidate whether it bears on a question."""

    @property
    def stamp(self) -> str:
        """Name and version: what one judge has read another has not."""

    @property
    def able(self) -> bool:
        """Whether its yes and no may change anything: calibration found it able. A judge that is
        not is never asked, and reading is offered to the foreground model instead."""

    @property
    def window(self) -> int:
        """Tokens of candidates that one call may hold."""

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        """One call. May raise anything: all of its candidates are then unknown, which changes no
        state."""


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
