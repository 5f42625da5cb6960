"""Overview: what recall has learned so far, as values for the map that the user looks at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A memory or a piece of one, as the map names it."""

    id: str
    """The node's id; empty for nowhere in particular."""
    at: int
    """Milliseconds since the epoch; 0 for nowhere."""
    label: str
    """Its first words, on one line, at most some 200 characters."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A stretch of the timeline, both ends included, and how many of its memories are what."""

    lo: int
    hi: int
    at: int
    """When its first memory was made, in milliseconds since the epoch."""
    nodes: int
    """Memories in it: ``deep``, ``light`` and ``owed`` and those that nobody looked at."""
    deep: int
    """Read by a judge for a question, and nothing was missed."""
    light: int
    """Passed on a fast path alone."""
    owed: int
    """Leapt over and not paid yet; whatever else they are."""

    @property
    def none(self) -> int:
        """Memories that no question has looked at."""
        return max(0, self.nodes - self.deep - self.light - self.owed)


@dataclass(frozen=True, slots=True)
class Key:
    """A past question at a pointer."""

    question: str
    positive: bool
    """Whether the question succeeded here; else it was misled."""
    weight: float
    tries: int
    successes: int
    used: int
    """When it last led here, in milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class PointerView:
    """A way that questions have learned."""

    id: int
    source: Spot
    target: Spot
    keys: tuple[Key, ...]
    """Those that led first, the heaviest of them first."""
    tries: int
    """How often it was proposed, by all its keys."""
    successes: int
    """How often that was confirmed."""
    made: int
    used: int
    """Milliseconds since the epoch, both."""


@dataclass(frozen=True, slots=True)
class AnchorView:
    """A trace of a memory that left the window."""

    target: Spot
    source: Spot
    level: int
    """1 or 2, by how far the conversation has drifted from it."""
    heat: float
    rejections: int


@dataclass(frozen=True, slots=True)
class DebtView:
    """A stretch that was leapt over, owed to the questions of one family."""

    question: str
    method: str
    """``judge`` or ``scan``."""
    lo: int
    hi: int
    nodes: int
    """Memories of it that are still to be read."""
    tries: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Where the user pointed. It never expires."""

    id: int
    target: Spot
    source: Spot
    session: str
    """Where it holds; empty for everywhere."""
    words: str
    """What the user said when pointing."""
    at: int
    """Milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """What is known of the ways through memory. Lists are cut; the counts are whole."""

    buckets: tuple[Bucket, ...] = ()
    """The whole timeline, oldest first, without gaps."""
    pointers: tuple[PointerView, ...] = ()
    """The most useful first."""
    anchors: tuple[AnchorView, ...] = ()
    debts: tuple[DebtView, ...] = ()
    jumps: tuple[Jump, ...] = ()
    """The newest first."""
    pointer_count: int = 0
    anchor_count: int = 0
    debt_count: int = 0
    question_count: int = 0
    overflow: int = 0
    """Pointers and ledger rows that the caps have thrown out so far."""
