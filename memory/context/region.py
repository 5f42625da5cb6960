"""ContextRegion: remembered nodes that stand before the conversation, in fixed bytes.

An item is rendered once, when it is admitted, and its bytes are stored with it. Within an epoch
the region is fixed; what comes and what goes does so between two epochs, and the survivors keep
their order, so the longest possible prefix stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory.context.index_queue import IndexQueue
from memory.types import Item


class ContextRegion:
    """The items of one epoch, in prompt order."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        """``ValueError`` if two items are of one node."""
        self._items = tuple(items)
        self._nodes = frozenset(item.node for item in self._items)
        if len(self._nodes) < len(self._items):
            raise ValueError("a node stands in the region twice")
        self.tokens = sum(item.tokens for item in self._items)
        """Estimated tokens of all items."""

    @property
    def items(self) -> tuple[Item, ...]:
        """In prompt order."""
        return self._items

    def holds(self, node: str) -> bool:
        """Whether the node stands here."""
        return node in self._nodes


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
