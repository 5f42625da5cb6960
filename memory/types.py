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
    """Anything that JSON holds. Known here: ``summary``, the writer's own line for it;
    ``supplement``, the user added it while the agent ran; ``reference``, the file that a tool's
    output tells of: ``path`` (absolute), ``sha256`` of its bytes then, and ``start`` and ``end``,
    the lines that the text holds."""


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


ItemKind = Literal["memory", "line", "excerpt", "standing"]
"""``memory``: a node that recall found. ``line``: a message that left the tail, in one line (L1).
``excerpt``: the best of its words. ``standing``: what holds until it is done, such as a plan."""


@dataclass(frozen=True, slots=True)
class Item:
    """What stands in the context region."""

    node: str
    """The node that it is of, once for each kind; a name with a colon where there is no node."""
    body: str
    """Rendered once at admission; these bytes are what every prompt of the epoch holds."""
    tokens: int
    kind: ItemKind = "memory"
    segment: int = 0
    """The epoch that admitted it. Neighbours of one segment are one content block."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message in one line: a link of the summary chain (L1)."""

    seq: int
    """``Entry.seq`` of the message."""
    turn: int
    role: Literal["user", "assistant", "tool"]
    text: str
    """At most some 60 tokens."""
    tokens: int
    at: int
    """Milliseconds, UTC."""
    accessed: int
    """When it was last needed; ``at`` at first."""
    node: str | None
    """Where its full text is (L0)."""
    relevance: float | None = None
    """To the running task, 0 to 1; ``None`` until it was judged."""
    embedding: tuple[float, ...] | None = None
    supplement: bool = False
    """Whether the user added it while the agent ran."""
    reloaded: bool = False
    """Whether it had left the chain and came back on demand."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the constraints block."""

    id: int
    """Counts within its conversation and is never given twice."""
    text: str
    source: Literal["stated", "steered"]
    """``steered``: added while the agent ran."""
    at: int


@dataclass(frozen=True, slots=True)
class RuleAdded:
    """What came of a rule that was to be added or edited."""

    outcome: Literal["kept", "merged", "refused"]
    """``merged``: an older rule says the same; it stands for both."""
    rule: Rule | None
    """The rule as it stands now; ``None`` if it was refused."""
    rules: tuple[Rule, ...]
    """All rules of the conversation as they stand now, in order."""
    why: str = ""
    """Why it was refused, in a sentence."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of everything a prompt may hold, in estimated tokens. See ``economy.budget``."""

    window: int
    """The whole prompt."""
    tail_low: int
    """What stays of the conversation when an epoch ends."""
    tail_high: int
    """At which an epoch ends."""
    region_low: int
    """What stays of the region when it is swept."""
    region_high: int
    """At which it is swept."""
    chain: int
    """All lines of the summary chain."""
    condense: float = 0.2
    """Share of what leaves the tail that lines and excerpts keep of it."""


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
    carried: int = 0
    """How many entries at the front of its tail were carried from the epoch before."""


@dataclass(frozen=True, slots=True)
class MemoryState:
    """Figures for panels and ``/memory``."""

    path: str
    nodes: int
    sessions: int
    embedded: int
    """Places that have a vector of the current embedder."""
    embedder: str
    """Its version stamp."""
    bytes: int
    places: int = 0
    """What is found: nodes as wholes, and pieces of long ones."""

    @property
    def embedded_share(self) -> float:
        """How much of it is embedded, from 0 to 1."""
        return min(1.0, self.embedded / max(1, self.places or self.nodes))
