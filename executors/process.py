"""Run one command in a process group of its own; nothing of it outlives the call."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from executors.orphan_guard import orphan_guard
from executors.process_group import MARK, end_group

CHUNK = 65_536
DRAIN = 0.25
"""Seconds that output still in the pipe is read after the command has ended."""
LAST_CHUNKS = 64
"""How often the pipe is read once more at the very end: more than it holds, and yet an end where
a process that is not ours to kill writes on and on."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    """Exit status; 128 + the signal's number where a signal ended it."""
    timed_out: bool
    left_running: bool
    """Whether background processes were still there, and were ended."""


async def run_group(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    timeout: float,
    on_bytes: Callable[[bytes], None],
) -> Ended:
    """Run it with no input and no terminal; ``on_bytes`` gets stdout and stderr in the order
    written, all of it before this returns or raises. Returns when the command itself has ended,
    even if its children hold the pipe, and ends those. Cancelling, the timeout (seconds) and the
    death of this process end everything that it started. Raises ``OSError`` where the program or
    the folder cannot be used."""
    mark = secrets.token_hex(8)
    with orphan_guard(f"{MARK}={mark}") as guard:
        reading, writing = os.pipe()
        try:
            at_end = _listen(reading, on_bytes)
            starting = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=writing,
                    stderr=writing,
                    cwd=folder,
                    env={**environment, MARK: mark},
                    start_new_session=True,
                )
            )
            try:
                process = await _started(starting, mark)
            finally:
                os.close(writing)
            guard(process.pid)
            return await _watch(process, mark, timeout, at_end)
        finally:
            asyncio.get_running_loop().remove_reader(reading)
            _empty(reading, on_bytes)
            os.close(reading)


async def _started(
    starting: asyncio.Future[asyncio.subprocess.Process], mark: str
) -> asyncio.subprocess.Process:
    """The process. One that is cancelled while it starts already runs: it is known a moment
    later, and only then can all of it be ended."""
    cancelled: asyncio.CancelledError | None = None
    while not starting.done():
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError as error:
            cancelled = error
    process = starting.result()
    if cancelled is not None:
        await end_group(process, mark)
        raise cancelled
    return process


def _listen(descriptor: int, on_bytes: Callable[[bytes], None]) -> asyncio.Event:
    """Pass on what comes through the pipe; the event is set at its end."""
    loop = asyncio.get_running_loop()
    at_end = asyncio.Event()

    def readable() -> None:
        data = _read(descriptor)
        if data:
            on_bytes(data)
        elif data is not None:
            loop.remove_reader(descriptor)
            at_end.set()

    os.set_blocking(descriptor, False)
    loop.add_reader(descriptor, readable)
    return at_end


async def _watch(
    process: asyncio.subprocess.Process, mark: str, timeout: float, at_end: asyncio.Event
) -> Ended:
    timed_out = False
    try:
        async with asyncio.timeout(timeout):
            await process.wait()
        await _drain(at_end)
    except TimeoutError:
        timed_out = True
    except asyncio.CancelledError:
        await end_group(process, mark)
        raise
    left = await end_group(process, mark)
    if timed_out:
        await _drain(at_end)
    code = await process.wait()
    return Ended(code if code >= 0 else 128 - code, timed_out, left and not timed_out)


def _read(descriptor: int) -> bytes | None:
    """Bytes; ``b""`` at the end; ``None`` where nothing is there now."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None


def _empty(descriptor: int, on_bytes: Callable[[bytes], None]) -> None:
    """Pass on what was written and not yet read, without waiting."""
    for _ in range(LAST_CHUNKS):
        data = _read(descriptor)
        if not data:
            return
        on_bytes(data)


async def _drain(at_end: asyncio.Event) -> None:
    """Until everyone has closed the pipe, but not for long: a child may hold it for hours."""
    waiting = asyncio.ensure_future(at_end.wait())
    try:
        await asyncio.wait([waiting], timeout=DRAIN)
    finally:
        waiting.cancel()
