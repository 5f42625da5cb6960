"""SeenFiles: what the hands last saw of each file, so that no change by others is overwritten."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from weakref import WeakValueDictionary

from executors.protocol import HandError, Reference


class SeenFiles:
    """Shared by the hands that read and write files."""

    def __init__(self) -> None:
        self._digests: dict[Path, bytes] = {}
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()
        self._missed: dict[Path, str] = {}

    def note(self, path: Path, data: bytes) -> None:
        """These bytes were just read or written there."""
        self._digests[path] = _digest(data)
        self._missed.pop(path, None)

    def check(self, path: Path, data: bytes, shown: str) -> None:
        """Raises ``HandError`` where the file's bytes are not those last seen."""
        seen = self._digests.get(path)
        if seen is not None and seen != _digest(data):
            raise HandError(f"{shown} changed on disk since you last saw it. Read it again first.")

    def missed(self, path: Path, old: str) -> bool:
        """An edit did not find its text. Whether the same one had failed just before: reading the
        file again is then the only way on."""
        again = self._missed.get(path) == old
        self._missed[path] = old
        return again

    def lock(self, path: Path) -> asyncio.Lock:
        """Held while a file is read, changed and written; one a file."""
        lock = self._locks.get(path)
        if lock is None:
            lock = asyncio.Lock()
            self._locks[path] = lock
        return lock


def reference(path: Path, data: bytes, lines: tuple[int, int] | None = None) -> Reference:
    """The file as it is with these bytes, and which lines of it are told."""
    return Reference(str(path), hashlib.sha256(data).hexdigest(), *(lines or ()))


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()
