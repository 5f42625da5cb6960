"""ListFiles: the hand that shows what lies in a folder."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from executors.hand_words import INTEGER, STRING, spec_of
from executors.odd_entries import only_odd, scan
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome
from executors.ripgrep import common_options, ripgrep, ripgrep_lines
from executors.workspace import Workspace, check_plain, printable, status_of

DEFAULT_DEPTH = 2
MAX_ENTRIES = 500
MAX_FILES = 200_000
"""Files that are counted; a tree with more says so."""
SKIPPED_FOLDERS = frozenset({".git", "node_modules", "__pycache__", ".venv"})
"""Left out where ripgrep is not there to obey the ignore files."""
_OPTIONS = ["--files", "--null", *common_options()]


@dataclass(slots=True)
class Folder:
    """A folder while the tree is gathered."""

    folders: dict[str, Folder] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    odd: Mapping[str, str] = field(default_factory=dict)
    """Links, pipes and the like, with what is shown behind the name; filled where it is shown."""
    total: int = 0
    """Files in it and below."""


class ListFiles:
    """A tree down to some depth; folders below are given with the number of their files. Links,
    pipes and the like are shown in it, whatever the ignore files say of them, and not counted."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec: ExecutorSpec = spec_of("list_files", {}, path=STRING, depth=INTEGER)

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The folder. Raises ``HandError`` for a depth under 1."""
        if arguments.get("depth", DEFAULT_DEPTH) < 1:
            raise HandError("depth counts from 1.")
        path = self._workspace.resolve(arguments.get("path") or ".")
        return (Claim("read", str(path), f"list {self._workspace.show(path)}"),)

    def preview(self, arguments: Arguments) -> Details:
        """The folder."""
        return Details("listing", arguments.get("path") or ".")

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """The tree."""
        self.claims(arguments)
        path = self._workspace.resolve(arguments.get("path") or ".")
        shown = self._workspace.show(path)
        if not stat.S_ISDIR((status := status_of(path, shown)).st_mode):
            check_plain(status, shown)
            raise HandError(f"{shown} is a file, not a folder; use read_file.")
        depth = arguments.get("depth", DEFAULT_DEPTH)
        tree, whole = await _gather(path)
        await asyncio.to_thread(_add_odd, tree, path, depth)
        rows = _rows(tree, depth, "")
        count = f"{tree.total}{'' if whole else ' or more'} file{'s' * (tree.total != 1)}"
        listing = "\n".join(rows[:MAX_ENTRIES])
        if len(rows) > MAX_ENTRIES:
            listing += f"\n… {len(rows) - MAX_ENTRIES} more entries; list a folder below"
        head = f"{shown}/, {count}"
        content = f"{head}\n{listing}" if rows else f"{head} (none, or all ignored)"
        return Outcome(content, Details("listing", shown, count, listing))


async def _gather(path: Path) -> tuple[Folder, bool]:
    """The tree of all files, and whether that is all of them."""
    if ripgrep() is None:
        return await asyncio.to_thread(_gather_slowly, path)
    tree = Folder()
    async with aclosing(ripgrep_lines(_OPTIONS, path, b"\0")) as names:
        async for name in names:
            if tree.total >= MAX_FILES:
                return tree, False
            _add(tree, name.removeprefix("./").split("/"))
    return tree, True


def _gather_slowly(path: Path) -> tuple[Folder, bool]:
    tree = Folder()
    for parts in _walk(path):
        if tree.total >= MAX_FILES:
            return tree, False
        _add(tree, parts)
    return tree, True


def _walk(path: Path) -> Iterator[tuple[str, ...]]:
    """The parts of each plain file's path, without ripgrep."""
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        folders, files = [], []
        try:
            with os.scandir(path.joinpath(*parts)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif entry.is_file(follow_symlinks=False):
                        files.append(entry.name)
        except OSError:
            continue  # not ours to read, or gone meanwhile: as ripgrep does, on to the next
        yield from ((*parts, name) for name in sorted(files))
        below = sorted(set(folders) - SKIPPED_FOLDERS, reverse=True)
        waiting.extend((*parts, name) for name in below)


def _add(tree: Folder, parts: Sequence[str]) -> None:
    tree.total += 1
    for part in parts[:-1]:
        tree = tree.folders.setdefault(part, Folder())
        tree.total += 1
    tree.files.append(parts[-1])


def _add_odd(tree: Folder, path: Path, depth: int) -> None:
    """Look once more into each folder that is shown, for what is no file."""
    found = scan(path)
    tree.odd = found.odd
    for name in found.folders:
        if name not in tree.folders and name not in SKIPPED_FOLDERS and only_odd(path / name):
            tree.folders[name] = Folder()
    if depth > 1:
        for name, below in tree.folders.items():
            _add_odd(below, path / name, depth - 1)


def _rows(folder: Folder, depth: int, indent: str) -> list[str]:
    rows: list[str] = []
    for name in sorted(folder.folders):
        below = folder.folders[name]
        if depth > 1:
            rows.append(f"{indent}{printable(name)}/")
            rows.extend(_rows(below, depth - 1, indent + "  "))
        else:
            rows.append(f"{indent}{printable(name)}/ ({below.total})")
    names = {**dict.fromkeys(folder.files, ""), **folder.odd}
    rows.extend(f"{indent}{printable(name + names[name])}" for name in sorted(names))
    return rows
