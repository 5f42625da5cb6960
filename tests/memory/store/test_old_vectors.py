"""Vectors that format 3 kept in sqlite-vec's own tables are found until, while and after they are
moved."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import pytest

from memory import Memory
from memory.store import old_vectors, vectors
from memory.store.database import Database, open_database

FORMAT_3 = Path(__file__).with_name("format_3.db.gz")
"""Written by the growbox of format 3: forty nodes, of which the last three are not embedded and the
fifth has no direction; a second space with five vectors."""
STAMP, OTHER = "eight/1", "two/1"
SEVENTH = struct.pack("<8f", -8, 7, 3, 1, -4, 0, -5, 5)
STORED = {*range(1, 38)} - {5}


@pytest.fixture
def db(tmp_path: Path) -> Database:
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress(FORMAT_3.read_bytes()))
    return open_database(path)


def spaces(db: Database) -> tuple[int, int]:
    one, other = vectors.known_space(db, STAMP), vectors.known_space(db, OTHER)
    assert one is not None
    assert other is not None
    return one, other


def nearest(db: Database) -> list[tuple[int, float]]:
    return vectors.nearest(db, spaces(db)[0], SEVENTH, 40)


def test_they_are_found_where_they_are_as_soon_as_the_file_is_open(db: Database) -> None:
    found = nearest(db)

    assert [place for place, _ in found[:3]] == [7, 11, 35]
    assert [cosine for _, cosine in found[:3]] == pytest.approx([1, 0.812014, 0.539834], abs=1e-5)
    assert {place for place, _ in found} == STORED
    assert vectors.count(db, spaces(db)[0]) == len(STORED)
    assert [seq for seq, _ in vectors.pending(db, spaces(db)[0], 9)] == [40, 39, 38]


def test_they_are_found_all_the_same_while_they_are_moved_and_none_is_lost(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "MOVED", 7)
    before, whole = nearest(db), vectors.vectors_of(db, spaces(db)[0], range(1, 41))
    moved: list[int] = []

    while moved[-1:] != [0]:
        moved.append(vectors.move_older(db))
        found = nearest(db)
        assert [place for place, _ in found] == [place for place, _ in before]
        assert [cosine for _, cosine in found] == pytest.approx([c for _, c in before], abs=1e-6)
        assert vectors.vectors_of(db, spaces(db)[0], range(1, 41)) == whole
        assert vectors.count(db, spaces(db)[0]) == len(STORED)

    assert sum(moved) == len(STORED) + 5
    assert max(moved) == 7
    assert not any(old_vectors.left(db, space) for space in spaces(db))
    assert db.value("PRAGMA integrity_check") == "ok"


def test_a_scan_covers_what_was_moved_and_what_was_not(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "MOVED", 20)
    while vectors.move_older(db) == 5:
        pass

    places, cosines = vectors.scan(db, spaces(db)[0], SEVENTH, 3, 30)

    assert sorted(places.tolist()) == [3, 4, *range(6, 31)]
    assert max(cosines.tolist()) == pytest.approx(1, abs=1e-6)


def test_new_vectors_lie_beside_old_ones_and_an_embedded_node_keeps_its_first(db: Database) -> None:
    space, _ = spaces(db)

    assert vectors.put(db, space, [(7, SEVENTH[::-1]), (38, SEVENTH)]) == 1

    assert [place for place, _ in nearest(db)[:3]] == [38, 7, 11]
    assert vectors.vectors_of(db, space, [7, 38]) == {7: SEVENTH, 38: SEVENTH}


def test_an_old_vector_can_be_dropped(db: Database) -> None:
    space, _ = spaces(db)

    vectors.drop(db, space, [7])

    assert nearest(db)[0][0] == 11
    assert vectors.count(db, space) == len(STORED) - 1


def test_a_growbox_of_format_3_that_is_still_open_goes_on_and_what_it_writes_is_moved(
    db: Database,
) -> None:
    while vectors.move_older(db):
        pass
    space, _ = spaces(db)

    # What format 3 runs for a new vector.
    db.execute("INSERT INTO embedded VALUES (?, ?, ?)", (space, 38, 1))
    db.execute(f"INSERT INTO vec_{space} (rowid, embedding) VALUES (?, ?)", (38, SEVENTH))

    assert [place for place, _ in nearest(db)[:2]] == [38, 7]
    assert vectors.move_older(db) == 1
    assert vectors.move_older(db) == 0
    assert [place for place, _ in nearest(db)[:2]] == [38, 7]


async def test_settling_moves_them_all(db: Database) -> None:
    db.close()
    memory = await Memory.open(db.path)

    await memory.settle(60)
    await memory.close()

    again = open_database(db.path)
    assert not vectors.older(again)
    assert {place for place, _ in nearest(again)} == STORED
    again.close()


def test_the_room_that_they_took_is_free_once_they_are_moved(db: Database) -> None:
    def used() -> int:
        pages, free = db.value("PRAGMA page_count"), db.value("PRAGMA freelist_count")
        return int(pages) - int(free)

    before = used()
    while vectors.move_older(db):
        pass

    assert used() < before
