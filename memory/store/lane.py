"""Lane: one thread with one connection, so that the event loop never waits for a disk.

A connection must not be used by two threads at once; here each has a thread of its own, and what
is given to a lane runs there in the order in which it was given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from memory.store.database import Database

Answer = TypeVar("Answer")


class Lane:
    """Runs work on its connection, one piece after the other."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"memory-{name}")
        self._database: Database | None = None

    async def open(self, opened: Callable[[], Database]) -> None:
        """Make the connection, in the lane's thread. Raises ``MemoryFileError``."""
        try:
            self._database = await self.call(opened)
        except BaseException:  # without a connection the thread has nothing to live for
            self._thread.shutdown(wait=False)
            raise

    async def run(self, work: Callable[[Database], Answer]) -> Answer:
        """What ``work`` returns or raises. Work that has begun is finished even if the caller is
        cancelled."""
        database = self._database
        if database is None:
            raise RuntimeError("this memory is closed")
        return await self.call(lambda: work(database))

    async def call(self, work: Callable[[], Answer]) -> Answer:
        """Run something that needs the thread but no connection."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Finish what was given, close the connection, let the thread end."""
        database, self._database = self._database, None
        try:
            if database is not None:
                await self.call(database.close)
        finally:
            self._thread.shutdown(wait=False)
