"""Leafing: raw memories of stretches that nobody has read for a question, from new to old.

For a model that reads them itself where no judge is able: nothing that memory knows changes by it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from memory.recollection import Stretch
from memory.store import nodes, redirects
from memory.store.database import Database
from memory.store.lane import Lanes
from memory.tokens import estimate
from memory.types import Node

BLOCK = 64
"""Nodes that are read at once."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """Some memories in a row."""

    nodes: tuple[Node, ...] = ()
    """Newest first."""
    below: int = 0
    """Position from which to go on, itself not included; 0: nothing is left."""


class Leafing:
    """Reads one memory file. Every verb may raise ``MemoryFileError``."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    async def leaf(
        self,
        stretches: Sequence[Stretch],
        *,
        tokens: int,
        item_tokens: int,
        below: int | None = None,
        besides: Collection[str] = (),
    ) -> Leaf:
        """The newest memories of some stretches that together take at most so many tokens, one at
        least if there is any.

        Args:
            stretches: where to read.
            tokens: of all of them; estimated.
            item_tokens: what a longer one is shown in, so that it counts no more.
            below: only before this position; ``None`` begins at the newest.
            besides: ids that are left out.
        """
        left = frozenset(besides)
        return await self._lanes.read.run(
            lambda db: _leaf(db, stretches, below, tokens, item_tokens, left)
        )


def _leaf(
    db: Database,
    stretches: Sequence[Stretch],
    below: int | None,
    tokens: int,
    item_tokens: int,
    besides: frozenset[str],
) -> Leaf:
    taken: list[Node] = []
    spare = tokens
    for node in _downwards(db, stretches, below):
        if node.id in besides or not node.text.strip():
            continue
        # Of the beginning alone where that is enough to know: a text may be megabytes.
        cost = min(item_tokens, estimate(node.text[: 8 * item_tokens]))
        if taken and cost > spare:
            return Leaf(tuple(taken), taken[-1].seq)
        spare -= cost
        taken.append(node)
    return Leaf(tuple(taken))


def _downwards(db: Database, stretches: Sequence[Stretch], below: int | None) -> Iterator[Node]:
    """The standing nodes of stretches, newest first."""
    for stretch in sorted(stretches, key=lambda each: -each.hi):
        hi = stretch.hi if below is None else min(stretch.hi, below - 1)
        while hi >= stretch.lo:
            lo = max(stretch.lo, hi - BLOCK + 1)
            gone = set(redirects.retired(db, lo, hi))
            yield from nodes.by_seq(db, [s for s in range(hi, lo - 1, -1) if s not in gone])
            hi = lo - 1
