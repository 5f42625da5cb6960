"""The values that memory takes and gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

NodeRole = Literal["user", "assistant", "tool", "system"]


@dataclass(frozen=True, slots=True)
class NewNode:
    """Something to remember."""

    role: NodeRole
    text: str
    project: str = ""
    """Absolute path of the workspace it happened in."""
    session: str = ""
    turn: int = 0
    kind: str = ""
    """For tool nodes: the hand's name."""
    meta: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Node:
    """One element of the timeline. Its text never changes."""

    seq: int
    """Position: larger is later."""
    id: str
    role: NodeRole
    kind: str
    text: str
    at: int
    """Milliseconds since the epoch, UTC."""
    project: str
    session: str
    turn: int
    meta: dict[str, Any]

    @property
    def address(self) -> str:
        """Its public name, which the ``recall`` hand pages in."""
        return f"mem://{self.id}"


@dataclass(frozen=True, slots=True)
class Query:
    """A question to memory."""

    text: str
    project: str = ""
    """Ranks memories of this workspace first; never excludes the others."""
    session: str = ""
    """The session that asks: "last time" means another one. Its own memories are found as any."""
    limit: int = 8
    now: int | None = None
    """Milliseconds; ``None`` is the clock's now. Words like "yesterday" are counted from it."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found."""

    node: Node
    score: float
    """Comparable within one recollection only; higher is nearer."""
    ways: tuple[str, ...]
    """``vector``, ``text``, ``time``: all that found it, surest first."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What a recall brought back."""

    query: str
    hits: tuple[Hit, ...]
    """Best first."""
    ways: tuple[str, ...]
    """The ways tried, in order."""
    ms: float
    complete: bool = True
    notice: str = ""
    """Why it is not complete, in words."""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A conversation on file."""

    id: str
    project: str
    title: str
    """The first words that the user said."""
    created: int
    updated: int
    model: str
    turns: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of a conversation as it stands in the prompt: rendered once, never again."""

    seq: int
    """Counts through the session, across epochs."""
    turn: int
    role: Literal["user", "assistant", "tool"]
    body: str
    """The message as the spine wrote it; memory does not look inside."""
    tokens: int
    node: str | None
    """The id of the node that holds its words."""
    shows: tuple[str, ...]
    """Ids of the remembered nodes that are rendered in it."""


@dataclass(frozen=True, slots=True)
class Item:
    """A memory that stands in the context region."""

    node: str
    body: str
    """Rendered once at admission; these bytes are what every prompt of the epoch holds."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Epoch:
    """A stretch of a session in which the prompt only grows."""

    number: int
    tools: tuple[str, ...]
    system: tuple[str, ...]
    items: tuple[Item, ...]
    """The context region, in order; fixed when the epoch began."""
    first: int
    """``Entry.seq`` of the first message of its tail."""
    why: str


@dataclass(frozen=True, slots=True)
class MemoryState:
    """Figures for panels and ``/memory``."""

    path: str
    nodes: int
    sessions: int
    embedded: int
    """Nodes that have a vector of the current embedder."""
    embedder: str
    """Its version stamp."""
    bytes: int
