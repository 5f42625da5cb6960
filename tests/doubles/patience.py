"""Patience: how long a test waits for what must come, and a clock that leaps over what need not.

A limit that is expected to hold is never short, because the machine may be slow and busy; a limit
that is expected to run out is not waited for.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

FOR_EVER = 300.0
"""Seconds after which what should have come counts as never coming."""
GLANCE = 0.005
"""Seconds between two looks."""


async def until(holds: Callable[[], object], what: str = "what was waited for") -> None:
    """Wait for a condition. Raises ``AssertionError`` when it never comes."""
    end = time.monotonic() + FOR_EVER
    while not holds():
        assert time.monotonic() < end, f"{what} never came"
        await asyncio.sleep(GLANCE)


@contextmanager
def leaping() -> Iterator[Callable[[float], None]]:
    """What makes the clock of the running event loop leap by so many seconds.

    All that waits with a time limit of ``asyncio`` has then waited so much longer.
    """
    loop = asyncio.get_running_loop()
    real, ahead = loop.time, 0.0

    def leap(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "time", lambda: real() + ahead)
        yield leap
