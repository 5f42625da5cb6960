"""Engine: one loaded GGUF, its context, and the tokens that stand in it. For one thread at a time.

Written against llama.cpp's C interface as ``llama_cpp`` binds it, not against its ``Llama`` class:
that one points the process's stdout and stderr elsewhere while it loads, which would tear the
screen, and evaluates a whole prompt without asking whether it is still wanted.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from growbox_tui.models.llama_library import library, spare_threads
from growbox_tui.models.llama_sampler import Sampling, free, guided
from growbox_tui.models.llama_standing import common
from growbox_tui.models.llama_vocabulary import Vocabulary
from growbox_tui.models.llama_weighing import weigh
from growbox_tui.models.protocol import BadReply, ModelError, UnknownModel

FIRST_CONTEXT = 2048
"""Tokens of context at first. It doubles when a prompt needs more, so that short ones stay cheap
(the bundled model takes 23 kB a token)."""
LARGEST_BATCH, FIRST_BATCH, SMALLEST_BATCH = 256, 32, 8
"""Tokens evaluated between two looks at the cancel flag."""
SLOW, FAST = 0.4, 0.15
"""Seconds: a batch that takes longer halves the next, one that takes less doubles it."""


_ID_BYTES = 4
"""Of a token's number in a file."""
_MAIN, _ASIDE = 0, 1
"""llama.cpp's sequences: what stands, and a part of it while that is written to a file."""


class Stopped(Exception):
    """The request was cancelled; ``standing`` tokens of what was asked for stand in the context."""

    def __init__(self, standing: int) -> None:
        super().__init__(f"stopped at {standing} tokens")
        self.standing = standing


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
        self.vocabulary = Vocabulary(self._cpp, self._model)
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

    # ---- evaluation --------------------------------------------------------------------------

    def evaluate(self, tokens: Sequence[int], stopped: Callable[[], bool]) -> int:
        """Make ``tokens`` what stands in the context, keeping the longest common prefix.

        Returns how many were evaluated, as llama.cpp counted them (1 for an identical prompt: its
        last token is evaluated again). Raises ``Stopped`` between two batches, with what was done
        so far kept.
        """
        self._fit(len(tokens))
        keep = min(common(self.tokens, tokens), len(tokens) - 1)
        memory = self._cpp.llama_get_memory(self._context)
        if not self._cpp.llama_memory_seq_rm(memory, _MAIN, keep, -1):
            # Recurrent models cannot forget a part.
            self._cpp.llama_memory_clear(memory, True)
            keep = 0
        del self.tokens[keep:]
        self._cpp.llama_synchronize(self._context)
        self._cpp.llama_perf_context_reset(self._context)
        while len(self.tokens) < len(tokens):
            if stopped():
                raise Stopped(len(self.tokens))
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
            self.forget()
            raise BadReply(f"llama.cpp could not go on (llama_decode returned {code}).")
        self.tokens.extend(tokens)

    def weigh(self, tokens: Sequence[int]) -> float:
        """Append tokens, at most ``LARGEST_BATCH`` of them; the logarithm of the probability that
        they follow what stands, which must be something."""
        self._fit(len(self.tokens) + len(tokens))
        try:
            sure = weigh(self._cpp, self._context, self.vocabulary.handle, tokens, len(self.tokens))
        except BadReply:
            self.forget()
            raise
        self.tokens.extend(tokens)
        return sure

    def forget(self) -> None:
        """Leave nothing standing."""
        self._cpp.llama_memory_clear(self._cpp.llama_get_memory(self._context), True)
        self.tokens = []

    def sampler(
        self, sampling: Sampling, grammar: str = ""
    ) -> AbstractContextManager[Callable[[], int]]:
        """Draws the next token after what stands in the context. With a ``grammar`` (GBNF, rule
        ``reply``) only tokens that it allows."""

        def context() -> Any:
            # Asked for each token: the context is another one after it has grown.
            return self._context

        if grammar:
            return guided(self._cpp, self.vocabulary.handle, context, sampling, grammar)
        return free(self._cpp, self.vocabulary.handle, context, sampling)

    # ---- files -------------------------------------------------------------------------------

    @property
    def forgets_parts(self) -> bool:
        """Whether the end of what stands can be taken back; recurrent models keep all or none."""
        recurrent = self._cpp.llama_model_is_recurrent(self._model)
        return not (recurrent or self._cpp.llama_model_is_hybrid(self._model))

    @property
    def bytes_per_token(self) -> int:
        """What a token takes in a file, by what stands now."""
        size = int(self._cpp.llama_state_seq_get_size(self._context, _MAIN))
        return _ID_BYTES + size // max(1, len(self.tokens))

    @property
    def build(self) -> str:
        """Who wrote a file, and for what kind of context: only the same can read it."""
        made = self._parameters(0)
        names = ("type_k", "type_v", "flash_attn_type", "rope_freq_base", "rope_freq_scale")
        kind = [getattr(made, name) for name in (*names, "swa_full", "kv_unified", "n_seq_max")]
        system = self._cpp.llama_print_system_info().decode("utf-8", "replace")
        version = f"{self._cpp.__version__} {self._cpp.LLAMA_STATE_SEQ_VERSION}"
        return f"{version} {kind} {system}"

    def write(self, path: Path, count: int) -> int:
        """Write the first ``count`` tokens that stand, and what was computed of them. Returns the
        bytes written, 0 if llama.cpp could not."""
        array = (self._cpp.llama_token * count)(*self.tokens[:count])
        memory = self._cpp.llama_get_memory(self._context)
        part = _ASIDE if count < len(self.tokens) else _MAIN
        if part:
            # The cells are shared, not copied.
            self._cpp.llama_memory_seq_cp(memory, _MAIN, part, 0, count)
        try:
            return int(
                self._cpp.llama_state_seq_save_file(
                    self._context, os.fsencode(path), part, array, count
                )
            )
        finally:
            if part:
                self._cpp.llama_memory_seq_rm(memory, part, -1, -1)

    def read(self, path: Path, tokens: Sequence[int]) -> bool:
        """Make what ``write`` wrote stand instead of what does. Returns whether it held exactly
        these ``tokens``; if not, nothing stands afterwards.

        llama.cpp ends the process over a file that is cut short: whoever calls has compared it
        with its checksum.
        """
        self.forget()
        self._fit(len(tokens))
        array = (self._cpp.llama_token * len(tokens))()
        count = ctypes.c_size_t()
        done = self._cpp.llama_state_seq_load_file(
            self._context, os.fsencode(path), _MAIN, array, len(tokens), ctypes.byref(count)
        )
        if not done or list(array[: count.value]) != list(tokens):
            self.forget()
            return False
        self.tokens = list(tokens)
        return True

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

    def _parameters(self, size: int) -> Any:
        parameters = self._cpp.llama_context_default_params()
        parameters.n_ctx = size
        parameters.n_batch = parameters.n_ubatch = LARGEST_BATCH
        parameters.n_threads = parameters.n_threads_batch = spare_threads()
        parameters.no_perf = False
        parameters.n_seq_max = 2
        # All cells for either sequence, instead of half of them for each.
        parameters.kv_unified = True
        return parameters

    def _open(self, size: int) -> Any:
        context = self._cpp.llama_init_from_model(self._model, self._parameters(size))
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
