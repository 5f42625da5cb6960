"""Appends: nodes that wait for the writer's thread are stored in one transaction.

What takes time about a node is the sync of the disk. Who imports many at once need not pay it for
each: the first that gets its turn takes along those that wait behind it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial

from memory.store import nodes
from memory.store.database import Database
from memory.types import NewNode, Node

MOST_NODES = 256
"""Nodes of one transaction: some 50 ms, for which other writes wait."""
MOST_CHARS = 500_000
"""Characters of one transaction beyond which it takes no further node; some 0.1 s."""


class _Waiting:
    """A node that waits, and what came of it."""

    __slots__ = ("at", "error", "new", "node")

    def __init__(self, new: NewNode, at: int) -> None:
        self.new, self.at = new, at
        self.node: Node | None = None
        self.error: Exception | None = None


class Appends:
    """Nodes that wait, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    def add(self, new: NewNode, at: int) -> Callable[[Database], Node]:
        """As ``nodes.add``, for the writer's thread to call. It may have been stored by the time
        of the call, with others; what fails, fails by itself."""
        waiting = _Waiting(new, at)
        self._waiting.append(waiting)
        return partial(self._stored, waiting)

    def _stored(self, waiting: _Waiting, db: Database) -> Node:
        while waiting.node is None and waiting.error is None:
            self._store(db, self._some())
        if waiting.error is not None:
            raise waiting.error
        if waiting.node is None:
            raise LookupError(waiting.new)
        return waiting.node

    def _some(self) -> list[_Waiting]:
        some, chars = [self._waiting.popleft()], 0
        while self._waiting and len(some) < MOST_NODES and chars < MOST_CHARS:
            some.append(self._waiting.popleft())
            chars += len(some[-1].new.text)
        return some

    def _store(self, db: Database, some: list[_Waiting]) -> None:
        try:
            with db.transaction():
                stored = [nodes.add(db, each.new, each.at) for each in some]
        except Exception as error:  # noqa: BLE001 (whoever waits is told whatever it was)
            if len(some) == 1:
                some[0].error = error
                return
            for each in some:
                self._store(db, [each])
        else:
            for each, node in zip(some, stored, strict=True):
                each.node = node
