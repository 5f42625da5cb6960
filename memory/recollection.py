"""What is asked of memory, and what comes back: questions, finds, and what finding them cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memory.types import Node

Rung = Literal["jumps", "pins", "pointers", "anchors", "near", "scan", "reading"]
"""Steps of the ladder, cheapest first. ``near``: full text, the approximate vector index and time,
fused. ``scan``: all vectors, exactly. ``reading``: a judge reads the raw text."""


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
    turn: int = 0
    """The turn that asks, for ``/why``."""
    deeper: bool = False
    """Go on to exact reading whatever the cheaper steps bring: the user was not content, or speaks
    of what was said before ("as we decided")."""
    exhaustive: bool = False
    """Read everything, whatever was read before for a question like this one."""
    without: frozenset[Rung] = frozenset()
    """Steps of the ladder that are switched off. ``reading`` cannot be."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found."""

    node: Node
    score: float
    """Comparable within one recollection only; higher is nearer."""
    ways: tuple[str, ...]
    """``vector``, ``text``, ``time``: all that found it, surest first."""
    rung: Rung = "near"
    """The step that brought it."""
    piece: tuple[int, int] | None = None
    """Which characters of the node bear on the question; ``None`` is all of them."""
    placeholder: bool = True
    """Found by the approximate index alone: it enters the window, but no pointer stands behind it
    and it leaves no anchor when it goes."""
    key: str = ""
    """The past question by which a pointer led here."""
    confirmed: bool = False
    """Whether a judge read it for this question and said yes."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Positions of the timeline, both ends included."""

    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the ladder did and what it cost."""

    rung: Rung
    found: int
    """Memories that it brought and that no step before it had."""
    calls: int = 0
    """Calls of a judge."""
    tokens: int = 0
    """Tokens that the judge read."""
    ms: float = 0.0
    note: str = ""
    """What is worth saying about it, in words; why it was skipped, if it was."""


@dataclass(frozen=True, slots=True)
class Price:
    """What exact reading of what is left would cost."""

    nodes: int
    tokens: int
    calls: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that a judge is asked about."""

    id: str
    """Names it in the answer; never a number that a text could contain by chance."""
    text: str
    """Bounded in tokens."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said of some candidates."""

    answers: dict[str, Literal["yes", "no", "unknown"]]
    """Candidate id → answer. An id that is missing is ``unknown``."""
    tokens: int = 0
    """Tokens read and written, as far as the judge knows."""
    why: str = ""
    """What went wrong, in words, where something did."""


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
    """Whether nothing that bears on the question can be missing but what the caps cut off."""
    notice: str = ""
    """Why it is not complete, in words, if that is news: some way failed."""
    steps: tuple[Step, ...] = ()
    """The ladder, as far as it was climbed."""
    unread: tuple[Stretch, ...] = ()
    """Where what is missing must lie: read by no judge for a question like this one."""
    price: Price | None = None
    """What reading them would cost, where no judge that is able could; an offer to the model."""
    id: int = 0
    """Number of this recollection on file, by which feedback names it; 0 if it was not kept."""

    @property
    def answered_by(self) -> Rung | None:
        """The step that brought the best memory; ``None`` if nothing was found."""
        return self.hits[0].rung if self.hits else None
