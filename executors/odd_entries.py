"""Odd entries: the symbolic links, pipes, sockets and devices of a folder, which are no files to
read or search and yet are there."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_TARGET = 200
"""Characters of a link's target that are shown."""
_KINDS = (
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


@dataclass(frozen=True, slots=True)
class Scan:
    """What one folder holds besides files."""

    odd: Mapping[str, str]
    """Name to what stands behind it in a listing: `` -> target`` of a link, which is not
    followed, or `` (named pipe)``."""
    folders: tuple[str, ...]


def scan(folder: Path) -> Scan:
    """The odd entries and the folders right in a folder, by name. Nothing for one that is gone or
    not ours to read: files in it could not be listed either."""
    odd: dict[str, str] = {}
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif words := _words(entry):
                    odd[entry.name] = words
    except OSError:
        return Scan({}, ())
    return Scan(odd, tuple(sorted(folders)))


def only_odd(folder: Path) -> bool:
    """Whether a folder holds odd entries and nothing else, so that no list of files names it."""
    any_there = False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) or not _words(entry):
                    return False
                any_there = True
    except OSError:
        return False  # not to be seen into, as above
    return any_there


def _words(entry: os.DirEntry[str]) -> str:
    """Empty for a file."""
    try:
        if entry.is_symlink():
            target = str(Path(entry.path).readlink())
            return " -> " + (target if len(target) <= MAX_TARGET else target[:MAX_TARGET] + "…")
        if entry.is_file(follow_symlinks=False):
            return ""
        mode = entry.stat(follow_symlinks=False).st_mode
    except FileNotFoundError:
        return ""  # gone meanwhile
    return next((f" ({words})" for test, words in _KINDS if test(mode)), "")
