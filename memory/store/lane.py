"""Lane: one thread with one connection, so that the event loop never waits for a disk.

A connection must not be used by two threads at once; here each has a thread of its own, and what
is given to a lane runs there in the order in which it was given.

The threads are daemons: one that a dead disk holds for ever must not keep the process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from memory.config import CLOSE_GRACE_SECONDS
from memory.store.database import Database
from memory.store.errors import Busy

Answer = TypeVar("Answer")

BREAKS = 5
"""How often work is broken off: it may just be between two statements, and then begin the next."""


class Lane:
    """Runs work on its connection, one piece after the other."""

    def __init__(self, name: str) -> None:
        self._name = f"memory-{name}"
        self._thread: threading.Thread | None = None
        self._given: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waited_for: set[Future[Any]] = set()
        self._taking = threading.Lock()
        self._given_up = self._closed = False
        self._database: Database | None = None

    async def open(self, opened: Callable[[], Database]) -> None:
        """Make the connection, in the lane's thread. Raises ``MemoryFileError``."""
        try:
            self._database = await self.call(opened)
        except BaseException:  # without a connection the thread has nothing to live for
            self._given.put(None)
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
        return await self._give(work)

    def within(self, work: Callable[[], Answer], seconds: float) -> Answer:
        """``call`` for another thread, which waits. Raises ``TimeoutError`` where it takes longer;
        what has begun is finished all the same, and nobody is told of it."""
        if self._closed:
            raise RuntimeError("this memory is closed")
        future = self._put(work)
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise

    def _give(self, work: Callable[[], Answer]) -> asyncio.Future[Answer]:
        return asyncio.wrap_future(self._put(work))

    def _put(self, work: Callable[[], Answer]) -> Future[Answer]:
        future: Future[Answer] = Future()
        self._waited_for.add(future)
        future.add_done_callback(self._waited_for.discard)
        self._given.put(partial(self._carry_out, future, work))
        with self._taking:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
                self._thread.start()
        return future

    async def close(self, seconds: float) -> None:
        """Finish what was given, close the connection, let the thread end.

        After ``seconds`` what still waits for a lock or runs a statement is broken off, and
        ``CLOSE_GRACE_SECONDS`` later the thread is given up: both raise ``Busy`` for whoever
        waits, and neither leaves half a write. Raises ``MemoryFileError`` if closing fails.
        """
        database, self._database, self._closed = self._database, None, True
        if self._thread is None:
            return
        last = database.close if database is not None else _nothing
        closing = self._give(last)
        self._given.put(None)
        await asyncio.wait({closing}, timeout=max(0.0, seconds))
        for _ in range(BREAKS):
            if not closing.done() and database is not None:
                database.break_off()
                await asyncio.wait({closing}, timeout=CLOSE_GRACE_SECONDS / BREAKS)
        if not closing.done():
            closing.cancel()
            self._give_up()
            return
        await closing

    def _give_up(self) -> None:
        with self._taking:
            self._given_up = True
        for future in tuple(self._waited_for):
            # It may have ended in this very moment.
            with suppress(InvalidStateError):
                future.set_exception(
                    Busy(
                        "Memory was closed before this ended; whether it is on disk is not known.",
                        "What was stored before is intact. If it happens again, look at the disk.",
                    )
                )

    def _serve(self) -> None:
        while (job := self._given.get()) is not None:
            job()

    def _carry_out(self, future: Future[Answer], work: Callable[[], Answer]) -> None:
        with self._taking:
            if self._given_up or not future.set_running_or_notify_cancel():
                return
        # Given up meanwhile, a future has its answer already.
        try:
            answer = work()
        except BaseException as error:  # noqa: BLE001 (whoever waits is told whatever it was)
            with suppress(InvalidStateError):
                future.set_exception(error)
        else:
            with suppress(InvalidStateError):
                future.set_result(answer)
        finally:
            del future  # an error holds this frame, and the future the error


@dataclass(frozen=True, slots=True)
class Lanes:
    """The threads that the work of one memory is done in."""

    write: Lane
    read: Lane
    embed: Lane


def _nothing() -> None:
    """The last work of a lane without a connection."""
