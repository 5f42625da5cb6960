"""Search without ripgrep: slower, and only the best known ignored folders are left out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from executors.encoding import decode, detect
from executors.list_files import SKIPPED_FOLDERS
from executors.protocol import HandError
from executors.workspace import Workspace, read_bytes

MAX_LINE = 2_000
"""Characters of a line that are searched: Python's expressions can take very long on more."""


def slow_search(
    workspace: Workspace, path: Path, pattern: str, glob: str, context: int
) -> Iterator[tuple[str, int, str, str]]:
    """(path shown, line number, ``:`` for a match or ``-`` for a line beside one, text), sorted
    by path. Raises ``HandError`` for a bad pattern."""
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise HandError(f"The search was not understood: {error}.") from error
    for file in _files(path):
        if _wanted(file, path, glob):
            yield from _in_file(workspace.show(file), file, expression, context)


def _wanted(file: Path, top: Path, glob: str) -> bool:
    """A glob with a slash is about the path, one without about the name; ``!`` turns it round."""
    bare = glob.removeprefix("!")
    if not bare:
        return True
    subject = file.relative_to(top).as_posix() if "/" in bare and file != top else file.name
    return fnmatch(subject, bare.removeprefix("**/")) != glob.startswith("!")


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for here, folders, files in os.walk(path):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        yield from (Path(here, name) for name in sorted(files))


def _in_file(
    shown: str, file: Path, expression: re.Pattern[str], context: int
) -> Iterator[tuple[str, int, str, str]]:
    try:
        data = read_bytes(file, shown)
    except HandError:
        return  # not a plain file, too large, or not ours to read: as ripgrep does, on to the next
    encoding = detect(data)
    if encoding is None:
        return
    lines = decode(data, encoding).split("\n")
    hits = {index for index, line in enumerate(lines) if expression.search(line[:MAX_LINE])}
    near = {index + step for index in hits for step in range(-context, context + 1)}
    for index in sorted(near & set(range(len(lines)))):
        yield shown, index + 1, ":" if index in hits else "-", lines[index]
