"""EditFile: the hand that changes a part of a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from executors.atomic_write import write_atomically
from executors.edit_text import EditError, apply_edit
from executors.encoding import decode, detect
from executors.hand_words import BOOLEAN, STRING, spec_of
from executors.protocol import (
    WOULD_FAIL,
    Arguments,
    Claim,
    Details,
    ExecutorSpec,
    HandError,
    Job,
    Outcome,
)
from executors.seen_files import SeenFiles, reference
from executors.text_diff import text_diff
from executors.workspace import Workspace, read_bytes


class EditFile:
    """Replaces one text by another in a file; all other bytes stay."""

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        self._workspace = workspace
        self._seen = seen
        self.spec: ExecutorSpec = spec_of(
            "edit_file", {"path": STRING, "old": STRING, "new": STRING}, all=BOOLEAN
        )

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The file."""
        path = self._workspace.resolve(arguments["path"])
        return (Claim("write", str(path), f"edit {self._workspace.show(path)}"),)

    def preview(self, arguments: Arguments) -> Details:
        """The diff. An edit that would fail says so in its summary."""
        try:
            path = self._workspace.resolve(arguments["path"])
            shown = self._workspace.show(path)
            before = read_bytes(path, shown)
            self._seen.check(path, before, shown)
            return _details(shown, before, _edited(before, arguments))
        except HandError as error:
            return Details("diff", arguments["path"], WOULD_FAIL, str(error))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """Edit it. Raises ``HandError``, with the file untouched, where the text is not there,
        stands there more than once, or the file changed since it was last seen."""
        path = self._workspace.resolve(arguments["path"])
        shown = self._workspace.show(path)
        async with self._seen.lock(path):
            return await self._run(path, shown, arguments)

    async def _run(self, path: Path, shown: str, arguments: Arguments) -> Outcome:
        before = await asyncio.to_thread(read_bytes, path, shown)
        self._seen.check(path, before, shown)
        try:
            after = await asyncio.to_thread(_edited, before, arguments)
        except EditError as error:
            if error.code == "not_found" and self._seen.missed(path, arguments["old"]):
                raise HandError(
                    f"The same edit of {shown} failed before. Read the file again with read_file, "
                    "then copy the text from it."
                ) from error
            raise HandError(f"{shown}: {error}") from error
        await asyncio.to_thread(write_atomically, path, after, shown, before)
        self._seen.note(path, after)
        details = await asyncio.to_thread(_details, shown, before, after)
        words = f"edited {shown} ({details.summary})"
        return Outcome(words, details, reference=reference(path, after))


def _edited(before: bytes, arguments: Arguments) -> bytes:
    return apply_edit(before, arguments["old"], arguments["new"], arguments.get("all", False))


def _details(shown: str, before: bytes, after: bytes) -> Details:
    body, summary = text_diff(_text(before), _text(after), shown)
    return Details("diff", shown, summary, body, "diff")


def _text(data: bytes) -> str:
    """For a diff: what cannot be shown is replaced, carriage returns are seen."""
    encoding = detect(data)
    text = decode(data, encoding) if encoding else ""
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
