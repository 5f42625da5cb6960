"""A disk that fails at its n-th change: a VFS that counts writes, syncs and truncations."""

from __future__ import annotations

from typing import Any

import apsw


class FailingDisk(apsw.VFS):
    """Passes everything on to the real disk until ``left`` changes have been made.

    After that every change fails, as on a disk that died; with ``once`` only the next one does, as
    on a disk that was full for a moment.
    """

    def __init__(self, name: str, error: type[apsw.Error] = apsw.IOError) -> None:
        super().__init__(name, "")
        self.name = name
        self.error = error
        self.left: int | None = None
        """Changes that still succeed; ``None``: all of them."""
        self.once = False
        self.changes = 0
        """Changes that were asked for."""

    def xOpen(self, name: Any, flags: Any) -> apsw.VFSFile:
        """SQLite's hook: a file of ours instead of a plain one."""
        return CountedFile(self, name, flags)

    def change(self) -> None:
        """Count a change, or fail it."""
        self.changes += 1
        if self.left is None:
            return
        if self.left > 0:
            self.left -= 1
            return
        if self.once:
            self.left = None
        raise self.error("the disk failed")


class CountedFile(apsw.VFSFile):
    """A file whose changes are counted."""

    def __init__(self, disk: FailingDisk, name: Any, flags: Any) -> None:
        self._disk = disk
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        """SQLite's hook."""
        self._disk.change()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        """SQLite's hook."""
        self._disk.change()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:
        """SQLite's hook."""
        self._disk.change()
        super().xTruncate(size)
