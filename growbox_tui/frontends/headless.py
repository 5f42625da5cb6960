"""Headless: one question through the real session, without a screen."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TextIO

from growbox_tui.agent.events import Event, Failed, TurnEnded
from growbox_tui.agent.session import Session
from growbox_tui.agent.stream import Reader
from growbox_tui.agent.words import sentences
from growbox_tui.exit_codes import DONE, FAILED, INTERRUPTED
from growbox_tui.frontends.jsonl import JsonFrontEnd
from growbox_tui.frontends.text import TextFrontEnd

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


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the part of it that the user wrote (a pipe may have brought the rest)."""

    text: str
    typed: str


class Ended(Exception):
    """A signal ended the program; what was running was stopped and kept."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"signal {signal_number}")
        self.code = 128 + signal_number


def front_end(output: Output, out: TextIO | None = None, err: TextIO | None = None) -> FrontEnd:
    """The reader for an output form, writing to stdout and stderr."""
    answer = _writer(out or sys.stdout)
    if output == "json":
        return JsonFrontEnd(answer)
    return TextFrontEnd(answer, _writer(err or sys.stderr))


def _writer(file: TextIO | None) -> Callable[[str], None]:
    """Writes lines; to a stream that was closed before we began it writes nothing."""

    def write(line: str) -> None:
        if file is not None:
            file.write(line + "\n")
            file.flush()

    return write


async def ask(
    workbench: Opens, questions: Sequence[Question], resume: str | None, output: Output
) -> int:
    """Put the questions, one turn each, and tell everything. Returns the exit code.

    Raises ``Ended`` when the system asked the program to end, after the turn was stopped.
    """
    ended = _end_on_signals()
    try:
        return await _ask(workbench, questions, resume, front_end(output))
    except asyncio.CancelledError:
        if ended:
            raise Ended(ended[0]) from None
        raise


def _end_on_signals() -> list[int]:
    """Let SIGTERM and SIGHUP stop the turn as ctrl+c does; which one came is in the list."""
    task, loop, came = asyncio.current_task(), asyncio.get_running_loop(), []
    assert task is not None

    def stop(number: int) -> None:
        came.append(number)
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop, int(number))
    return came


async def _ask(
    workbench: Opens, questions: Sequence[Question], resume: str | None, shown: FrontEnd
) -> int:
    code = DONE
    try:
        session = await workbench.open(resume)
        telling = asyncio.create_task(_tell(session.stream.reader(), shown))
        task = asyncio.current_task()
        assert task is not None
        # Where nobody can be told any more, nothing more is run or paid for.
        telling.add_done_callback(lambda done: task.cancel() if failed(done) else None)
        try:
            await session.start()
            for question in questions:
                code = exit_code(await session.prompt(question.text, question.typed))
                if code != DONE:
                    break
        finally:
            await session.close()
            await telling
    finally:
        await workbench.close()
    return code


def failed(task: asyncio.Task[None]) -> bool:
    """Whether a task ended with an error."""
    return not task.cancelled() and task.exception() is not None


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
        _writer(sys.stderr)(sentences(failed.text, failed.hint))
