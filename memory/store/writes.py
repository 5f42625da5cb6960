"""Writes: what has begun is finished, whether or not somebody still waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class Writes:
    """The writes of one memory that have begun and not ended."""

    def __init__(self) -> None:
        self._begun: set[asyncio.Task[Any]] = set()
        self._turn = asyncio.Lock()

    async def whole(self, write: Coroutine[Any, Any, Answer]) -> Answer:
        """Finish a write even if the caller is cancelled."""
        task = asyncio.ensure_future(write)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return await asyncio.shield(task)

    async def in_turn(self, change: Coroutine[Any, Any, Answer]) -> Answer:
        """Changes of windows come one after the other: the next sees what the last one did."""

        async def alone() -> Answer:
            async with self._turn:
                return await change

        return await self.whole(alone())

    async def ended(self, seconds: float) -> None:
        """Wait until all have ended, for at most that long."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while self._begun and (left := until - loop.time()) > 0:
            await asyncio.wait(self._begun, timeout=left)
