"""What can be wrong with the memory file, each with a sentence and what to do.

    MemoryFileError
    ├── NotMemory           unreadable, damaged, not a database, or another program's database
    ├── TooNew              written by a newer growbox
    ├── NotWritable         the folder, the file or the disk takes no writing
    ├── Busy                another process held it for longer than we wait
    ├── TooLarge            one text is larger than a file can hold whole
    └── VectorsUnavailable  vectors cannot be made, read or written; all else goes on

Imports nothing heavy, so that a front end can catch these before memory is ever opened.
"""

from __future__ import annotations


class MemoryFileError(Exception):
    """The memory file could not be used. ``text`` says what happened, ``hint`` what to do."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


class NotMemory(MemoryFileError):
    """The file cannot be read as a growbox memory."""


class TooNew(MemoryFileError):
    """A newer growbox wrote the file; changing it with this one could lose something."""


class NotWritable(MemoryFileError):
    """The folder, the file or the disk takes no writing."""


class Busy(MemoryFileError):
    """Another process holds what is needed."""


class TooLarge(MemoryFileError):
    """One text is larger than can be kept whole; nothing of it was stored."""


class VectorsUnavailable(MemoryFileError):
    """Vectors cannot be made, read or written; whatever needs none goes on."""
