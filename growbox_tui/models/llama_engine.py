"""Engine: one loaded GGUF, its context, and the tokens that stand in it. For one thread at a time.

Written against llama.cpp's C interface as ``llama_cpp`` binds it, not against its ``Llama`` class:
that one points the process's stdout and stderr elsewhere while it loads, which would tear the
screen, and evaluates a whole prompt without asking whether it is still wanted.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from growbox_tui.models.llama_library import library, spare_threads
from growbox_tui.models.llama_sampler import Sampling, free, guided
from growbox_tui.models.protocol import BadReply, ModelError, UnknownModel

FIRST_CONTEXT = 2048
"""Tokens of context at first. It doubles when a prompt needs more, so that short ones stay cheap
(the bundled model takes 23 kB a token)."""
LARGEST_BATCH, FIRST_BATCH, SMALLEST_BATCH = 256, 32, 8
"""Tokens evaluated between two looks at the cancel flag."""
SLOW, FAST = 0.4, 0.15
"""Seconds: a batch that takes longer halves the next, one that takes less doubles it."""


class Stopped(Exception):
    """The request was cancelled."""


class Engine:
    """Weights, context and what stands in it."""

    def __init__(self, path: Path, limit: int, *, first: int = FIRST_CONTEXT) -> None:
        """Load ``path``; prompt and reply together take at most ``limit`` tokens, and room for
        ``first`` of them is made at once. Raises ``UnknownModel`` with llama.cpp's own reason if
        the file cannot be used, ``BadReply`` if there is no memory for it."""
        self.limit = limit
        self.tokens: list[int] = []
        """What stands in the context, in order."""
        self._cpp = library().cpp
        self._path = path
        self._batch = FIRST_BATCH
        self._context: Any = None
        self._size = 0
        self._model = self._load()
        self._vocab = self._cpp.llama_model_get_vocab(self._model)
        try:
            self._fit(min(first, limit))
            self._check()
        except ModelError:
            self.close()
            raise

    def _check(self) -> None:
        pools = self._cpp.llama_pooling_type(self._context) > 0
        if pools or self._cpp.llama_model_has_encoder(self._model):
            raise UnknownModel(
                f"{self._path} is no chat model: it embeds or translates whole texts.",
                "Take a GGUF of an instruction-tuned language model.",
            )

    def _load(self) -> Any:
        parameters = self._cpp.llama_model_default_params()
        with library().complaints() as lines:
            model = self._cpp.llama_model_load_from_file(
                str(self._path).encode("utf-8"), parameters
            )
        if not model:
            # The first line names the cause, behind the name of a C function.
            why = lines[0].rpartition("model: ")[2] if lines else "llama.cpp gave no reason"
            raise UnknownModel(
                f"{self._path} cannot be loaded: {why}.",
                "Is the download whole? Compare its size, or take another GGUF.",
            )
        return model

    def close(self) -> None:
        """Free context and weights."""
        if self._context:
            self._cpp.llama_free(self._context)
        if self._model:
            self._cpp.llama_model_free(self._model)
        self._context = self._model = None
        self.tokens = []

    # ---- vocabulary --------------------------------------------------------------------------

    def metadata(self, key: str) -> str:
        """A text of the file's metadata, empty where it has none."""
        buffer = ctypes.create_string_buffer(1)
        wanted = self._cpp.llama_model_meta_val_str(self._model, key.encode(), buffer, 1)
        if wanted < 0:
            return ""
        buffer = ctypes.create_string_buffer(wanted + 1)
        self._cpp.llama_model_meta_val_str(self._model, key.encode(), buffer, wanted + 1)
        return buffer.value.decode("utf-8", "replace")

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text. Only with ``special`` do names like ``<|im_end|>`` become control
        tokens, so that the words of a file can never end a message."""
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        buffer = (self._cpp.llama_token * size)()
        count = self._cpp.llama_tokenize(self._vocab, data, len(data), buffer, size, False, special)
        if count < 0:
            raise BadReply(f"The local model's tokenizer failed on {len(data)} bytes.")
        return list(buffer[:count])

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes of a token; control tokens have none unless ``special``."""
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = self._cpp.llama_token_to_piece(self._vocab, token, buffer, size, 0, special)
            if count >= 0:
                return bytes(buffer.raw[:count])
            size = -count

    def is_end(self, token: int) -> bool:
        """Whether the model ends its reply with this token."""
        return bool(self._cpp.llama_vocab_is_eog(self._vocab, token))

    def is_control(self, token: int) -> bool:
        """Whether the token is no text but a mark of the chat format."""
        return bool(self._cpp.llama_vocab_is_control(self._vocab, token))

    @property
    def first_token(self) -> int | None:
        """The token that every prompt of this model begins with, if it wants one."""
        if not self._cpp.llama_vocab_get_add_bos(self._vocab):
            return None
        return int(self._cpp.llama_vocab_bos(self._vocab))

    def mark(self, which: str) -> str:
        """The text of the ``bos`` or ``eos`` token, empty where there is none."""
        token = getattr(self._cpp, f"llama_vocab_{which}")(self._vocab)
        return "" if token < 0 else self.piece(token, special=True).decode("utf-8", "replace")

    # ---- evaluation --------------------------------------------------------------------------

    def evaluate(self, tokens: Sequence[int], stopped: Callable[[], bool]) -> int:
        """Make ``tokens`` what stands in the context, keeping the longest common prefix.

        Returns how many were evaluated, as llama.cpp counted them (1 for an identical prompt: its
        last token is evaluated again). Raises ``Stopped`` between two batches, with what was done
        so far kept.
        """
        self._fit(len(tokens))
        keep = min(_common(self.tokens, tokens), len(tokens) - 1)
        memory = self._cpp.llama_get_memory(self._context)
        if not self._cpp.llama_memory_seq_rm(memory, 0, keep, -1):
            # Recurrent models cannot forget a part.
            self._cpp.llama_memory_clear(memory, True)
            keep = 0
        del self.tokens[keep:]
        self._cpp.llama_synchronize(self._context)
        self._cpp.llama_perf_context_reset(self._context)
        while len(self.tokens) < len(tokens):
            if stopped():
                raise Stopped
            start = len(self.tokens)
            size = min(self._batch, len(tokens) - start)
            if len(tokens) - start - size == 1:
                # llama.cpp counts a batch of one as a generated token, not as prompt.
                size -= 1
            before = time.monotonic()
            self.push(tokens[start : start + size])
            self._cpp.llama_synchronize(self._context)
            self._batch = next_batch(self._batch, time.monotonic() - before)
        return int(self._cpp.llama_perf_context(self._context).n_p_eval)

    def push(self, tokens: Sequence[int]) -> None:
        """Append tokens and evaluate them in one go."""
        self._fit(len(self.tokens) + len(tokens))
        array = (self._cpp.llama_token * len(tokens))(*tokens)
        code = self._cpp.llama_decode(
            self._context, self._cpp.llama_batch_get_one(array, len(tokens))
        )
        if code != 0:
            self._cpp.llama_memory_clear(self._cpp.llama_get_memory(self._context), True)
            self.tokens = []
            raise BadReply(f"llama.cpp could not go on (llama_decode returned {code}).")
        self.tokens.extend(tokens)

    def sampler(
        self, sampling: Sampling, grammar: str = ""
    ) -> AbstractContextManager[Callable[[], int]]:
        """Draws the next token after what stands in the context. With a ``grammar`` (GBNF, rule
        ``reply``) only tokens that it allows."""

        def context() -> Any:
            # Asked for each token: the context is another one after it has grown.
            return self._context

        if grammar:
            return guided(self._cpp, self._vocab, context, sampling, grammar)
        return free(self._cpp, self._vocab, context, sampling)

    # ---- context -----------------------------------------------------------------------------

    def _fit(self, wanted: int) -> None:
        """Have room for ``wanted`` tokens; what stands in the context moves along."""
        if wanted <= self._size:
            return
        size = self._size or wanted
        while size < wanted and size < self.limit:
            size = min(size * 2, self.limit)
        if wanted > size:
            raise BadReply(f"{wanted} tokens do not fit a context of {self.limit}.")
        fresh = self._open(size)
        if self.tokens:
            room = self._cpp.llama_state_seq_get_size(self._context, 0)
            state = (ctypes.c_uint8 * room)()
            self._cpp.llama_state_seq_get_data(self._context, state, room, 0)
            if not self._cpp.llama_state_seq_set_data(fresh, state, room, 0):
                self.tokens = []
        if self._context:
            self._cpp.llama_free(self._context)
        self._context, self._size = fresh, size

    def _open(self, size: int) -> Any:
        parameters = self._cpp.llama_context_default_params()
        parameters.n_ctx = size
        parameters.n_batch = parameters.n_ubatch = LARGEST_BATCH
        parameters.n_threads = parameters.n_threads_batch = spare_threads()
        parameters.no_perf = False
        context = self._cpp.llama_init_from_model(self._model, parameters)
        if not context:
            raise BadReply(
                f"There is no memory for a context of {size} tokens.",
                "Close other programs, take a smaller model, or set a smaller context.",
            )
        return context


def next_batch(size: int, seconds: float) -> int:
    """How many tokens to evaluate next, after ``size`` took ``seconds``: as many as keep
    cancelling quick."""
    if seconds > SLOW:
        return max(SMALLEST_BATCH, size // 2)
    return min(LARGEST_BATCH, size * 2) if seconds < FAST else size


def _common(old: Sequence[int], new: Sequence[int]) -> int:
    for index, (mine, yours) in enumerate(zip(old, new, strict=False)):
        if mine != yours:
            return index
    return min(len(old), len(new))
