from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from memory.store import fulltext, nodes, pieces, vectors
from memory.store.database import Database, open_database
from memory.store.errors import MemoryFileError, NotWritable
from memory.types import NewNode
from tests.doubles.failing_disk import FailingDisk

# apsw also reports an exception of the disk where SQLite swallows it: while closing, rolling back.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

VECTOR = b"\x00\x00\x80\x3f" * 4
WORDS = 4
STRIDE = int(os.environ.get("DISK_STRIDE", "11"))
"""Every so many-th change is failed; 1 tries them all."""


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[FailingDisk]:
    disk = FailingDisk(f"failing-{request.node.name}")
    yield disk
    disk.unregister()


def remember(db: Database, acknowledged: list[str], number: int) -> None:
    with db.transaction():
        pages = {"pages": "page " * 900}
        node = nodes.add(db, NewNode("user", f"common word{number}", meta=pages), number)
        space = vectors.space_of(db, "four/1", 4)
        first = pieces.in_stretch(db, node.seq, node.seq)[0]
        vectors.put(db, space, [(first, VECTOR)])
    acknowledged.append(node.id)


def told_failures(db: Database, acknowledged: list[str], count: int) -> int:
    failures = 0
    for number in range(count):
        try:
            remember(db, acknowledged, number)
        except MemoryFileError as error:
            assert isinstance(error, NotWritable)
            assert error.hint
            failures += 1
    return failures


def assert_consistent(path: Path, acknowledged: list[str], unacknowledged: int) -> None:
    db = open_database(path)
    assert db.value("PRAGMA integrity_check") == "ok"
    stored = [node.id for node in reversed(nodes.newest(db, 999))]
    assert set(acknowledged) <= set(stored)
    assert len(stored) <= len(acknowledged) + unacknowledged
    everything = {place for place, _ in fulltext.matches(db, ["common"], 999)}
    assert set(pieces.positions(db, everything).values()) == {n.seq for n in nodes.newest(db, 999)}
    space = vectors.known_space(db, "four/1")
    near = vectors.nearest(db, space, VECTOR, 999) if space else []
    assert {place for place, _ in near} == everything
    db.close()


def changes_of_a_session(folder: Path, disk: FailingDisk) -> int:
    db = open_database(folder / "whole.db", vfs=disk.name)
    begun = disk.changes
    told_failures(db, [], WORDS)
    return disk.changes - begun


def test_a_disk_that_dies_loses_nothing_that_was_acknowledged(
    tmp_path: Path, disk: FailingDisk
) -> None:
    # row 7
    total = changes_of_a_session(tmp_path, disk)

    for left in range(0, total, STRIDE):
        path = tmp_path / f"{left}.db"
        disk.left = None
        db = open_database(path, vfs=disk.name)
        acknowledged: list[str] = []
        disk.left = left
        failures = told_failures(db, acknowledged, WORDS)
        assert failures == WORDS - len(acknowledged)
        assert failures > 0
        assert_consistent(path, acknowledged, unacknowledged=1)
        disk.left = None
        db.close()


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError])
def test_after_one_failure_the_same_connection_works_again(
    tmp_path: Path, disk: FailingDisk, error: type[apsw.Error]
) -> None:
    disk.error, disk.once = error, True
    total = changes_of_a_session(tmp_path, disk)

    for left in range(0, total, STRIDE):
        path = tmp_path / f"{left}.db"
        disk.left = None
        db = open_database(path, vfs=disk.name)
        acknowledged: list[str] = []
        disk.left = left
        failures = told_failures(db, acknowledged, WORDS)
        assert failures <= 1
        assert len(acknowledged) == WORDS - failures
        assert_consistent(path, acknowledged, unacknowledged=failures)
        db.close()


def test_a_disk_that_dies_while_the_file_is_made_leaves_a_file_that_opens(
    tmp_path: Path, disk: FailingDisk
) -> None:
    open_database(tmp_path / "whole.db", vfs=disk.name).close()
    total = disk.changes

    for left in range(0, total, STRIDE):
        path = tmp_path / f"{left}.db"
        disk.left = left
        try:
            db = open_database(path, vfs=disk.name)
        except NotWritable:
            pass
        else:
            with suppress(NotWritable):
                db.close()
        assert_consistent(path, [], unacknowledged=0)
