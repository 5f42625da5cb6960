from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memory.store import code_blocks, codes, vectors
from memory.store.database import Database, open_database
from memory.store.errors import MemoryFileError
from tests.doubles.failing_disk import FailingDisk

from .crowd import DIMENSIONS, clusters, put, stand

# apsw also reports an exception of the disk where SQLite swallows it: while closing, rolling back.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PORTIONS, PORTION = 6, 8
STRIDE = 23
"""Every so many-th change is failed."""


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[FailingDisk]:
    disk = FailingDisk(f"failing-{request.node.name}")
    yield disk
    disk.unregister()


def portions(db: Database) -> tuple[int, set[int]]:
    """Put portions one after the other; the space, and the places that were acknowledged."""
    space, acknowledged = 0, set[int]()
    rows = clusters(PORTIONS * PORTION)
    for start in range(0, len(rows), PORTION):
        places = range(start + 1, start + 1 + PORTION)
        try:
            space = vectors.space_of(db, "crowd/1", DIMENSIONS)
            put(db, space, places, rows[start : start + PORTION])
        except MemoryFileError:
            continue
        acknowledged |= set(places)
    return space, acknowledged


def test_codes_and_vectors_stay_of_one_mind_whatever_the_disk_does(
    tmp_path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "FEWEST_CODED", PORTION)
    disk.once = True
    seed = tmp_path / "seed.db"
    db = open_database(seed)
    stand(db, PORTIONS * PORTION)
    db.close()

    def begun(name: str) -> Database:
        path = tmp_path / name
        path.write_bytes(seed.read_bytes())
        return open_database(path, vfs=disk.name)

    whole = begun("whole.db")
    before = disk.changes
    portions(whole)
    whole.close()
    for left in range(0, disk.changes - before, STRIDE):
        db = begun(f"{left}.db")
        disk.left = left
        space, acknowledged = portions(db)
        disk.left = None

        there = {place for (place,) in db.rows(f"SELECT id FROM vectors_{space}")}
        coded = {
            int(offset) + row.number * code_blocks.BLOCK
            for row in code_blocks.changed_since(db, space, -1)
            for offset in row.offsets
        }
        assert acknowledged == there == coded
        state = code_blocks.state(db, space)
        assert state is not None and state.basis is not None
        (row,) = code_blocks.changed_since(db, space, -1)
        held = code_blocks.codes_of(db, row)
        again = codes.encode(state.basis, clusters(PORTIONS * PORTION))
        assert np.array_equal(held, again[sorted(place - 1 for place in there)])
        db.close()
