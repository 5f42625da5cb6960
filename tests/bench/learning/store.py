"""Memory files for the protocol: filled once, copied for each run, and moved about for drift."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory import Memory
from memory.hyperspace.spaces import late, spaces
from memory.protocols import Embedder, Late
from memory.store import nodes
from memory.store.database import open_database
from memory.types import NewNode
from tests.bench.learning.corpus import Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOON = 1_750_000_000_000
LEARNED = ("questions", "question_vectors", "pointers", "keys", "anchors", "certificates", "debts")
"""Tables of what was learned, in an order in which they may be copied."""


class FixedClock:
    """A clock that stands: what is learned does not age while it is measured."""

    def now(self) -> int:
        """The same moment always."""
        return NOON


class Remembered:
    """An embedder that embeds each text once in a run: the same questions are asked of every arm,
    and what embedding costs is not what is measured here."""

    def __init__(self, embedder: Embedder) -> None:
        """Around another embedder; its spaces are kept apart."""
        self._embedder = embedder
        self._made: dict[str, NDArray[np.float32]] = {}
        parts = spaces(embedder)
        self.spaces: tuple[Embedder, ...] = (
            tuple(Remembered(part) for part in parts) if len(parts) > 1 else (self,)
        )
        inner = late(embedder)
        self.late: Late | None = None if inner is None else RememberedCodes(inner)

    @property
    def stamp(self) -> str:
        """As of the embedder."""
        return self._embedder.stamp

    @property
    def dimensions(self) -> int:
        """As of the embedder."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._made]
        if new:
            self._made.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._made[text] for text in texts])


class RememberedCodes:
    """Late interaction of which each code and each comparison is made once."""

    def __init__(self, inner: Late) -> None:
        """Around another."""
        self._inner = inner
        self._codes: dict[str, bytes] = {}
        self._answers: dict[str, dict[bytes, float]] = {}

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        """As of the other."""
        new = [text for text in dict.fromkeys(texts) if text not in self._codes]
        if new:
            self._codes.update(zip(new, self._inner.codes(new), strict=True))
        return [self._codes[text] for text in texts]

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        """As of the other."""
        import numpy as np

        known = self._answers.setdefault(question, {})
        new = [code for code in dict.fromkeys(codes) if code not in known]
        if new:
            scores = self._inner.answers(question, new)
            known.update(zip(new, (float(score) for score in scores), strict=True))
        return np.array([known[code] for code in codes], dtype=np.float32)


async def fill(path: Path, turns: Sequence[Turn], embedder: Embedder) -> None:
    """A new memory file that holds the turns at the positions 1, 2, …, all of them embedded."""
    db = open_database(path)
    try:
        with db.transaction():
            for turn in turns:
                nodes.add(db, NewNode("user", turn.text, session=turn.unit), NOON)
    finally:
        db.close()
    memory = await Memory.open(path, embedder=embedder, clock=FixedClock())
    try:
        while await memory.settle(600.0):
            pass
    finally:
        await memory.close()


def moved(turns: Sequence[Turn], trades: dict[int, int]) -> list[Turn]:
    """The turns after some have traded places: the words move, the place stays in its session."""
    text = {place: turns[other].text for place, other in trades.items()}
    text |= {other: turns[place].text for place, other in trades.items()}
    return [
        Turn(turn.talk, turn.unit, text.get(place, turn.text)) for place, turn in enumerate(turns)
    ]


def copied(path: Path, to: Path) -> Path:
    """A copy of a closed memory file."""
    shutil.copyfile(path, to)
    return to


def carry(learned: Path, to: Path) -> None:
    """Copy what one memory file has learned to another that holds its turns at the same places."""
    db = open_database(to)
    try:
        db.execute("ATTACH ? AS other", (str(learned),))
        with db.transaction():
            for table in LEARNED:
                db.execute(f"INSERT INTO {table} SELECT * FROM other.{table}")
            db.execute(
                "INSERT OR REPLACE INTO kv SELECT * FROM other.kv"
                " WHERE key >= 'learned:' AND key < 'learned;'"
            )
    finally:
        db.close()
