"""Write a file so that it is the old one or the new one at every moment, never a part."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from executors.protocol import HandError
from executors.workspace import check_plain, read_bytes, reason


def write_atomically(path: Path, data: bytes, shown: str, before: bytes | None) -> None:
    """Put ``data`` at a path whose links are already followed, making parent folders.

    ``before`` is what the file held when the change was worked out (``None``: there was none);
    mode, owner and group stay. Raises ``HandError`` when it is no longer so, or cannot be done.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        status = path.stat() if path.exists() else None
        if status is not None:
            check_plain(status, shown)
            if not os.access(path, os.W_OK):
                raise HandError(f"{shown} is read-only. Ask before changing its mode.")
        temporary = path.parent / f".{path.name[:200]}.{secrets.token_hex(4)}.tmp"
        try:
            _write(temporary, data, path, status)
            if _current(path, shown) != before:
                raise HandError(f"{shown} changed on disk meanwhile. Read it again first.")
            temporary.replace(path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
        _sync_folder(path.parent)
    except OSError as error:
        raise HandError(f"{shown} could not be written: {reason(error)}.") from error


def _current(path: Path, shown: str) -> bytes | None:
    return read_bytes(path, shown) if path.exists() else None


def _write(temporary: Path, data: bytes, path: Path, status: os.stat_result | None) -> None:
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if status is not None:
            _dress(descriptor, path, status)
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _dress(descriptor: int, path: Path, status: os.stat_result) -> None:
    """Make the new file look like the old: owner, group, extended attributes, mode. The owner
    first, because giving a file away clears its set-user bits."""
    mine = os.fstat(descriptor)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        # Only root may give a file away; for others the new file is theirs.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        # Some file systems have none, and some names only the system may set.
        with contextlib.suppress(OSError):
            for name in os.listxattr(path):
                os.setxattr(descriptor, name, os.getxattr(path, name))
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
