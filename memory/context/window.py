"""Window: what one session's model has before it. Held in RAM, changed only by ``Memory``.

Prompt order is tools, system, region, tail. Within an epoch nothing in front of the tail's end
ever changes; a new epoch replaces the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.context.index_queue import IndexQueue
from memory.context.region import ContextRegion
from memory.context.tail_ring import TailRing, kept
from memory.tokens import estimate
from memory.types import Entry, Epoch


class Window:
    """The running epoch of one session, its tail, and the heat of what is remembered in it."""

    def __init__(
        self,
        session: str,
        *,
        epoch: Epoch | None = None,
        entries: Iterable[Entry] = (),
        queue: IndexQueue | None = None,
        next_seq: int = 1,
        turns: int = 0,
    ) -> None:
        self.session = session
        self.queue = queue or IndexQueue()
        self.next_seq = next_seq
        """``Entry.seq`` of the next message."""
        self.turns = turns
        """The highest turn number; 0 before the first."""
        self.epoch: Epoch | None = None
        self._region = ContextRegion()
        self._tail = TailRing()
        self._fixed = 0
        self._found: set[str] = set()
        self.start(epoch, entries)

    def start(self, epoch: Epoch | None, entries: Iterable[Entry]) -> None:
        """Enter an epoch with the entries carried into it. For ``Memory`` only."""
        self.epoch = epoch
        self._region = ContextRegion(epoch.items if epoch else ())
        self._tail = TailRing(entries)
        self._fixed = sum(map(estimate, epoch.tools + epoch.system)) if epoch else 0
        self.queue.retain(self.remembered)

    def append(self, entry: Entry) -> None:
        """Take in a recorded entry. For ``Memory`` only."""
        self.queue = self.queue_after(entry)
        self._found.clear()
        self._tail.append(entry)
        self.next_seq = entry.seq + 1
        self.turns = max(self.turns, entry.turn)

    def queue_after(self, entry: Entry) -> IndexQueue:
        """The heat as it will be once the entry is taken in."""
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
    def tokens(self) -> int:
        """Estimated tokens of the whole prompt: tools, system, region and tail."""
        return self._fixed + self._region.tokens + self._tail.tokens

    @property
    def remembered(self) -> frozenset[str]:
        """Remembered nodes in the prompt: the region's, and those shown in the tail."""
        return frozenset(item.node for item in self._region.items) | set(self._tail.shown)

    def holds(self, node_id: str) -> bool:
        """Whether the node stands in the region, or is shown in or is the own of an entry."""
        return self._region.holds(node_id) or self._tail.holds(node_id)

    def touch(self, ids: Sequence[str]) -> None:
        """These were found again: they get warmer. Never changes a byte of the prompt."""
        self.queue.touch(ids, self.turns)
        self._found.update(ids)

    def hottest(self) -> list[tuple[str, float, Literal["region", "tail"], int]]:
        """(node id, heat, place, estimated tokens) of every remembered node, hottest first.

        Several nodes shown in one entry share its tokens evenly.
        """
        rows: list[tuple[str, float, Literal["region", "tail"], int]] = [
            (item.node, self.queue.heat(item.node, self.turns), "region", item.tokens)
            for item in self._region.items
        ]
        rows += [
            (node, self.queue.heat(node, self.turns), "tail", self._tail.share(node))
            for node in self._tail.shown
            if not self._region.holds(node)
        ]
        return sorted(rows, key=lambda row: -row[1])


@dataclass(frozen=True, slots=True)
class Carry:
    """What a window takes into its next epoch, before the region is filled."""

    entries: tuple[Entry, ...]
    """The kept tail."""
    candidates: tuple[str, ...]
    """Remembered nodes that fell out of the tail and stand nowhere else, oldest first."""


def carry(window: Window, keep_tokens: int) -> Carry:
    """Decide what stays of the tail, and which memories then need a place in the region."""
    staying = kept(window.entries, keep_tokens)
    ring = TailRing(staying)
    region = {item.node for item in window.epoch.items} if window.epoch else set()
    fallen = dict.fromkeys(
        node
        for entry in window.entries
        for node in entry.shows
        if node not in region and not ring.holds(node)
    )
    return Carry(staying, tuple(fallen))
