"""What memory asks of others: vectors and the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

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


class Late(Protocol):
    """Late interaction: a code a text, and how well coded texts answer a question. An embedder may
    have one as ``late``; its codes are of the embedder's stamp."""

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        """One a text, empty for a text without tokens. Blocking, as ``Embedder.embed``."""

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        """Shape (len(codes),), higher is better; 0 for an empty code. Blocking."""


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


@runtime_checkable
class Scorer(Protocol):
    """A judge that can say how well a text answers a question, in figures of its own: from where on
    they mean yes or no is found by calibration."""

    @property
    def stamp(self) -> str:
        """Name and version."""

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One a text, higher is better. May raise anything."""


class Chooser(Protocol):
    """Reads the sentences of a long text and says where something new begins in it."""

    @property
    def window(self) -> int:
        """Tokens of sentences that one call may hold."""

    async def breaks(self, sentences: Sequence[str]) -> Sequence[int]:
        """Numbers of sentences, from 0, that begin a piece. Numbers of none are passed over. May
        raise anything: the size alone then decides."""


class Clock(Protocol):
    """The time."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
