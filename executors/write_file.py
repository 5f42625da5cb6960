"""WriteFile: the hand that writes a whole file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from executors.atomic_write import write_atomically
from executors.encoding import UTF8, Encoding, decode, detect, encode
from executors.hand_words import STRING, spec_of
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


class WriteFile:
    """Creates a file, or replaces one; what replaces keeps its encoding and line ends."""

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        self._workspace = workspace
        self._seen = seen
        self.spec: ExecutorSpec = spec_of("write_file", {"path": STRING, "content": STRING})

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The file."""
        path = self._workspace.resolve(arguments["path"])
        return (Claim("write", str(path), f"write {self._workspace.show(path)}"),)

    def preview(self, arguments: Arguments) -> Details:
        """The diff against what is there. A write that would fail says so in its summary."""
        try:
            path = self._workspace.resolve(arguments["path"])
            shown = self._workspace.show(path)
            return self._details(shown, self._before(path, shown), arguments["content"])
        except HandError as error:
            return Details("diff", arguments["path"], WOULD_FAIL, str(error))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """Write it, making the folders it needs."""
        path = self._workspace.resolve(arguments["path"])
        shown = self._workspace.show(path)
        content: str = arguments["content"]
        async with self._seen.lock(path):
            before = await asyncio.to_thread(self._before, path, shown)
            if before is not None:
                self._seen.check(path, before, shown)
            data, kept = _bytes(before, content, shown)
            if data == before:
                return Outcome(f"{shown} already reads so.", Details("diff", shown, "no change"))
            await asyncio.to_thread(write_atomically, path, data, shown, before)
            self._seen.note(path, data)
        lines = content.count("\n") + (not content.endswith("\n") and content != "")
        did = "created" if before is None else "replaced"
        words = f"{did} {shown}, {lines} line{'s' * (lines != 1)}{kept}"
        details = self._details(shown, before, content)
        return Outcome(words, details, reference=reference(path, data))

    def _before(self, path: Path, shown: str) -> bytes | None:
        return read_bytes(path, shown) if path.exists() else None

    def _details(self, shown: str, before: bytes | None, content: str) -> Details:
        encoding = detect(before) if before is not None else UTF8
        old = decode(before, encoding) if before is not None and encoding else ""
        body, summary = text_diff(old.replace("\r\n", "\n"), content.replace("\r\n", "\n"), shown)
        new = "new, " if before is None else "" if encoding else "replaces a binary file, "
        return Details("diff", shown, new + summary, body, "diff")


def _bytes(before: bytes | None, content: str, shown: str) -> tuple[bytes, str]:
    """The bytes to write, and what of the old form they keep, in words."""
    encoding = (detect(before) if before else None) or UTF8
    kept = "" if encoding.errors == "strict" and encoding == UTF8 else f", kept {encoding.label}"
    if encoding.errors != "strict":
        encoding, kept = UTF8, ""
    if before and _pairs_only(decode(before, encoding) if detect(before) else ""):
        content = content.replace("\r\n", "\n").replace("\n", "\r\n")
        kept += ", kept CRLF"
    try:
        return encode(content, encoding), kept
    except UnicodeEncodeError as error:
        raise HandError(_unfit(content[error.start], encoding, shown)) from error


def _pairs_only(text: str) -> bool:
    pairs = text.count("\r\n")
    return pairs > 0 and pairs == text.count("\n")


def _unfit(char: str, encoding: Encoding, shown: str) -> str:
    return (
        f"content holds U+{ord(char):04X}, which {encoding.label} cannot hold, and {shown} is in "
        "that encoding. Nothing was written; leave the character out."
    )
