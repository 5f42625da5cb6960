"""FileIndex: the workspace's paths for ``@`` completion, read behind the screen."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from heapq import nsmallest
from pathlib import Path

LIMIT = 50_000
"""Paths that are held; a larger tree is offered in part."""
FRESH = 20.0
"""Seconds after which a look-up starts a new reading."""


class FileIndex:
    """Paths relative to a root, ignoring what ``.gitignore`` names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[tuple[str, str]] = []
        """Each path as it is looked for, and as it is spelled."""
        self._last: tuple[str, list[tuple[str, str]]] = ("", [])
        """What was typed last, folded, and the paths that hold its letters in order."""
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    def match(self, prefix: str, limit: int) -> list[str]:
        """Paths that fit what was typed, best first: whole names before parts, short before long.

        Answers from what is known and starts a reading when that is old.
        """
        self._refresh()
        wanted = prefix.casefold()
        fitting = self._holding(wanted)
        ranked = [(_rank(folded, wanted), len(path), path) for folded, path in fitting]
        return [path for _, _, path in nsmallest(limit, ranked)]

    def _holding(self, wanted: str) -> list[tuple[str, str]]:
        """The paths that hold these letters in order. Who types on narrows the last answer: what
        did not hold a part cannot hold the whole."""
        before, known = self._last
        if not before or not wanted.startswith(before):
            known = self._paths
        if wanted:
            known = [pair for pair in known if _holds(pair[0], wanted)]
        self._last = (wanted, known)
        return known

    def _refresh(self) -> None:
        running = self._reading is not None and not self._reading.done()
        if not running and time.monotonic() - self._read_at > FRESH:
            self._reading = asyncio.create_task(self.read())

    async def read(self) -> None:
        """Read the tree anew."""
        from executors.protocol import HandError
        from executors.ripgrep import common_options, ripgrep_lines

        options = ["--files", "--null", *common_options()]
        paths: list[tuple[str, str]] = []
        try:
            async with aclosing(ripgrep_lines(options, self._root, b"\0")) as names:
                async for name in names:
                    path = name.removeprefix("./")
                    paths.append((path.casefold(), path))
                    if len(paths) >= LIMIT:
                        break
        except (HandError, OSError):
            # Completion offers what was read so far; the hands tell what is wrong when asked.
            pass
        self._paths = paths
        self._last = ("", [])
        self._read_at = time.monotonic()

    async def close(self) -> None:
        """End a reading that is under way, and its program with it."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])


def _holds(path: str, wanted: str) -> bool:
    """Whether the letters stand in the path in this order, other letters between them or not."""
    if wanted in path:
        return True
    place = -1
    for letter in wanted:
        place = path.find(letter, place + 1)
        if place < 0:
            return False
    return True


def _rank(path: str, wanted: str) -> int:
    """How well a path fits that holds these letters: 0 is best."""
    if wanted not in path:
        return 3
    if path.startswith(wanted):
        return 0
    return 1 if path.startswith(wanted, path.rfind("/") + 1) else 2
