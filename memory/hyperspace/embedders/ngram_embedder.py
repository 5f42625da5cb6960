"""An embedder without weights: character n-grams hashed into 256 signed buckets.

It knows no meanings, only spelling: texts that share words, stems or identifiers come near each
other, in any script. It serves where the bundled weights do not load.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_CHARS = 4_096
"""Text beyond this does not count."""

_DIMENSIONS = 256
_WORD = re.compile(r"[^\W_]+")
_SIGN_BIT = 1 << 16


class NgramEmbedder:
    """Hashes a word's character pairs (of non-ASCII text) or triples (of ASCII) and the word."""

    @property
    def stamp(self) -> str:
        """Name and version of the hashing."""
        return "growbox-ngram-256/1"

    @property
    def dimensions(self) -> int:
        """256."""
        return _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), 256), rows of length 1, or of zeros for a text without words."""
        import numpy as np

        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            for gram, count in Counter(_grams(text[:MAX_CHARS])).items():
                code = zlib.crc32(gram.encode("utf-8", "replace"))
                # Signs let two grams in one bucket cancel as often as they add, so that unrelated
                # texts stay near a cosine of zero. Damped counts keep one word from ruling.
                sign = 1.0 if code & _SIGN_BIT else -1.0
                vectors[row, code % _DIMENSIONS] += sign * count**0.5
            length = float(np.linalg.norm(vectors[row]))
            if length > 0:
                vectors[row] /= length
        return vectors


def _grams(text: str) -> Iterator[str]:
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield word
        padded, size = (f"^{word}$", 3) if word.isascii() else (word, 2)
        for place in range(len(padded) - size + 1):
            yield padded[place : place + size]
