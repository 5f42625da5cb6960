"""ReadFile: the hand that reads a text file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import PurePath

from executors.encoding import UTF8, Encoding, decode, detect
from executors.hand_words import INTEGER, STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome
from executors.seen_files import SeenFiles, reference
from executors.workspace import Workspace, read_bytes

MAX_LINES = 2_000
MAX_CHARACTERS = 50_000


class ReadFile:
    """Gives a file's text as it stands, under a line that says what it is. No line numbers in
    front of the lines: what is read can be copied into an edit."""

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        self._workspace = workspace
        self._seen = seen
        self.spec: ExecutorSpec = spec_of("read_file", {"path": STRING}, start=INTEGER, end=INTEGER)

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """The file. Raises ``HandError`` for a path or a range that cannot be."""
        _range(arguments)
        path = self._workspace.resolve(arguments["path"])
        return (Claim("read", str(path), f"read {self._workspace.show(path)}"),)

    def preview(self, arguments: Arguments) -> Details:
        """Its name and the range."""
        return Details("file", arguments["path"], _range_words(arguments))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """The lines that were asked for, up to the caps, and how to read on."""
        path = self._workspace.resolve(arguments["path"])
        start, end = _range(arguments)
        shown = self._workspace.show(path)
        data = await asyncio.to_thread(read_bytes, path, shown)
        encoding = detect(data)
        if encoding is None:
            raise HandError(f"{shown} is binary ({len(data)} bytes, {_kind(data)}).")
        text = decode(data, encoding).encode("utf-8", "replace").decode("utf-8")
        self._seen.note(path, data)
        lines = split_lines(text)
        if start > max(len(lines), 1):
            raise HandError(f"{shown} has {len(lines)} lines; line {start} is behind its end.")
        part, last = _window(lines, start, end)
        head = f"{shown}, {_span(start, last, len(lines))}{_form(encoding, text)}"
        more = last < min(end, len(lines))
        note = f"\n[Read on with start={last + 1}.]" if more else ""
        body = "".join(part).replace("\r\n", "\n")
        language = PurePath(shown).suffix.removeprefix(".")
        details = Details("file", shown, _span(start, last, len(lines)), body, language)
        told = reference(path, data, (start, last))
        return Outcome(f"{head}\n{body}{note}", details, reference=told)


def split_lines(text: str) -> list[str]:
    """Lines with their ends, counted as ``grep -n`` does: at LF; at CR in a file without LF."""
    mark = "\r" if "\n" not in text and "\r" in text else "\n"
    rows = text.split(mark)
    return [row + mark for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


def _range(arguments: Arguments) -> tuple[int, int]:
    """(first, last) line asked for, from 1; without an end, a very large one."""
    start, end = arguments.get("start", 1), arguments.get("end", 1 << 60)
    if start < 1 or end < start:
        raise HandError(f"There are no lines {start} to {end}: start counts from 1, up to end.")
    return start, end


def _range_words(arguments: Arguments) -> str:
    if "start" not in arguments and "end" not in arguments:
        return ""
    return f"lines {arguments.get('start', 1)}-{arguments.get('end', '')}"


def _window(lines: list[str], start: int, end: int) -> tuple[list[str], int]:
    """The lines within the caps, and the number of the last one. One line is always given; cut
    if it is longer than the cap by itself."""
    part: list[str] = []
    size = 0
    for line in lines[start - 1 : min(end, start - 1 + MAX_LINES)]:
        size += len(line)
        if size > MAX_CHARACTERS and part:
            break
        if len(line) > MAX_CHARACTERS:
            line = f"{line[:MAX_CHARACTERS]}\n[{len(line) - MAX_CHARACTERS} more characters]\n"
        part.append(line)
    return part, start - 1 + len(part)


def _span(start: int, last: int, total: int) -> str:
    if start == 1 and last == total:
        return f"{total} line{'s' * (total != 1)}"
    return f"lines {start}-{last} of {total}"


def _form(encoding: Encoding, text: str) -> str:
    """What is not plain UTF-8 with LF about the file."""
    notes = [] if encoding == UTF8 else [encoding.label]
    pairs = text.count("\r\n")
    if pairs:
        notes.append("CRLF" if pairs == text.count("\n") else "mixed LF and CRLF")
    elif "\r" in text and "\n" not in text:
        notes.append("CR")
    return "".join(f", {note}" for note in notes)


def _kind(data: bytes) -> str:
    known = {
        b"\x89PNG": "PNG image", b"\xff\xd8\xff": "JPEG image", b"GIF8": "GIF image",
        b"%PDF": "PDF", b"PK\x03\x04": "zip archive", b"\x1f\x8b": "gzip archive",
        b"\x7fELF": "ELF program", b"SQLite": "SQLite database",
    }  # fmt: skip
    return next((name for mark, name in known.items() if data.startswith(mark)), "unknown type")
