"""ContextRegion: remembered nodes that stand before the conversation, in fixed bytes.

An item is rendered once, when it is admitted, and its bytes are stored with it. Within an epoch
the region only grows at its end; what goes, goes between two epochs, and the survivors keep their
order, so the longest possible prefix stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.context.index_queue import IndexQueue
from memory.types import Item


class ContextRegion:
    """The items of one epoch, in prompt order."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items: list[Item] = []
        self._nodes: set[str] = set()
        self.tokens = 0
        """Estimated tokens of all items."""
        for item in items:
            self.admit(item)

    @property
    def items(self) -> tuple[Item, ...]:
        """In prompt order."""
        return tuple(self._items)

    def holds(self, node: str) -> bool:
        """Whether the node stands here."""
        return node in self._nodes

    def admit(self, item: Item) -> None:
        """Add at the end. ``ValueError`` if its node stands here already."""
        if item.node in self._nodes:
            raise ValueError(f"{item.node} stands in the region already")
        self._items.append(item)
        self._nodes.add(item.node)
        self.tokens += item.tokens


def survivors(items: Sequence[Item], queue: IndexQueue, turn: int, budget: int) -> tuple[Item, ...]:
    """The items that stay within ``budget`` estimated tokens, in the order they came.

    Taken by ``IndexQueue.rank``: this turn's finds, then the hottest. One that does not fit is
    passed over, so that a large one does not shut out the small ones behind it.
    """
    by_node = {item.node: item for item in items}
    staying: set[str] = set()
    left = budget
    for node in queue.rank(by_node, turn):
        if by_node[node].tokens <= left:
            staying.add(node)
            left -= by_node[node].tokens
    return tuple(item for item in by_node.values() if item.node in staying)
