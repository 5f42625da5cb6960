"""Native code at the end of a process: none runs any more when the interpreter goes.

A thread that is in an engine's C++ or Rust when Python ends takes the process down with it: it
asks for the interpreter's lock, is told to end, and unwinds frames that must not be unwound. The
thread that embeds may be given up in the middle of a batch, so each call of an engine is made
under one lock, which the end of the process takes and never gives back.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 10.0
"""How long the end waits for a call; one run of a model takes at most about a second."""

_CALLS = threading.Lock()


@contextmanager
def native() -> Iterator[None]:
    """Around each call of an engine; not within another. Blocks for ever once the process ends."""
    with _CALLS:
        yield


@atexit.register
def _end() -> None:
    _CALLS.acquire(timeout=PATIENCE_SECONDS)
