"""FileIndex: the workspace's paths for ``@`` completion, read behind the screen."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from pathlib import Path

LIMIT = 50_000
"""Paths that are held; a larger tree is offered in part."""
FRESH = 20.0
"""Seconds after which a look-up starts a new reading."""


class FileIndex:
    """Paths relative to a root, ignoring what ``.gitignore`` names."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    def match(self, prefix: str, limit: int) -> list[str]:
        """Paths that fit what was typed, best first: whole names before parts, short before long.

        Answers from what is known and starts a reading when that is old.
        """
        self._refresh()
        wanted = prefix.casefold()
        fitting = [
            (rank, len(path), path)
            for path in self._paths
            if (rank := _rank(path.casefold(), wanted)) is not None
        ]
        return [path for _, _, path in sorted(fitting)[:limit]]

    def _refresh(self) -> None:
        running = self._reading is not None and not self._reading.done()
        if not running and time.monotonic() - self._read_at > FRESH:
            self._reading = asyncio.create_task(self.read())

    async def read(self) -> None:
        """Read the tree anew."""
        from executors.protocol import HandError
        from executors.ripgrep import common_options, ripgrep_lines

        options = ["--files", "--null", *common_options()]
        paths: list[str] = []
        try:
            async with aclosing(ripgrep_lines(options, self._root, b"\0")) as names:
                async for name in names:
                    paths.append(name.removeprefix("./"))
                    if len(paths) >= LIMIT:
                        break
        except (HandError, OSError):
            # Completion offers what was read so far; the hands tell what is wrong when asked.
            pass
        self._paths = paths
        self._read_at = time.monotonic()

    async def close(self) -> None:
        """Wait for a reading that is under way."""
        if self._reading is not None:
            await asyncio.wait([self._reading])


def _rank(path: str, wanted: str) -> int | None:
    """How well a path fits: 0 is best, ``None`` not at all."""
    name = path.rsplit("/", 1)[-1]
    if path.startswith(wanted):
        return 0
    if name.startswith(wanted):
        return 1
    if wanted in path:
        return 2
    letters = iter(path)
    return 3 if all(letter in letters for letter in wanted) else None
