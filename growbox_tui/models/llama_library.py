"""llama.cpp, imported once and made silent; while a model loads, its complaints are listened to."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

_ERROR_LEVEL = 4
"""GGML_LOG_LEVEL_ERROR."""


@dataclass(frozen=True, slots=True)
class Library:
    """The module and the callback that swallows its log.

    llama.cpp holds the callback by address and may call it at any time, so both live together.
    """

    cpp: Any
    quiet: Any

    @contextmanager
    def complaints(self) -> Iterator[list[str]]:
        """The error lines that llama.cpp logs inside the block."""
        lines: list[str] = []

        def listen(level: int, text: bytes, data: object) -> None:
            if level == _ERROR_LEVEL:
                lines.append(text.decode("utf-8", "replace").strip())

        ear = self.cpp.llama_log_callback(listen)
        self.cpp.llama_log_set(ear, ctypes.c_void_p(0))
        try:
            yield lines
        finally:
            self.cpp.llama_log_set(self.quiet, ctypes.c_void_p(0))


def _swallow(level: int, text: bytes, data: object) -> None:
    """Without a callback llama.cpp writes to stderr, across whatever the screen shows."""


@cache
def library() -> Library:
    """Import and silence llama.cpp; takes about 0.2 s the first time."""
    import llama_cpp

    quiet = llama_cpp.llama_log_callback(_swallow)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    return Library(llama_cpp, quiet)


def spare_threads() -> int:
    """All cores that we may use but one, which stays for the screen."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, cores - 1)
