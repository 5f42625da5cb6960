"""Refresh: one job that never runs twice at once, however often it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

from memory.types import MemoryState

LOOK_SECONDS = 2.0
"""Between two looks at what goes on behind the turn."""
LOOKS_SECONDS = 60.0
"""How long that is looked at."""


async def watch_embedding(look: Callable[[], Awaitable[MemoryState]]) -> None:
    """Look, and again from time to time while memories wait to be embedded and some are."""
    until = monotonic() + LOOKS_SECONDS
    before, state = -1, await look()
    while before < state.embedded and state.embedded_share < 1 and monotonic() < until:
        await asyncio.sleep(LOOK_SECONDS)
        before, state = state.embedded, await look()


class Refresh:
    """Asked again while the job runs, it runs once more afterwards, however often it was asked:
    the last run began after the last time of asking."""

    def __init__(self, job: Callable[[], Awaitable[object]]) -> None:
        self._job = job
        self._wanted = False
        self._running = False

    async def __call__(self) -> None:
        """Run the job, or leave it to the run that is under way. Raises what the job raises."""
        self._wanted = True
        if self._running:
            return
        self._running = True
        try:
            while self._wanted:
                self._wanted = False
                await self._job()
        finally:
            self._running = False
