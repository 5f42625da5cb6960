"""The product as an arm of the protocol: its own recall, and its own feedback."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory import Memory
from memory.protocols import Embedder, Judge
from memory.recollection import Query, Rung
from memory.store import nodes
from memory.store.database import open_database
from tests.bench.learning.reader import Answer, Outcome
from tests.bench.learning.store import FixedClock

DEPTH = 100
"""Memories that a question may bring: the reader reads fifty at most."""


class Product:
    """One open memory file. What pointers lead to is proposed, what is near is the search."""

    def __init__(
        self, memory: Memory, names: Sequence[str], without: frozenset[Rung], complains: bool
    ) -> None:
        """Use ``Product.open``."""
        self._memory = memory
        self._names = names
        self._place = {name: place for place, name in enumerate(names)}
        self._without = without
        self._complains = complains

    @classmethod
    async def open(
        cls,
        path: Path,
        embedder: Embedder,
        *,
        without: frozenset[Rung] = frozenset(),
        complains: bool = False,
        judge: Judge | None = None,
    ) -> Product:
        """Open a file that ``store.fill`` made.

        ``without``: steps of the ladder that are switched off. ``complains``: whether proposals
        that were read for nothing are called wrong, and not merely left uncited.
        """
        db = open_database(path, reading=True)
        try:
            count = nodes.count(db)
            names = [node.id for node in nodes.by_seq(db, range(1, count + 1))]
        finally:
            db.close()
        memory = await Memory.open(path, embedder=embedder, clock=FixedClock(), judge=judge)
        return cls(memory, names, without, complains)

    async def close(self) -> None:
        """Close the file."""
        await self._memory.close()

    async def ask(self, text: str) -> Answer:
        """What memory brings."""
        got = await self._memory.recall(Query(text, limit=DEPTH, without=self._without))
        proposed = tuple(self._place[hit.node.id] for hit in got.hits if hit.rung == "pointers")
        ranked = tuple(self._place[hit.node.id] for hit in got.hits if hit.rung != "pointers")
        return Answer(proposed, ranked, got.id)

    async def learn(self, answer: Answer, outcome: Outcome) -> None:
        """Cite what was needed, as the foreground model does; a reader that was fooled cites the
        wrong one."""
        used = [outcome.believed] if outcome.believed >= 0 else sorted(outcome.found)
        await self._memory.confirm(answer.number, [self._names[place] for place in used])
        if self._complains and outcome.useless and outcome.believed < 0:
            wrong = [self._names[place] for place in answer.proposed]
            await self._memory.wrong(answer.number, wrong)

    async def known(self) -> int:
        """How many pointers there are."""
        return (await self._memory.map(1)).pointer_count
