"""Codes on file: one block for each stretch of places, changed in place.

A place's code stands where its number says, so a block needs no list of who is in it, and a new
vector costs the pages that hold its few bytes and never a new index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from memory.store.codes import CODE_BYTES, Basis, encode
from memory.store.database import Database
from memory.store.telling import told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 8_192
"""Places a block: its codes (458 kB) fit in a core's own cache, and there are so few blocks that
what each costs besides its scan does not count."""


@dataclass(frozen=True, slots=True)
class State:
    """How the vectors of a space stand."""

    stored: int
    """Vectors in its table."""
    changes: int
    """Rises with every change of it."""
    basis: Basis | None
    """What its codes are made with; ``None`` while there are too few to need any."""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """What a block's row says."""

    id: int
    number: int
    """Its first place, divided by ``BLOCK``; below zero for pieces."""
    present: bytes
    """Which of its places hold a code, one bit each."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """The same, counted from the first place, ascending."""
        import numpy as np

        return np.flatnonzero(np.unpackbits(np.frombuffer(self.present, dtype=np.uint8)))


def state(db: Database, space: int) -> State | None:
    """``None`` if the space has no table of vectors yet."""
    import numpy as np

    row = db.row("SELECT stored, changes, basis, mean FROM code_spaces WHERE space = ?", (space,))
    if row is None:
        return None
    stored, changes, version, mean = row
    basis = None if mean is None else Basis(version, np.frombuffer(mean, dtype="<f4"))
    return State(stored, changes, basis)


def changed_since(db: Database, space: int, changes: int) -> list[BlockRow]:
    """The blocks that changed after so many changes, in the order of their places."""
    rows = db.rows(
        "SELECT id, number, present FROM code_blocks WHERE space = ? AND changed > ?"
        " ORDER BY number",
        (space, changes),
    )
    return [BlockRow(*row) for row in rows]


def codes_of(db: Database, block: BlockRow) -> NDArray[np.uint8]:
    """Shape (places present, CODE_BYTES)."""
    import numpy as np

    (codes,) = db.row("SELECT codes FROM code_bits WHERE block = ?", (block.id,)) or (b"",)
    return np.frombuffer(codes, dtype=np.uint8).reshape(BLOCK, CODE_BYTES)[block.offsets]


def write(
    db: Database, space: int, base: Basis, places: NDArray[np.int64], vectors: NDArray[np.float32]
) -> None:
    """The codes of unit rows (n, dimensions) at their places. Belongs in the transaction that
    stores the vectors and counts the change."""
    import numpy as np

    order = np.argsort(places)
    places, coded = places[order], encode(base, vectors[order])
    for number, start, end in _stretches(places):
        row, present = _block(db, space, number)
        offsets = places[start:end] - number * BLOCK
        _fill(db, row, offsets, coded[start:end])
        present[offsets] = True
        _mark(db, space, row, present)


def clear(db: Database, space: int, places: NDArray[np.int64]) -> None:
    """Take places out of their blocks. Belongs in a transaction, like ``write``."""
    import numpy as np

    places = np.sort(places)
    for number, start, end in _stretches(places):
        row, present = _block(db, space, number)
        present[places[start:end] - number * BLOCK] = False
        _mark(db, space, row, present)


def forget(db: Database, space: int) -> None:
    """All blocks of a space. Belongs in the transaction that makes them anew."""
    db.execute("DELETE FROM code_blocks WHERE space = ?", (space,))


def _stretches(places: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """(number of the block, start, end) of the runs of ascending places that share a block."""
    import numpy as np

    numbers = places // BLOCK
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    for start, end in pairwise(cuts):
        if end > start:
            yield int(numbers[start]), start, end


def _block(db: Database, space: int, number: int) -> tuple[int, NDArray[np.bool_]]:
    """The id of a block, made if it is not there, and which of its places are present."""
    import numpy as np

    key = (space, number)
    row = db.row("SELECT id, present FROM code_blocks WHERE space = ? AND number = ?", key)
    if row is not None:
        bits = np.unpackbits(np.frombuffer(row[1], dtype=np.uint8))
        return int(row[0]), bits.astype(np.bool_)
    db.execute(
        "INSERT INTO code_blocks (space, number, changed, present) VALUES (?, ?, 0, zeroblob(?))",
        (*key, BLOCK // 8),
    )
    made = db.connection.last_insert_rowid()
    db.execute("INSERT INTO code_bits VALUES (?, zeroblob(?))", (made, BLOCK * CODE_BYTES))
    return made, np.zeros(BLOCK, dtype=np.bool_)


def _fill(db: Database, block: int, offsets: NDArray[np.int64], codes: NDArray[np.uint8]) -> None:
    """Write codes over those of the same places, neighbours in one go."""
    import numpy as np

    cuts = [0, *(np.flatnonzero(np.diff(offsets) != 1) + 1).tolist(), len(offsets)]
    with (
        told(db.path),
        db.connection.blob_open("main", "code_bits", "codes", block, True) as blob,
    ):
        for start, end in pairwise(cuts):
            blob.seek(int(offsets[start]) * CODE_BYTES)
            blob.write(codes[start:end].tobytes())


def _mark(db: Database, space: int, block: int, present: NDArray[np.bool_]) -> None:
    import numpy as np

    db.execute(
        "UPDATE code_blocks SET present = ?, changed ="
        " (SELECT changes FROM code_spaces WHERE space = ?) WHERE id = ?",
        (np.packbits(present).tobytes(), space, block),
    )
