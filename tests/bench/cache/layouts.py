"""Layouts: what other agents send, reduced to sizes. Competitors of the real prompt.

Each takes the messages of a trace one by one and says, before each reply, which requests go out:
now and then one for housekeeping, last the one for the reply. Blocks are names and tokens; a
changed name is other bytes from there on. Where a layout has free choice (marks) it gets the best
that is known: the ends of what stands still, the newest message, and where the newest stood before.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from growbox_tui.agent.ledger import MOST_GAPS
from growbox_tui.models.cache_marks import pays_long
from growbox_tui.models.cache_rules import CacheRules
from tests.bench.cache.providers import Asked, Blocks, Served
from tests.bench.cache.traces import Recorded

SYSTEM = 6_000
"""Tokens of tools and system text, the same for every layout."""
MEMORY = 2_000
"""Tokens of the memory block that head-memory layouts put before the conversation."""

Piece = tuple[str, Blocks]
"""Who says it (``head``, ``user``, ``assistant``, ``tool``), and its blocks."""


class Layout(Protocol):
    """A client's way of laying out prompts."""

    async def take(self, place: int, message: Recorded) -> None:
        """The message is part of the conversation from now on. ``place`` counts the trace."""

    async def ask(self, at: float, reply: Blocks) -> list[Asked]:
        """The requests that lead to one reply, at this second."""

    async def told(self, served: Served) -> None:
        """What the provider reports of the newest request."""

    async def pinged(self, at: float, served: Served) -> None:
        """What it reports of the newest request sent once more at this second."""

    @property
    def past(self) -> int:
        """Tokens in the newest prompt that tell of what left the conversation."""


def cut(place: int, message: Recorded) -> Blocks:
    """A message's content blocks, about equally large; the first has what is left over."""
    each, over = divmod(message.tokens, message.blocks)
    return [((place, part), each + (over if part == 0 else 0)) for part in range(message.blocks)]


def size(blocks: Blocks) -> int:
    """Tokens in all."""
    return sum(tokens for _, tokens in blocks)


@dataclass(slots=True)
class Marker:
    """Where marks go: behind what stands still, behind the newest, and where it stood before."""

    before: object = None
    """Name of the block that had the newest mark."""

    def ask(
        self,
        pieces: Sequence[Piece],
        stable: Sequence[int],
        at: float,
        reply: Blocks,
        *,
        long: bool = False,
    ) -> Asked:
        """One request. ``stable``: how many pieces come before each standing mark; ``long``:
        whether the entries there are to live long."""
        blocks: list[tuple[object, int]] = []
        stops: list[int] = []
        ends: list[int] = []
        for who, inner in pieces:
            blocks.extend(inner)
            stops.append(len(blocks) - 1)
            if who != "assistant":
                ends.append(len(blocks) - 1)
        standing = {stops[count - 1] for count in stable if count}
        older = (n for n in range(len(blocks) - 1, -1, -1) if blocks[n][0] == self.before)
        marks = standing | {ends[-1], next(older, ends[-1])}
        self.before = blocks[ends[-1]][0]
        lasting = tuple(sorted(standing)) if long else ()
        return Asked(tuple(blocks), at, tuple(sorted(marks)), lasting, (), tuple(ends), reply)


@dataclass(slots=True)
class AppendAndCompact:
    """Everything is appended. When 80 % of the window are full, one more call of the same model
    writes a summary, which then stands before the newest messages."""

    window: int
    memory: str = ""
    """A memory block behind the system text: ``call`` or ``turn`` says how often it changes."""
    lasting: CacheRules | None = None
    """With these it asks for long entries of system text and summary, where the product would."""
    full: float = 0.8
    kept: int = 20_000
    summary: int = 1_200
    request: int = 200
    """Tokens of the request for a summary."""
    past: int = 0
    _pieces: list[Piece] = field(default_factory=list)
    _summary: list[Piece] = field(default_factory=list)
    _marker: Marker = field(default_factory=Marker)
    _calls: int = 0
    _turns: int = 0
    _summaries: int = 0
    _gaps: list[float] = field(default_factory=list)
    """Seconds between requests, pings too, newest last."""
    _sent: float | None = None

    async def take(self, place: int, message: Recorded) -> None:
        """Append it."""
        self._pieces.append((message.role, cut(place, message)))
        self._turns += message.role == "user"

    async def told(self, served: Served) -> None:
        """Nothing is learnt from it."""

    async def pinged(self, at: float, served: Served) -> None:
        """It was a request too."""
        self._pause(at)

    async def ask(self, at: float, reply: Blocks) -> list[Asked]:
        """Perhaps a summary, then the call."""
        self._calls += 1
        asked: list[Asked] = []
        said = sum(size(blocks) for _, blocks in [*self._head(), *self._pieces])
        if said > self.full * self.window:
            asked.append(self._compact(at))
        asked.append(self._prompt(at, [], reply))
        self.past = self.summary if self._summary else 0
        return asked

    def _head(self) -> list[Piece]:
        head: list[Piece] = [("head", [("system", SYSTEM)])]
        if self.memory:
            version = self._calls if self.memory == "call" else self._turns
            head.append(("head", [(("memory", version), MEMORY)]))
        return [*head, *self._summary]

    def _prompt(self, at: float, further: list[Piece], reply: Blocks) -> Asked:
        head = self._head()
        pieces = [*head, *self._pieces, *further]
        long = self._is_long(sum(size(blocks) for _, blocks in head))
        self._pause(at)
        return self._marker.ask(pieces, (1, len(head)), at, reply, long=long)

    def _is_long(self, tokens: int) -> bool:
        """Whether to ask for long entries of what stands still, by the pauses that were seen."""
        rules = self.lasting
        if rules is None or max(self._gaps, default=0.0) <= rules.ttl_s:
            return False
        return pays_long(self._gaps, tokens, rules)

    def _pause(self, at: float) -> None:
        if self._sent is not None:
            self._gaps = [*self._gaps, at - self._sent][-MOST_GAPS:]
        self._sent = at

    def _compact(self, at: float) -> Asked:
        self._summaries += 1
        request: Piece = ("user", [(("summarise", self._summaries), self.request)])
        summary: Blocks = [(("summary", self._summaries), self.summary)]
        asked = self._prompt(at, [request], summary)
        left = min(self.kept, self.window // 4)
        stay = len(self._pieces)
        while stay and (left >= size(self._pieces[stay - 1][1]) or stay == len(self._pieces)):
            stay -= 1
            left -= size(self._pieces[stay][1])
        del self._pieces[:stay]
        self._summary = [("user", summary)]
        return asked


@dataclass(slots=True)
class Sliding:
    """The oldest messages are dropped when the window is full: just enough, or, with ``batch``, so
    many that this share of it is free."""

    window: int
    batch: float = 0.0
    past: int = 0
    _pieces: list[Piece] = field(default_factory=list)
    _marker: Marker = field(default_factory=Marker)

    async def take(self, place: int, message: Recorded) -> None:
        """Append it."""
        self._pieces.append((message.role, cut(place, message)))

    async def told(self, served: Served) -> None:
        """Nothing is learnt from it."""

    async def pinged(self, at: float, served: Served) -> None:
        """Nor from this."""

    async def ask(self, at: float, reply: Blocks) -> list[Asked]:
        """One call, after dropping."""
        room = self.window - SYSTEM
        said = sum(size(blocks) for _, blocks in self._pieces)
        if said > room:
            drop = 0
            while said > room * (1 - self.batch) and drop < len(self._pieces) - 1:
                said -= size(self._pieces[drop][1])
                drop += 1
            del self._pieces[:drop]
        pieces: list[Piece] = [("head", [("system", SYSTEM)]), *self._pieces]
        return [self._marker.ask(pieces, (1,), at, reply)]


@dataclass(slots=True)
class Rebuilt:
    """The design that growbox grew out of, as it is documented: at every question of the user the
    prompt is laid out anew (project block with a counter, a region that pages four items in and
    forgets at random, the conversation as plain text), and then only appended to."""

    region_tokens: int = 12_000
    ring_tokens: int = 16_000
    pages: int = 4
    item: int = 300
    project: int = 1_000
    past: int = 0
    _random: random.Random = field(default_factory=lambda: random.Random(7))
    _region: list[Piece] = field(default_factory=list)
    _ring: list[Piece] = field(default_factory=list)
    _run: list[Piece] = field(default_factory=list)
    _items: int = 0
    _turns: int = 0
    _marker: Marker = field(default_factory=Marker)

    async def take(self, place: int, message: Recorded) -> None:
        """Append it; a question lays the prompt out anew first."""
        if message.role == "user":
            self._turn()
        self._run.append((message.role, cut(place, message)))

    async def told(self, served: Served) -> None:
        """Nothing is learnt from it."""

    async def pinged(self, at: float, served: Served) -> None:
        """Nor from this."""

    async def ask(self, at: float, reply: Blocks) -> list[Asked]:
        """One call."""
        head: list[Piece] = [
            ("head", [("system", SYSTEM - self.project)]),
            ("head", [(("project", self._turns), self.project)]),
        ]
        standing = [*head, *self._region]
        pieces = [*standing, *self._ring, *self._run]
        self.past = sum(size(blocks) for _, blocks in self._region)
        return [self._marker.ask(pieces, (1, len(standing)), at, reply)]

    def _turn(self) -> None:
        self._turns += 1
        self._ring += [
            ("user", [(("said", blocks[0][0]), size(blocks))]) for _, blocks in self._run
        ]
        said = sum(size(blocks) for _, blocks in self._ring)
        while said > self.ring_tokens and len(self._ring) > 1:
            said -= size(self._ring.pop(0)[1])
        self._run = []
        for _ in range(self.pages):
            self._region.append(("head", [(("item", self._items), self.item)]))
            self._items += 1
        while len(self._region) * self.item > self.region_tokens:
            self._region.pop(self._random.randrange(len(self._region)))
