"""Resident codes: the codes of one space held in memory, and which of them are likely near.

A block is read when a question first needs it and again when it changed, whoever changed it. What
is held is bounded: blocks beyond the bound are read at each question and not kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from memory.config import RESIDENT_CODE_BYTES
from memory.store import code_blocks, codes
from memory.store.code_blocks import BLOCK, BlockRow, State
from memory.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

FEWEST_WEIGHED = 2_048
"""Codes whose signs are weighed, at least; it takes 0.1 ms."""
WEIGHED_SHARE = 64
"""One of so many codes is weighed. At a million, 16,000 by differing signs alone hold .99 of the
ten nearest."""

SAMPLED = 16
"""One of so many counts is looked at to tell where the edge of the fewest lies."""


@dataclass(frozen=True, slots=True)
class Block:
    """Codes of a stretch of places."""

    words: NDArray[np.uint64]
    """Shape (WORDS, n)."""
    offsets: NDArray[np.uint16] | None
    """Whose they are, counted from the block's first place; ``None``: of all, in order."""

    @property
    def size(self) -> int:
        """Bytes held."""
        return self.words.nbytes + (0 if self.offsets is None else self.offsets.nbytes)

    def places(self, number: int, chosen: NDArray[np.intp]) -> NDArray[np.int64]:
        """The places of some of its columns."""
        import numpy as np

        offsets = chosen if self.offsets is None else self.offsets[chosen]
        return offsets.astype(np.int64) + number * BLOCK


class ResidentCodes:
    """The codes of one space, for one connection. Used by the thread of that connection."""

    def __init__(self, space: int, most_bytes: int = RESIDENT_CODE_BYTES) -> None:
        self._space, self._most_bytes = space, most_bytes
        self._changes, self._version, self.size = -1, 0, 0
        self._rows: dict[int, BlockRow] = {}
        self._held: dict[int, Block] = {}

    def refresh(self, db: Database, state: State) -> None:
        """Take notice of what changed since the last question."""
        version = state.basis.version if state.basis else 0
        if state.changes < self._changes or version != self._version:
            self._rows, self._held, self._changes, self.size = {}, {}, -1, 0
        if state.changes == self._changes:
            return
        for row in code_blocks.changed_since(db, self._space, self._changes):
            self._rows[row.number] = row
            if (stale := self._held.pop(row.number, None)) is not None:
                self.size -= stale.size
        self._rows = dict(sorted(self._rows.items()))
        self._changes, self._version = state.changes, version

    def likely(self, db: Database, asked: codes.Asked, k: int) -> NDArray[np.int64]:
        """Places in the order of how likely they are near, at least the ``k`` best, if there are so
        many; later ones first where signs tell no difference."""
        import numpy as np

        counted = []
        for _, block in self._blocks(db):
            counted.append(np.empty(block.words.shape[1], dtype=np.uint16))
            codes.differing(block.words, asked.words, counted[-1])
        apart = np.concatenate(counted) if counted else np.empty(0, dtype=np.uint16)
        chosen = _fewest(apart, max(k, FEWEST_WEIGHED, len(apart) // WEIGHED_SHARE))
        places, words = self._columns(db, chosen)
        order = np.lexsort((-places, -codes.likeness(words, asked)))
        return places[order]

    def _columns(
        self, db: Database, chosen: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Places and codes, shape (WORDS, n), of columns that are counted over all blocks."""
        import numpy as np

        places = [np.empty(0, dtype=np.int64)]
        words = [np.empty((codes.WORDS, 0), dtype=np.uint64)]
        start = 0
        for number, block in self._blocks(db):
            width = block.words.shape[1]
            here = chosen[slice(*np.searchsorted(chosen, (start, start + width)))] - start
            places.append(block.places(number, here))
            words.append(block.words.take(here, axis=1))
            start += width
        return np.concatenate(places), np.concatenate(words, axis=1)

    def _blocks(self, db: Database) -> Iterator[tuple[int, Block]]:
        """(number, block) in the order of places."""
        for number, row in self._rows.items():
            if (block := self._held.get(number)) is None:
                block = _block(db, row)
                if self.size + block.size <= self._most_bytes:
                    self._held[number] = block
                    self.size += block.size
            yield number, block


def _block(db: Database, row: BlockRow) -> Block:
    import numpy as np

    words = codes.columns(code_blocks.codes_of(db, row))
    offsets = row.offsets
    return Block(words, None if len(offsets) == BLOCK else offsets.astype(np.uint16))


def _fewest(apart: NDArray[np.uint16], many: int) -> NDArray[np.intp]:
    """Where the ``many`` smallest numbers stand, ascending; the later ones of those that are equal
    at the edge."""
    import numpy as np

    if len(apart) <= many:
        return np.arange(len(apart))
    few = _below(apart, many)
    here = apart[few]
    edge = np.partition(here, many - 1)[many - 1]
    below, equal = few[here < edge], few[here == edge]
    return np.sort(np.concatenate((below, equal[len(below) - many :])))


def _below(apart: NDArray[np.uint16], many: int) -> NDArray[np.intp]:
    """Where numbers stand among which the ``many`` smallest are: by the edge that a part of them
    shows, which spares ordering all; all, should that edge have been too low."""
    import numpy as np

    part = apart[::SAMPLED]
    rank = many // SAMPLED + 4 * isqrt(many // SAMPLED)
    if rank < len(part):
        few = np.flatnonzero(apart <= np.partition(part, rank)[rank])
        if len(few) >= many:
            return few
    return np.arange(len(apart))
