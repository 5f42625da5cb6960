"""SearchText: the hand that searches file contents."""

from __future__ import annotations

import asyncio
import re
import stat
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from executors.hand_words import INTEGER, STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome
from executors.ripgrep import common_options, ripgrep, ripgrep_lines
from executors.slow_search import slow_search
from executors.workspace import Workspace, check_plain, printable, status_of

MAX_MATCHES = 200
MAX_WIDTH = 300
"""Characters of a line that are shown."""
MAX_CONTEXT = 20
_RECORD = re.compile(r"([^\0]*)\0(\d+)([:-])(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gave."""

    rows: tuple[str, ...]
    """``path:line:text`` for matches, ``path-line-text`` for lines around them, ``--`` between."""
    matches: int
    files: int
    more: bool
    """Whether it was stopped at the cap."""
    secret: tuple[str, ...]
    """Files with matches that are not shown because they hold secrets."""


class SearchText:
    """Regular expressions over the files that are not ignored; secret files are left out."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.spec: ExecutorSpec = spec_of(
            "search_text", {"pattern": STRING}, path=STRING, glob=STRING, context=INTEGER
        )

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The folder or file. Raises ``HandError`` for an empty pattern or a bad context."""
        if not arguments["pattern"]:
            raise HandError("The pattern is empty.")
        if not 0 <= arguments.get("context", 0) <= MAX_CONTEXT:
            raise HandError(f"context must lie between 0 and {MAX_CONTEXT} lines.")
        if "\0" in arguments["pattern"] + arguments.get("glob", ""):
            raise HandError("NUL cannot be searched for.")
        path = self._workspace.resolve(arguments.get("path") or ".")
        return (Claim("read", str(path), f"search {self._workspace.show(path)}"),)

    def preview(self, arguments: Arguments) -> Details:
        """The pattern, and where."""
        where = arguments.get("glob") or arguments.get("path") or ""
        return Details("matches", arguments["pattern"], where)

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """The matches, by path and line. No match is an answer."""
        self.claims(arguments)
        path = self._workspace.resolve(arguments.get("path") or ".")
        shown = self._workspace.show(path)
        if not stat.S_ISDIR((status := status_of(path, shown)).st_mode):
            check_plain(status, shown)  # a search of a pipe or a device would never end
        if ripgrep() is None:
            found = await asyncio.to_thread(self._slowly, path, arguments)
        else:
            found = await self._search(path, arguments)
        pattern = arguments["pattern"]
        left = f"[Not shown, may hold secrets: {', '.join(found.secret)}]" if found.secret else ""
        if not found.matches:
            words = "\n".join(filter(None, ("No matches.", left)))
            return Outcome(words, Details("matches", pattern, "no matches", left))
        count = f"{found.matches} match{'es' * (found.matches != 1)}"
        summary = f"{count} in {found.files} file{'s' * (found.files != 1)}"
        body = "\n".join(found.rows)
        more = f"[Stopped at {found.matches} matches; narrow the search.]" if found.more else ""
        content = "\n".join(filter(None, (body, more, left)))
        return Outcome(content, Details("matches", pattern, summary, body))

    async def _search(self, path: Path, arguments: Arguments) -> Found:
        glob = arguments.get("glob")
        options = [
            "--line-number", "--with-filename", "--no-heading", "--null", "--crlf",
            f"--max-columns={4 * MAX_WIDTH}", "--max-columns-preview",
            f"--context={arguments.get('context', 0)}",
            *([f"--glob={glob}"] if glob else []), *common_options(),
            f"--regexp={arguments['pattern']}", "--", self._target(path),
        ]  # fmt: skip
        found = Gathering(self._workspace, path)
        async with aclosing(ripgrep_lines(options, self._workspace.root)) as lines:
            async for line in lines:
                record = _RECORD.fullmatch(line)
                if record is not None:
                    name, number, mark, text = record.groups()
                    if not found.add(name.removeprefix("./"), int(number), mark, text):
                        break
        return found.found()

    def _target(self, path: Path) -> str:
        """Relative to the root where it can be, so that matches are short."""
        if path == self._workspace.root:
            return "."
        if self._workspace.inside(path):
            return "./" + path.relative_to(self._workspace.root).as_posix()
        return str(path)

    def _slowly(self, path: Path, arguments: Arguments) -> Found:
        found = Gathering(self._workspace, path)
        lines = slow_search(
            self._workspace, path, arguments["pattern"], arguments.get("glob", ""),
            arguments.get("context", 0),
        )  # fmt: skip
        for name, number, mark, text in lines:
            if not found.add(name, number, mark, text):
                break
        return found.found()


class Gathering:
    """Matches as they come, up to the cap; those in files that hold secrets are left out unless
    the search was of that very file."""

    def __init__(self, workspace: Workspace, path: Path) -> None:
        self._workspace = workspace
        self._named = path.is_file()
        self._rows: list[str] = []
        self._files: set[str] = set()
        self._secret: set[str] = set()
        self._matches = 0
        self._more = False
        self._last = ("", 0)

    def add(self, name: str, number: int, mark: str, text: str) -> bool:
        """One line; ``:`` marks a match. ``False`` once no more are wanted."""
        if not self._named and (name in self._secret or self._workspace.is_secret(name)):
            self._secret.add(name)
            return True
        if mark == ":":
            if self._matches == MAX_MATCHES:
                self._more = True
                return False
            self._matches += 1
            self._files.add(name)
        before, row = self._last
        if mark == "-" and self._rows and (before, row + 1) != (name, number):
            self._rows.append("--")
        self._last = (name, number)
        self._rows.append(_row(name, str(number), mark, text))
        return True

    def found(self) -> Found:
        """What was gathered."""
        secret = tuple(sorted(self._secret))
        return Found(tuple(self._rows), self._matches, len(self._files), self._more, secret)


def _row(name: str, number: str, mark: str, text: str) -> str:
    text = printable(text.rstrip("\r").replace("\t", "    "))
    cut = text if len(text) <= MAX_WIDTH else text[:MAX_WIDTH] + "…"
    return f"{printable(name)}{mark}{number}{mark}{cut}"
