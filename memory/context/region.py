"""ContextRegion: what stands before the conversation, in fixed bytes.

An item is rendered once, when it is admitted, and its bytes are stored with it. It has two states:
it is there, or it is gone. Within an epoch the region is fixed, and what is evicted in it is only
marked: its bytes go at the epoch's end.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.types import Item


class ContextRegion:
    """The items of one epoch, in prompt order."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        """``ValueError`` if two items are of one node and kind."""
        self._items = tuple(items)
        self._memories = {item.node: item for item in self._items if item.kind == "memory"}
        self.nodes = frozenset(item.node for item in self._items if is_node(item.node))
        """The nodes that items are of."""
        if len({(item.node, item.kind) for item in self._items}) < len(self._items):
            raise ValueError("a node stands in the region twice")
        self.tokens = sum(item.tokens for item in self._items)
        """Estimated tokens of all items."""

    @property
    def items(self) -> tuple[Item, ...]:
        """In prompt order."""
        return self._items

    @property
    def memories(self) -> tuple[Item, ...]:
        """The remembered nodes among them, in prompt order."""
        return tuple(self._memories.values())

    def holds(self, node: str) -> bool:
        """Whether the node stands here as a memory; a line or an excerpt of it is less."""
        return node in self._memories


def is_node(name: str) -> bool:
    """Whether an item's name is that of a node; names with a colon are not."""
    return ":" not in name
