"""Window: what one session's model has before it. Held in RAM, changed only by ``Memory``.

Prompt order is tools, system, region, tail. Within an epoch nothing in front of the tail's end
ever changes; a new epoch replaces the whole. This is the one place where region, queue and tail
meet.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.context.index_queue import IndexQueue
from memory.context.region import ContextRegion
from memory.context.summary_chain import SummaryChain
from memory.context.tail_ring import TailRing
from memory.tokens import estimate
from memory.types import Entry, Epoch, Item, Line

Place = Literal["region", "tail"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A window as it enters an epoch, on disk already."""

    epoch: Epoch | None = None
    entries: tuple[Entry, ...] = ()
    """The tail."""
    queue: IndexQueue | None = None
    chain: SummaryChain = field(default_factory=SummaryChain)
    shortened: frozenset[int] = frozenset()
    """Positions of entries whose bodies are shorter than they were recorded."""


class Window:
    """The running epoch of one session, its tail, its summary chain, and what is wanted of it."""

    def __init__(
        self, session: str, scene: Scene | None = None, *, next_seq: int = 1, turns: int = 0
    ) -> None:
        self.session = session
        self.next_seq = next_seq
        """``Entry.seq`` of the next message."""
        self.turns = turns
        """The highest turn number; 0 before the first."""
        self.queue = IndexQueue()
        self.epoch: Epoch | None = None
        self.chain = SummaryChain()
        """What left the tail, one line a message."""
        self.shortened: frozenset[int] = frozenset()
        """Positions of entries that stand in the tail shorter than they were recorded."""
        self._region = ContextRegion()
        self._tail = TailRing()
        self._fixed = 0
        self._found: dict[str, None] = {}
        self.needed: set[str] = set()
        """Nodes that were found again in this epoch."""
        self.enter(scene or Scene())

    def enter(self, scene: Scene) -> None:
        """Begin an epoch. For ``Memory`` only."""
        epoch = scene.epoch
        self.epoch, self.chain, self.shortened = epoch, scene.chain, scene.shortened
        self.needed = set()
        self._region = ContextRegion(epoch.items if epoch else ())
        self._tail = TailRing(scene.entries)
        self._fixed = sum(map(estimate, epoch.tools + epoch.system)) if epoch else 0
        if scene.queue is not None:
            self.queue = scene.queue

    def append(self, entry: Entry, queue: IndexQueue) -> None:
        """Take in a recorded entry, and the heat that ``queue_after`` gave. For ``Memory`` only."""
        self.queue = queue
        self._found.clear()
        self._tail.append(entry)
        self.next_seq = entry.seq + 1
        self.turns = max(self.turns, entry.turn)

    def queue_after(self, entry: Entry) -> IndexQueue:
        """The heat as it will be once the entry is taken in; the same object where it is as it was
        last stored."""
        if not entry.shows and not self._found:
            return self.queue
        queue = self.queue.copy()
        if entry.turn > self.turns:
            # Recall for a turn runs before its first message is recorded.
            queue.redate(self._found, entry.turn)
        for node in entry.shows:
            queue.admit(node, entry.turn)
        return queue

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The tail of the running epoch, oldest first."""
        return self._tail.entries

    @property
    def items(self) -> tuple[Item, ...]:
        """The region of the running epoch, in order."""
        return self._region.items

    @property
    def lines(self) -> tuple[Line, ...]:
        """The summary chain: what left the tail, one line a message, oldest first."""
        return self.chain.lines

    @property
    def returning(self) -> tuple[Line, ...]:
        """Lines that came back in this epoch, and stand in the prompt from the next one on."""
        there = {item.node for item in self.items if item.kind == "line"}
        return tuple(line for line in self.lines if line.reloaded and line.node not in there)

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt: tools, system, region and tail."""
        return self._fixed + self._region.tokens + self._tail.tokens

    @property
    def tail_tokens(self) -> int:
        """Estimated tokens of the tail."""
        return self._tail.tokens

    @property
    def region_tokens(self) -> int:
        """Estimated tokens of the region."""
        return self._region.tokens

    @property
    def pinned(self) -> tuple[str, ...]:
        """Nodes that the user pinned: no sweep takes them, and the next epoch has them."""
        return self.queue.pinned

    @property
    def evicted(self) -> frozenset[str]:
        """Nodes that stand here and go: from the region at the epoch's end, from the tail when
        the entry does that shows them."""
        return self.queue.evicted

    @property
    def leaving(self) -> frozenset[str]:
        """Those of the evicted that the epoch's end takes out of the region."""
        return self.queue.evicted & self._region.nodes

    @property
    def remembered(self) -> frozenset[str]:
        """Nodes that stand in the prompt: as items of the region, or shown in the tail."""
        return self._region.nodes | set(self._tail.shown)

    def found(self, node: str) -> bool:
        """Whether the node was found in this turn."""
        return self.queue.found_in(node, self.turns)

    def held(self, node: str) -> bool:
        """Whether no sweep may take the node: it was found in this turn, or is pinned."""
        return node in self.queue.pinned or self.found(node)

    def region_holds(self, node_id: str) -> bool:
        """Whether the node stands in the region as a memory."""
        return self._region.holds(node_id)

    def holds(self, node_id: str) -> bool:
        """Whether the node stands in the region as a memory, or is shown in or is the own of an
        entry. A line of it, or an excerpt, does not say what the node says."""
        return self._region.holds(node_id) or self._tail.holds(node_id)

    def touch(self, ids: Sequence[str], placeholders: Collection[str] = ()) -> None:
        """These were found again: they get warmer. Never changes a byte of the prompt."""
        self.queue.stand(placeholders, placeholder=True)
        real = [node for node in ids if node not in placeholders]
        self.queue.stand(real, placeholder=False)
        self.queue.touch(ids, self.turns)
        self._found.update(dict.fromkeys(ids))
        self.needed.update(ids)

    def hottest(self) -> list[tuple[str, float, Place, int]]:
        """(node id, heat, place, estimated tokens) of every remembered node, hottest first.

        Several nodes shown in one entry share its tokens evenly.
        """
        rows: list[tuple[str, float, Place, int]] = [
            (item.node, self.queue.heat(item.node, self.turns), "region", item.tokens)
            for item in self._region.memories
        ]
        rows += [
            (node, self.queue.heat(node, self.turns), "tail", self._tail.share(node))
            for node in self._tail.shown
            if not self._region.holds(node)
        ]
        return sorted(rows, key=lambda row: -row[1])
