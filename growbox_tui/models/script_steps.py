"""Script: the replies of a script and their steps, between the parser and the player."""

from __future__ import annotations

from dataclasses import dataclass, field

from growbox_tui.agent.messages import StopReason, Usage
from growbox_tui.models.protocol import ModelError, ModelFacts


@dataclass(frozen=True, slots=True)
class Expect:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Think:
    text: str


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    kind: type[ModelError]
    text: str
    after: float | None


@dataclass(frozen=True, slots=True)
class Cut:
    """The stream breaks."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Silence until cancelled."""


Step = Expect | Think | Say | Call | Wait | Fail | Cut | Hang


@dataclass(frozen=True, slots=True)
class Block:
    """One reply of a script."""

    line: int
    """Where it starts, counted from 1."""
    steps: tuple[Step, ...]
    usage: Usage | None = None
    stop: StopReason | None = None
    """``None``: ``tool_calls`` if it calls, else ``end``."""
    when: str = ""
    otherwise: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed script."""

    name: str
    blocks: tuple[Block, ...]
    pace: float = 0.0
    facts: ModelFacts = field(default_factory=ModelFacts)
    takes_tools: bool = True
    count: bool = False
