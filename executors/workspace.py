"""Workspace: the folder that the agent works in, and how paths in it are read and shown."""

from __future__ import annotations

import errno
import os
import re
import stat
import unicodedata
from pathlib import Path

from executors.protocol import HandError
from executors.secret_names import holds_secrets

MAX_BYTES = 20 * 1024 * 1024
"""Files larger than this are not read whole."""
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Workspace:
    """A root folder. Relative paths start there; ``~`` is the home folder."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(os.path.realpath(root))
        """Absolute, without symbolic links."""
        self._home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111

    def resolve(self, path: str) -> Path:
        """The real path, every symbolic link followed; it need not exist.

        Raises ``HandError`` for what is no path here: empty, NUL, invisible or direction-changing
        characters, a Windows path elsewhere, a loop of links.
        """
        if not path:
            raise HandError("The path is empty.")
        hidden = next((char for char in path if _hidden(char)), None)
        if hidden is not None:
            raise HandError(f"The path holds U+{ord(hidden):04X}, which cannot be seen; refused.")
        if os.name == "posix" and _WINDOWS.match(path):
            raise HandError(f"{path} is a Windows path; this system's paths use /.")
        try:
            whole = os.path.join(self.root, os.path.expanduser(path))  # noqa: PTH111, PTH118
            return Path(os.path.realpath(whole, strict=False))
        except (OSError, ValueError) as error:
            raise HandError(f"{path} cannot be resolved: {error}.") from error

    def inside(self, path: str | os.PathLike[str]) -> bool:
        """Whether it lies in the workspace once links are followed."""
        real = Path(os.path.realpath(self.root / path))
        return real == self.root or self.root in real.parents

    def show(self, path: str | os.PathLike[str]) -> str:
        """For people: relative to the root where it lies inside, nothing unprintable."""
        whole = self.root / path
        try:
            text = whole.relative_to(self.root).as_posix()
        except ValueError:
            text = str(whole)
        return printable(text)

    def is_secret(self, path: str | os.PathLike[str]) -> bool:
        """Whether the path says that it holds keys or passwords. Links are not followed: give
        it what ``resolve`` gave."""
        return holds_secrets(self.root / path, self._home)


def printable(text: str) -> str:
    """The text on one line, with control, invisible and broken characters spelled out."""
    return "".join(
        f"\\u{ord(char):04x}" if _hidden(char) or "\ud800" <= char <= "\udfff" else char
        for char in text
    )


def _hidden(char: str) -> bool:
    """Control characters, line separators, and the marks that turn the writing direction. The
    joiners stay: some scripts and emoji need them."""
    if char in "\u200c\u200d":
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp")


def read_bytes(path: Path, shown: str, limit: int = MAX_BYTES) -> bytes:
    """The bytes of a plain file. Raises ``HandError`` that says what it is otherwise."""
    check_plain(status_of(path, shown), shown)  # merely opening a device can do something
    try:
        # It may have become a pipe since: never wait for its other end, and look once more.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise HandError(f"{shown}: {reason(error)}.") from error
    try:
        status = os.fstat(descriptor)
        check_plain(status, shown)
        if status.st_size > limit:
            size = status.st_size / 1_048_576
            raise HandError(
                f"{shown} has {size:.0f} MB, more than {limit // 1_048_576} MB. "
                "Use search_text, or head, tail or sed in the shell."
            )
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data: bytes | None = file.read(limit + 1)
    except OSError as error:
        raise HandError(f"{shown}: {reason(error)}.") from error
    finally:
        os.close(descriptor)
    if data is None:  # a file of the kernel's, which gives text only as it comes about
        raise HandError(f"{shown} has nothing to read now; it would be waited for.")
    return data


def status_of(path: Path, shown: str) -> os.stat_result:
    """What lies there. Raises ``HandError`` that says why that cannot be told."""
    try:
        return path.stat()
    except OSError as error:
        raise HandError(f"{shown}: {reason(error)}.") from error


def check_plain(status: os.stat_result, shown: str) -> None:
    """Raises ``HandError`` unless it is a plain file."""
    kinds = (
        (stat.S_ISDIR, "a folder; use list_files"),
        (stat.S_ISFIFO, "a named pipe, not a file"),
        (stat.S_ISSOCK, "a socket, not a file"),
        (stat.S_ISCHR, "a device, not a file"),
        (stat.S_ISBLK, "a device, not a file"),
    )
    for test, words in kinds:
        if test(status.st_mode):
            raise HandError(f"{shown} is {words}.")


def reason(error: OSError) -> str:
    """What the system said, in plain words."""
    words = {
        errno.ENOENT: "there is no such file or folder",
        errno.EACCES: "permission denied",
        errno.ENOTDIR: "a part of the path is not a folder",
        errno.ELOOP: "its symbolic links form a loop",
        errno.ENOSPC: "the disk is full; the old file is untouched",
        errno.EROFS: "the file system is read-only",
        errno.ENXIO: "not a plain file",
        errno.ENAMETOOLONG: "the name is too long",
    }
    return words.get(error.errno or 0, error.strerror or str(error))
