"""Executor: one hand. It says what it is, what it would touch, and then does it.

Only ``growbox_tui.agent.dispatch`` calls ``run``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Arguments = Mapping[str, Any]
"""Tool arguments, already checked against the hand's schema."""

ClaimKind = Literal["read", "write", "shell", "net"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a call would touch."""

    kind: ClaimKind
    target: str
    """An absolute path, a command line, or a host."""
    words: str
    """For people: ``write src/a.py``, ``run pytest -q``."""


@dataclass(frozen=True, slots=True)
class ExecutorSpec:
    """What the model is told of a hand."""

    name: str
    words: str
    """From the ``.md`` beside the hand."""
    schema: Mapping[str, Any]
    """JSON Schema of the arguments (an object)."""


@dataclass(frozen=True, slots=True)
class Details:
    """For the screen. ``kind`` is one of ``shell file diff listing matches plan question memory
    text``; ``body`` is what opens, ``language`` how to colour it."""

    kind: str
    title: str
    summary: str = ""
    body: str = ""
    language: str = ""


WOULD_FAIL = "would fail"
"""``Details.summary`` of a preview whose call cannot succeed; ``body`` says why."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The file that a result tells of, as it was then."""

    path: str
    """Absolute."""
    sha256: str
    """Of the file's bytes, in hex: with another sum the result has gone stale."""
    start: int | None = None
    """First line that the result holds, from 1; ``None`` where it holds none of the text."""
    end: int | None = None
    """Last line, included."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it, for two audiences."""

    content: str
    """For the model, whole; dispatch trims it and keeps the whole in memory."""
    details: Details
    """For the screen."""
    is_error: bool = False
    plan: tuple[tuple[str, str], ...] | None = None
    """(text, state) of each step, from the plan hand only."""
    reference: Reference | None = None
    """From the hands that read or change a file."""


class HandError(Exception):
    """A hand could not do it. The text goes to the model: what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a running hand is given."""

    call: str
    """The id of the tool call."""
    report: Callable[[str], None] = field(default=lambda text: None)
    """Output as it comes, for the screen."""
    ask: Callable[[str, Sequence[str]], Awaitable[str]] | None = None
    """Put a question to the user; ``None`` when nobody is there."""


class Executor(Protocol):
    """One hand."""

    @property
    def spec(self) -> ExecutorSpec:
        """Name, words and schema."""

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """What this call would touch. Pure; raises ``HandError`` for what can never be right."""

    def preview(self, arguments: Arguments) -> Details:
        """What the user sees before it runs: a command, a diff. Touches nothing."""

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """Do it. Raises ``HandError`` for failures the model can mend. Cancelling the task stops
        the work and leaves nothing behind that runs."""
