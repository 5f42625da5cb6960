"""Asking: a question with its vectors, embedded once however many steps of the ladder want them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory.hyperspace.spaces import late, spaces
from memory.protocols import Embedder, Late
from memory.store import vectors
from memory.store.errors import VectorsUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Once:
    """An embedder that embeds each of some texts once: all of them when the first is asked for."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._texts = list(dict.fromkeys(texts))
        self._made: dict[str, NDArray[np.float32]] = {}
        parts = spaces(embedder)
        self.spaces: tuple[Embedder, ...] = (
            (self,) if len(parts) < 2 else tuple(Once(part, texts) for part in parts)
        )
        """As of the embedder itself, each once too."""

    @property
    def stamp(self) -> str:
        """As of the embedder itself."""
        return self._embedder.stamp

    @property
    def dimensions(self) -> int:
        """As of the embedder itself."""
        return self._embedder.dimensions

    @property
    def late(self) -> Late | None:
        """As of the embedder itself."""
        return late(self._embedder)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder itself. Raises what it raises."""
        import numpy as np

        new = list(dict.fromkeys(text for text in texts if text not in self._made))
        if new:
            wanted = list(dict.fromkeys((*new, *(self._texts if not self._made else ()))))
            self._made.update(zip(wanted, self._embedder.embed(wanted), strict=True))
        return np.stack([self._made[text] for text in texts])


def home(embedder: Embedder | None, question: str) -> tuple[str, NDArray[np.float32] | None]:
    """The stamp of the space that a question belongs in, and its unit vector there, shape
    (dimensions,); ``None`` where it has none or the embedder does not answer."""
    import numpy as np

    if embedder is None:
        return "", None
    for part in spaces(embedder):
        try:
            (made,) = vectors.embedded(part, [question])
        except VectorsUnavailable:
            continue
        if vectors.has_direction(made):
            vector = np.frombuffer(made, dtype="<f4")
            # Asked for after embedding: an embedder that falls back changes its stamp at that.
            return part.stamp, (vector / np.linalg.norm(vector)).astype(np.float32)
    return embedder.stamp, None


def cosine(vector: NDArray[np.float32], stored: bytes) -> float:
    """Of a unit vector, shape (dimensions,), and a stored one (little-endian float32)."""
    import numpy as np

    other = np.frombuffer(stored, dtype="<f4")
    return float(vector @ other / np.linalg.norm(other))
