"""Headless: one question through the real session, without a screen."""

from __future__ import annotations

import asyncio
import sys
from typing import Literal, Protocol, TextIO

from growbox_tui.agent.events import Event, Failed, TurnEnded
from growbox_tui.agent.session import Session
from growbox_tui.agent.stream import Reader
from growbox_tui.frontends.jsonl import JsonFrontEnd
from growbox_tui.frontends.text import TextFrontEnd

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes."""

Output = Literal["text", "json"]


class FrontEnd(Protocol):
    """Something that shows events."""

    def show(self, event: Event) -> None:
        """Show one."""


class Opens(Protocol):
    """What a session is got from."""

    async def open(self, resume: str | None = None) -> Session:
        """A new session, or one that is gone on with."""

    async def close(self) -> None:
        """Let go of everything."""


def front_end(output: Output, out: TextIO | None = None, err: TextIO | None = None) -> FrontEnd:
    """The reader for an output form, writing to stdout and stderr."""
    answer = _writer(out or sys.stdout)
    if output == "json":
        return JsonFrontEnd(answer)
    return TextFrontEnd(answer, _writer(err or sys.stderr))


def _writer(file: TextIO):  # type: ignore[no-untyped-def]
    def write(line: str) -> None:
        file.write(line + "\n")
        file.flush()

    return write


async def ask(workbench: Opens, questions: list[str], resume: str | None, output: Output) -> int:
    """Put the questions, one turn each, and tell everything. Returns the exit code."""
    shown = front_end(output)
    session = await workbench.open(resume)
    reader = session.stream.reader()
    telling = asyncio.create_task(_tell(reader, shown))
    code = DONE
    try:
        await session.start()
        for question in questions:
            code = exit_code(await session.prompt(question))
            if code != DONE:
                break
    finally:
        await session.close()
        await telling
        await workbench.close()
    return code


async def _tell(reader: Reader, shown: FrontEnd) -> None:
    async for event in reader:
        shown.show(event)


def exit_code(end: TurnEnded) -> int:
    """What a turn's end means to a shell."""
    match end.reason:
        case "done" | "length":
            return DONE
        case "cancelled":
            return INTERRUPTED
        case _:
            return FAILED


def report(failed: Failed, output: Output) -> None:
    """Tell of something that went wrong before there was a session."""
    shown = front_end(output)
    shown.show(failed)
    if output == "json":
        _writer(sys.stderr)(f"{failed.text} {failed.hint}".strip())
