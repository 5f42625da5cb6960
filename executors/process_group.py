"""End a process group and whatever slipped out of it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

GRACE = 0.5
"""Seconds between asking the group to end and making it."""
POLL = 0.01
MARK = "GROWBOX_CALL"
"""Environment variable that everything a command starts inherits, so that a process which made
a session of its own is still known as the command's."""
ROUNDS = 5
"""How often strays are looked for: one may start another while we look."""


async def end_group(process: asyncio.subprocess.Process, mark: str) -> bool:
    """End all that is left of a command: ask, wait a little, then make it. Whether there was any.

    ``process`` leads the group; ``mark`` is its value of ``MARK``. Cancelled meanwhile, it
    does not wait any longer but ends everything at once.
    """
    left = alive(process.pid)
    try:
        if left:
            _signal(process.pid, signal.SIGTERM)
            _signal(process.pid, signal.SIGCONT)  # a stopped process does not hear the rest
            limit = time.monotonic() + GRACE
            # Processes that are not our children tell nobody that they end; one has to look.
            while alive(process.pid) and time.monotonic() < limit:  # noqa: ASYNC110
                await asyncio.sleep(POLL)
    finally:
        _signal(process.pid, signal.SIGKILL)
        strays = _end_strays(mark)
        await process.wait()  # the dead are reaped even when we were cancelled meanwhile
    return left or strays


def alive(group: int) -> bool:
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


def _end_strays(mark: str) -> bool:
    """Kill what carries the mark. Whether there was any; always ``False`` without ``/proc``."""
    any_left = False
    for _ in range(ROUNDS):
        strays = list(_marked(f"{MARK}={mark}".encode()))
        if not strays:
            break
        any_left = True
        for stray in strays:
            try:
                os.kill(stray, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue  # ended meanwhile, or another user's, as after sudo
    return any_left


def _marked(entry: bytes) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if entry in path.read_bytes().split(b"\0"):
                yield int(path.parent.name)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # ended while we looked, or hidden from us


def _signal(group: int, number: int) -> bool:
    """Whether the group was there to be told."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # PermissionError: only processes of another user are left, as after sudo; not ours to end.
        return False
    return True
