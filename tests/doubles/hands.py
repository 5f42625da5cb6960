"""Small hands and a whole session around a scripted model, for tests of the spine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from executors.protocol import (
    Arguments,
    Claim,
    Details,
    ExecutorSpec,
    HandError,
    Job,
    Outcome,
)
from growbox_tui.agent.asking import Asking
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Dispatch
from growbox_tui.agent.events import Event, SessionOpened
from growbox_tui.agent.gate import Policy
from growbox_tui.agent.limits import Limits
from growbox_tui.agent.session import Session
from growbox_tui.agent.stream import EventStream, Reader
from growbox_tui.agent.take_up import take_up
from growbox_tui.models.protocol import Model
from memory.memory import Memory
from tests.doubles.patience import FOR_EVER

Kind = TypeVar("Kind", bound=Event)


def of(events: Sequence[Event], kind: type[Kind]) -> list[Kind]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


@dataclass
class Hand:
    """A hand that claims and does what a test tells it to."""

    name: str
    does: Callable[[Arguments, Job], Any]
    claim: str = ""
    """``kind target``; empty claims nothing."""
    ran: list[dict[str, Any]] = field(default_factory=list)

    @property
    def spec(self) -> ExecutorSpec:
        return ExecutorSpec(self.name, f"the {self.name} hand", {"type": "object"})

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        if not self.claim:
            return []
        kind, _, target = self.claim.partition(" ")
        return [Claim(kind, target.format(**arguments), self.claim.format(**arguments))]  # type: ignore[arg-type]

    def preview(self, arguments: Arguments) -> Details:
        return Details("text", json.dumps(dict(arguments), ensure_ascii=False))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        self.ran.append(dict(arguments))
        content = self.does(arguments, job)
        if asyncio.iscoroutine(content):
            content = await content
        return Outcome(content, Details("text", self.name, "done", content))


class FewHands:
    """A registry of a test's own hands."""

    def __init__(self, *hands: Hand) -> None:
        self.hands: dict[str, Hand] = {hand.name: hand for hand in hands}
        self._fixed = tuple(sorted(self.hands))

    def find(self, name: str) -> Hand:
        if name not in self.hands:
            raise HandError(f"there is no hand {name}; there are {', '.join(self.hands)}")
        return self.hands[name]

    def validate(self, name: str, arguments: str) -> dict[str, Any]:
        return dict(json.loads(arguments))

    def tools(self) -> tuple[str, ...]:
        return tuple(
            json.dumps({"name": name, "description": "", "parameters": {}}) for name in self._fixed
        )

    def arrive(self, hand: Any) -> None:
        if hand.name in self.hands:
            raise ValueError(f"there is a hand {hand.name} already")
        self.hands[hand.name] = hand

    def leave(self, name: str) -> None:
        del self.hands[name]

    def late(self) -> tuple[str, ...]:
        return tuple(
            json.dumps({"name": name, "description": f"the {name} hand"})
            for name in sorted(self.hands)
            if name not in self._fixed
        )


@dataclass
class Bench:
    """A session with all that a test wants to look at."""

    session: Session
    memory: Memory
    model: Any
    reader: Reader
    events: list[Event] = field(default_factory=list)

    async def ask(self, text: str) -> list[Event]:
        """Put a question and return what happened in its turn."""
        await self.session.prompt(text)
        return self.drain()

    def drain(self) -> list[Event]:
        """What has happened since the last look."""
        fresh = list(self.reader.drain())
        self.events += fresh
        return fresh

    async def until(self, kind: type[Event] | tuple[type[Event], ...]) -> Event:
        """Wait for an event of a kind, or of one of several."""
        async with asyncio.timeout(FOR_EVER):
            async for event in self.reader:
                self.events.append(event)
                if isinstance(event, kind):
                    return event
        raise AssertionError(f"the stream ended without {kind}")


async def session_on(
    memory: Memory,
    model: Model,
    *hands: Hand,
    project: Path = Path("/orchard"),
    session: str = "",
    limits: Limits | None = None,
    stand_in: str = "",
    embed: Literal["behind", "meanwhile"] = "meanwhile",
    files: Mapping[str, str] | None = None,
) -> Bench:
    """A session on a memory file; ``session`` goes on with one that is there."""
    stream = EventStream()
    registry = FewHands(*hands)
    resumed = bool(session)
    session = session or await memory.open_session(str(project), model.name)
    policy = Policy(project, secret=lambda path: path.endswith(".env"))
    talk = Conversation(
        project=project,
        model=model,
        mind=memory,
        window=await memory.window(session),
        dispatch=Dispatch(registry, policy, Asking(stream.publish, stand_in)),
        publish=stream.publish,
        tools=registry.tools(),
        system=lambda: ("You are a test.", "Use your hands."),
        read_file=reader_of(files or {}),
        today=lambda: "2026-05-03",
        limits=limits or Limits(),
    )
    await take_up(talk)
    made = Session(
        talk,
        stream,
        open_model=always(model),
        opened=SessionOpened(session, str(project), model.name, "", resumed, 0, 0),
        transcript=await memory.transcript(session) if resumed else [],
        embed=embed,
    )
    return Bench(made, memory, model, stream.reader())


def always(model: Model) -> Callable[[str], Awaitable[Model]]:
    """Every name opens this voice."""

    async def open_model(name: str) -> Model:
        return model

    return open_model


def reader_of(files: Mapping[str, str]) -> Callable[[str], str]:
    """What gives ``@path`` its text, from a test's own files."""

    def read(path: str) -> str:
        if path not in files:
            raise FileNotFoundError(f"no such file: {path}")
        return files[path]

    return read
