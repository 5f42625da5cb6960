"""Telling: what SQLite's errors about the file mean for the user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memory.store.errors import Busy, MemoryFileError, NotMemory, NotWritable, TooLarge

ELSEWHERE = "Check its permissions, or name another file with --memory FILE."


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file into ours; errors of our own making pass unchanged."""
    try:
        yield
    except apsw.Error as error:
        ours = explain(error, path)
        if ours is None:
            raise
        raise ours from error


def explain(error: apsw.Error, path: Path) -> MemoryFileError | None:
    """What an SQLite error means for the user; ``None`` if it is not about the file."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(
                f"Another program holds {path} and does not let go of it.",
                "Close it, or name another file with --memory FILE.",
            )
        case apsw.InterruptError():
            return Busy(
                "Memory was closed before this was done.", "What was stored before is intact."
            )
        case apsw.NotADBError() | apsw.CorruptError():
            return NotMemory(
                f"{path} cannot be read as a growbox memory: {error}.",
                "It is damaged or something else; growbox leaves it as it is. Move it away to "
                "start anew, or name another file with --memory FILE.",
            )
        case apsw.FullError():
            return NotWritable(
                f"The disk that holds {path} is full.", "Make room; what was stored is intact."
            )
        case apsw.CantOpenError() | apsw.PermissionsError():
            return NotMemory(f"{path} cannot be opened: {error}.", ELSEWHERE)
        case apsw.TooBigError():
            return TooLarge(
                f"What was to be kept in {path} is larger than one row of it can be.",
                "Nothing of it was stored. Put it into a file and name the file instead.",
            )
        case apsw.ReadOnlyError():
            return NotWritable(f"{path} cannot be written: {error}.", ELSEWHERE)
        case apsw.IOError():
            return NotWritable(
                f"The disk failed while using {path}: {error}.",
                "What was stored before is intact; look at the disk.",
            )
    return None
