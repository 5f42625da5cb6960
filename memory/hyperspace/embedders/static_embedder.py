"""The bundled embedder: one fixed vector a token, averaged.

The vectors are the 256-dimensional ``l2_supercat`` weights that the wordllama package carries. Only
its two data files are used: the package is found without being imported, the weights are mapped
from disk (16 MB, of which only the rows of tokens that occur are ever read), and the tokenizer is
read by the ``tokenizers`` library.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .native import native
from .unavailable import EmbedderUnavailable as EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

MAX_TOKENS = 512
"""The vector of a text is the mean of its first so many tokens."""
MAX_CHARS = 4_096
"""Text beyond this is not even tokenised; 512 tokens of prose are some 2,000 characters."""

_PACKAGE = "wordllama"
_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
_DIMENSIONS = 256
_HEADER_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 1_000_000


class StaticEmbedder:
    """Averages fixed token vectors. Deterministic; safe to call from several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` holds ``weights/`` and ``tokenizers/``; by default the installed package's.
        Raises :class:`EmbedderUnavailable` when a file is missing. Reads neither file yet."""
        self._folder = folder or _package_folder()
        self._loading = threading.Lock()
        self._loaded: tuple[Tokenizer, NDArray[np.float16]] | None = None
        for name in (_WEIGHTS, _TOKENIZER):
            if not (self._folder / name).is_file():
                raise EmbedderUnavailable(f"{name} is not in {self._folder}")

    @cached_property
    def stamp(self) -> str:
        """Name, version of the weights' package, and how much of a text counts."""
        return f"wordllama-l2-supercat-256/{_package_version()}/{MAX_TOKENS}"

    @property
    def dimensions(self) -> int:
        """256."""
        return _DIMENSIONS

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), 256), rows of length 1, or of zeros for a text without tokens.

        Memory stays within one text's tokens (0.5 MB) whatever the batch. Raises
        :class:`EmbedderUnavailable` at the first call if a file cannot be read.
        """
        import numpy as np

        tokenizer, weights = self._load()
        vectors = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            # One text at a time: batch encoding starts a thread pool that outlives the call and
            # complains about every later fork.
            with native():
                found = tokenizer.encode(_encodable(text), add_special_tokens=False)
            ids = found.ids[:MAX_TOKENS]
            if not ids:
                continue
            mean = weights[np.asarray(ids)].astype(np.float32).mean(axis=0)
            length = float(np.linalg.norm(mean))
            if length > 0:
                vectors[row] = mean / length
        return vectors

    def _load(self) -> tuple[Tokenizer, NDArray[np.float16]]:
        with self._loading:
            if self._loaded is None:
                self._loaded = (
                    _read_tokenizer(self._folder / _TOKENIZER),
                    _map_weights(self._folder / _WEIGHTS),
                )
            return self._loaded


def _encodable(text: str) -> str:
    """What is embedded of a text; half characters, which no tokenizer takes, replaced."""
    return text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")


def _package_folder() -> Path:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable(f"the package {_PACKAGE} is not installed")
    return Path(spec.submodule_search_locations[0])


def _package_version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def _read_tokenizer(path: Path) -> Tokenizer:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EmbedderUnavailable(f"the package tokenizers does not load: {error}") from error
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:
        # The library raises bare Exception for whatever is wrong with the file.
        raise EmbedderUnavailable(f"{path} is not a tokenizer: {error}") from error


def _map_weights(path: Path) -> NDArray[np.float16]:
    """The matrix of a safetensors file that holds one float16 tensor, mapped read-only: eight
    bytes with the header's length, a JSON header, then the numbers."""
    import numpy as np

    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(_HEADER_LENGTH_BYTES), "little")
            if not 0 < size < _MAX_HEADER_BYTES:
                raise EmbedderUnavailable(f"{path} is not a safetensors file")
            tensor = _only_tensor(json.loads(file.read(size)))
        rows, columns = tensor["shape"]
        if tensor["dtype"] != "F16" or columns != _DIMENSIONS:
            raise EmbedderUnavailable(f"{path} holds {tensor['dtype']} {tensor['shape']}")
        offset = _HEADER_LENGTH_BYTES + size + tensor["data_offsets"][0]
        return np.memmap(path, dtype="<f2", mode="r", offset=offset, shape=(rows, columns))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderUnavailable(f"{path} cannot be read: {error}") from error


def _only_tensor(header: Any) -> dict[str, Any]:
    if not isinstance(header, dict):
        raise ValueError("its header is no table of tensors")
    tensors = [entry for name, entry in header.items() if name != "__metadata__"]
    if len(tensors) != 1:
        raise ValueError(f"{len(tensors)} tensors where one was expected")
    found: dict[str, Any] = tensors[0]
    return found
