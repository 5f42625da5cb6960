"""Small BERT models as int8 ONNX files that other packages carry: text to one state a token.

Only data files of those packages are used; the packages are found without being imported. The
engine is onnxruntime with its memory arena off: the arena keeps gigabytes after one batch of long
texts. Texts of like length go together, eight at a time, so that little is padded.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .native import native
from .unavailable import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_TOKENS = 256
"""A text beyond this is not looked at; pieces of long texts are far shorter."""
MAX_CHARS = 4_096
"""Text beyond this is not even tokenised."""
BATCH = 8
"""Texts in one run of a model: more take more memory and, on two cores, no less time."""
BATCH_TOKENS = 1_024
"""Tokens in one run, with padding: of long texts fewer go together."""
THREADS = min(2, os.cpu_count() or 1)
"""Threads of one run. They sleep between runs: a model that spins would slow the screen."""


class OnnxEncoder:
    """One model with its tokenizer. Loaded at the first call; safe to call from several threads."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        """Raises :class:`EmbedderUnavailable` when a file or the engine is missing; reads neither
        yet."""
        for path in (model, tokenizer):
            if not path.is_file():
                raise EmbedderUnavailable(f"{path.name} is not in {path.parent}")
        if find_spec("onnxruntime") is None:
            raise EmbedderUnavailable("the package onnxruntime is not installed")
        self._model, self._tokenizer = model, tokenizer
        self._loading = threading.Lock()
        self._loaded: tuple[Any, Any, list[str]] | None = None

    def token(self, sign: str) -> int:
        """The number of a token. Raises :class:`EmbedderUnavailable` if there is none."""
        tokenizer = self._load()[1]
        with native():
            number = tokenizer.token_to_id(sign)
        if number is None:
            raise EmbedderUnavailable(f"{self._tokenizer} knows no token {sign}")
        return int(number)

    def numbers(self, text: str) -> list[int]:
        """The tokens of a text, with those that begin and end it."""
        tokenizer = self._load()[1]
        # One text at a time: batch encoding starts a thread pool that outlives the call and
        # complains about every later fork.
        sound = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        with native():
            return list(tokenizer.encode(sound).ids)

    def states(self, texts: Sequence[list[int]]) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """(index, states of shape (its tokens, 384)) for each text given as numbers, in any order.
        Raises :class:`EmbedderUnavailable` if a file cannot be read."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        while order:
            # From the longest down, which decides how many fit.
            most = min(BATCH, max(1, BATCH_TOKENS // max(1, len(texts[order[-1]]))))
            rows, order = order[-most:], order[:-most]
            out = self._run([texts[row] for row in rows])
            for row, states in zip(rows, out, strict=True):
                yield row, states[: len(texts[row])]

    def _run(self, batch: Sequence[list[int]]) -> NDArray[np.float32]:
        import numpy as np

        session, _, inputs = self._load()
        ids = np.zeros((len(batch), max(map(len, batch))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, numbers in enumerate(batch):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        with native():
            found: NDArray[np.float32] = session.run(None, {name: feed[name] for name in inputs})[0]
        return found

    def _load(self) -> tuple[Any, Any, list[str]]:
        with self._loading:
            if self._loaded is None:
                with native():
                    session = _session(self._model)
                    inputs = [each.name for each in session.get_inputs()]
                    self._loaded = session, _read_tokenizer(self._tokenizer), inputs
            return self._loaded


def folder_of(package: str) -> Path:
    """Where an installed package lies. Raises :class:`EmbedderUnavailable` if it is not there."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailable(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0])


def version_of(distribution: str) -> str:
    """The version of an installed distribution, for a stamp."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def _session(model: Path) -> Any:
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # The engine raises bare Exceptions of its own for whatever is wrong with the file.
        raise EmbedderUnavailable(f"{model} cannot be loaded: {error}") from error


def _read_tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer
    except Exception as error:
        # The library raises bare Exception for whatever is wrong with the file.
        raise EmbedderUnavailable(f"{path} is not a tokenizer: {error}") from error
