"""A terminal to run a program in: a pseudo-terminal that answers what terminals are asked."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.doubles.patience import FOR_EVER
from tests.doubles.screen import Screen

ANSWERS = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
    b"\x1b[?u": b"\x1b[?0u",
    b"\x1b[?2026$p": b"\x1b[?2026;1$y",
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",
}
"""Queries that programs send at their start, and what a common terminal says to each."""


def family(pid: int) -> dict[int, float]:
    """Resident MiB of a process and of all that it started, by process id."""
    told = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True
    )
    rows = [tuple(map(int, line.split())) for line in told.stdout.splitlines()]
    kin = {pid}
    grown = True
    while grown:
        more = {each for each, parent, _ in rows if parent in kin} - kin
        kin |= more
        grown = bool(more)
    return {each: kib / 1024 for each, _, kib in rows if each in kin}


class Terminal:
    """A program in a pseudo-terminal; a context manager that leaves nothing running."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 120,
        rows: int = 36,
    ) -> None:
        self.screen = Screen(columns, rows)
        self.written = 0
        """Bytes that the program has written."""
        self.code: int | None = None
        """The exit code, once it has ended; negative for a signal."""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._fd, inner = pty.openpty()
        self.resize(columns, rows)
        # The shell is a session leader without a terminal, so the one that it opens becomes its
        # controlling terminal; forking here instead would be unsafe beside threads.
        opening = ["sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(inner), *command]
        self.started = time.monotonic()
        self._child = subprocess.Popen(
            opening, env={**env, "TERM": "xterm-256color"}, cwd=cwd, start_new_session=True
        )
        self._inner = inner  # open until the end, so that reading never meets a closed line
        self.pid = self._child.pid

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size; the picture starts empty."""
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._fd, keys.encode())

    def read(self, seconds: float) -> bool:
        """Take what comes within this time; ``False`` when nothing came or it has ended."""
        if not select.select([self._fd], [], [], seconds)[0]:
            self.code = self._child.poll()
            return False
        data = os.read(self._fd, 65536)
        for query, answer in ANSWERS.items():
            if query in data:
                os.write(self._fd, answer)
        self.written += len(data)
        self.screen.feed(self._decoder.decode(data))
        return True

    def rest(self, seconds: float) -> None:
        """Go on reading for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.code is None:
            self.read(left)

    def until(self, holds: Callable[[], bool], seconds: float, what: str) -> float:
        """Read until it holds; the seconds since the program was started.

        Raises ``AssertionError`` with the picture when it does not hold in time.
        """
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end or (not self.read(0.02) and self.code is not None):
                if holds():
                    break
                state = "ended" if self.code is not None else "did not come"
                raise AssertionError(f"{what}: {state}; the screen:\n{self.screen.text}")
        return time.monotonic() - self.started

    def until_shown(self, words: str, seconds: float = FOR_EVER) -> float:
        """Read until these words stand on the screen."""
        return self.until(lambda: words in self.screen.text, seconds, f"waiting for {words!r}")

    def until_ended(self, seconds: float = FOR_EVER) -> int:
        """Read until the program has ended; its exit code."""
        self.until(lambda: self.code is not None, seconds, "waiting for the end")
        assert self.code is not None
        return self.code

    def resident_mb(self) -> float:
        """MiB resident now, of the whole tree of processes."""
        return sum(family(self.pid).values())

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        if self._child.poll() is None:
            for pid in sorted(family(self.pid), reverse=True):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._child.wait()
        os.close(self._inner)
        os.close(self._fd)
