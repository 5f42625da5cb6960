"""Run one command in a process group of its own; nothing of it outlives the call."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CHUNK = 65_536
GRACE = 0.5
"""Seconds between asking the group to end and making it."""
DRAIN = 0.25
"""Seconds that output still in the pipe is read after the command has ended."""
POLL = 0.01


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
    written. Returns when the command itself has ended, even if its children hold the pipe, and
    ends those. Cancelling, and the timeout (seconds), end the whole group. Raises ``OSError``
    where the program or the folder cannot be used."""
    reading, writing = os.pipe()
    loop = asyncio.get_running_loop()
    at_end = asyncio.Event()

    def readable() -> None:
        data = _read(reading)
        if data:
            on_bytes(data)
        elif data is not None:
            loop.remove_reader(reading)
            at_end.set()

    try:
        os.set_blocking(reading, False)
        loop.add_reader(reading, readable)
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        finally:
            os.close(writing)
        return await _watch(process, timeout, at_end)
    finally:
        loop.remove_reader(reading)
        os.close(reading)


async def _watch(
    process: asyncio.subprocess.Process, timeout: float, at_end: asyncio.Event
) -> Ended:
    timed_out = False
    try:
        async with asyncio.timeout(timeout):
            code = await process.wait()
    except TimeoutError:
        timed_out = True
        await _end(process)
        code = await process.wait()
    except asyncio.CancelledError:
        await _end(process)
        raise
    try:
        await _drain(at_end)
        left = await _end(process)
    except asyncio.CancelledError:
        _signal(process.pid, signal.SIGKILL)
        raise
    return Ended(code if code >= 0 else 128 - code, timed_out, left and not timed_out)


def _read(descriptor: int) -> bytes | None:
    """Bytes; ``b""`` at the end; ``None`` where nothing is there now."""
    try:
        return os.read(descriptor, CHUNK)
    except BlockingIOError:
        return None


async def _drain(at_end: asyncio.Event) -> None:
    """Until everyone has closed the pipe, but not for long: a child may hold it for hours."""
    try:
        async with asyncio.timeout(DRAIN):
            await at_end.wait()
    except TimeoutError:
        return


async def _end(process: asyncio.subprocess.Process) -> bool:
    """End all that is left of the group: ask, wait a little, then make it. Whether there was any.

    Cancelled meanwhile, it does not ask twice but ends the group at once.
    """
    if not _alive(process.pid):
        return False
    _signal(process.pid, signal.SIGTERM)
    _signal(process.pid, signal.SIGCONT)  # a stopped process does not hear the rest
    limit = time.monotonic() + GRACE
    try:
        # Processes that are not our children tell nobody that they end; one has to look.
        while _alive(process.pid) and time.monotonic() < limit:  # noqa: ASYNC110
            await asyncio.sleep(POLL)
    finally:
        _signal(process.pid, signal.SIGKILL)
        # The watcher reaps the command itself; its own children are the system's to reap.
    await process.wait()
    return True


def _alive(group: int) -> bool:
    """Whether anything in the group still runs. The dead that nobody has reaped do not count:
    in a container without an init they stay for ever."""
    if not _signal(group, 0):
        return False
    states = [state for state, member in _processes() if member == group]
    return any(state not in "ZX" for state in states) if states else True


def _processes() -> Iterator[tuple[str, int]]:
    """(state, process group) of every process, where the system tells."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text(encoding="latin-1").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # ended while we looked, or hidden from us
        yield fields[0], int(fields[2])


def _signal(group: int, number: int) -> bool:
    """Whether the group was there to be told."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # PermissionError: only processes of another user are left, as after sudo; not ours to end.
        return False
    return True
