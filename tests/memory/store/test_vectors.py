from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

from memory.store import nodes, vectors
from memory.store.database import Database, open_database
from memory.types import NewNode


def packed(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    db = open_database(tmp_path / "m.db")
    with db.transaction():
        for number in range(6):
            nodes.add(db, NewNode("user", f"text {number}"), number)
    return db


def test_the_nearest_come_first_with_their_cosine(db: Database) -> None:
    space = vectors.space_of(db, "two/1", 2)
    vectors.put(db, space, [(1, packed(1, 0)), (2, packed(1, 1)), (3, packed(0, 2))])

    found = vectors.nearest(db, space, packed(3, 0), 3)

    assert [seq for seq, _ in found] == [1, 2, 3]
    assert [cosine for _, cosine in found] == pytest.approx([1, math.sqrt(0.5), 0], abs=1e-6)


def test_equal_vectors_come_newest_first(db: Database) -> None:
    space = vectors.space_of(db, "two/1", 2)
    vectors.put(db, space, [(seq, packed(1, 2)) for seq in (3, 1, 2)])

    assert [seq for seq, _ in vectors.nearest(db, space, packed(1, 2), 5)] == [3, 2, 1]


@pytest.mark.parametrize("vector", [(0, 0), (math.nan, 1), (math.inf, 1), (-math.inf, 1)], ids=str)
def test_a_vector_without_direction_is_refused_and_not_asked_for_again(
    db: Database, vector: tuple[float, float]
) -> None:
    space = vectors.space_of(db, "two/1", 2)

    assert vectors.put(db, space, [(1, packed(*vector)), (2, packed(1, 1))]) == 1

    assert [seq for seq, _ in vectors.pending(db, space, 9)] == [6, 5, 4, 3]
    assert vectors.count(db, space) == 1
    assert vectors.nearest(db, space, packed(*vector), 9) == []
    assert [seq for seq, _ in vectors.nearest(db, space, packed(1, 1), 9)] == [2]


def test_stamps_never_share_a_space(db: Database) -> None:
    one, other = vectors.space_of(db, "two/1", 2), vectors.space_of(db, "two/2", 2)
    vectors.put(db, one, [(1, packed(1, 0))])

    assert one != other
    assert vectors.nearest(db, other, packed(1, 0), 5) == []
    assert vectors.space_of(db, "two/1", 2) == one
    assert vectors.known_space(db, "two/3") is None
    with pytest.raises(ValueError, match="two/1"):
        vectors.space_of(db, "two/1", 3)


def test_what_is_pending_comes_newest_first_and_only_behind_what_is_done(db: Database) -> None:
    space = vectors.space_of(db, "two/1", 2)

    assert vectors.pending(db, space, 2) == [(6, "text 5"), (5, "text 4")]
    assert [seq for seq, _ in vectors.pending(db, space, 9, after=4)] == [6, 5]


def test_a_node_embedded_twice_keeps_its_first_vector(db: Database) -> None:
    space = vectors.space_of(db, "two/1", 2)

    assert vectors.put(db, space, [(1, packed(1, 0))]) == 1
    assert vectors.put(db, space, [(1, packed(0, 1)), (77, packed(0, 1))]) == 0

    assert vectors.vectors_of(db, space, [1, 77]) == {1: packed(1, 0)}


def test_vectors_of_a_rolled_back_transaction_are_gone(db: Database) -> None:
    space = vectors.space_of(db, "two/1", 2)

    with pytest.raises(KeyError), db.transaction():
        vectors.put(db, space, [(1, packed(1, 0))])
        raise KeyError

    assert vectors.nearest(db, space, packed(1, 0), 5) == []
    assert vectors.count(db, space) == 0
