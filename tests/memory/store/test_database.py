from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from memory.store import nodes, settings
from memory.store.database import APPLICATION_ID, Database, migrate, open_database
from memory.store.errors import MemoryFileError, NotMemory, NotWritable, TooNew
from memory.store.migrations import MIGRATIONS
from memory.types import NewNode

NOBODY = 65534


@pytest.fixture
def ordinary_user(tmp_path: Path) -> Iterator[Path]:
    """A folder of one's own, as a user whom permissions bind (root is bound by none)."""
    folder = tmp_path / "mine"
    folder.mkdir()
    if os.geteuid() != 0:
        yield folder
        return
    own = [place for place in (tmp_path, *tmp_path.parents) if place.stat().st_uid == 0]
    for above in own[:-1]:
        above.chmod(above.stat().st_mode | 0o111)
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        os.seteuid(0)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def tables(db: Database) -> set[str]:
    return {name for (name,) in db.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def assert_told(error: MemoryFileError, path: Path) -> None:
    assert str(path) in error.text
    assert error.text.endswith(".")
    assert error.hint


def test_folder_and_files_are_the_users_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        path = tmp_path / "new" / "memory.db"
        db = open_database(path)
        nodes.add(db, NewNode("user", "hello"), 1)

        assert mode(path.parent) == 0o700
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["memory.db", "memory.db-shm", "memory.db-wal"]
        assert {mode(file) for file in files} == {0o600}
        db.close()
    finally:
        os.umask(umask)


def test_settings_that_keep_acknowledged_writes_are_on(tmp_path: Path) -> None:
    db = open_database(tmp_path / "m.db")

    assert db.value("PRAGMA journal_mode") == "wal"
    assert db.value("PRAGMA synchronous") == 2
    assert db.value("PRAGMA foreign_keys") == 1
    assert db.value("PRAGMA trusted_schema") == 0
    assert db.value("PRAGMA secure_delete") == 1
    assert db.value("PRAGMA application_id") == APPLICATION_ID
    assert db.value("PRAGMA user_version") == len(MIGRATIONS)


def test_a_reading_connection_cannot_write(tmp_path: Path) -> None:
    open_database(tmp_path / "m.db")
    reader = open_database(tmp_path / "m.db", reading=True)

    with pytest.raises(NotWritable):
        nodes.add(reader, NewNode("user", "hello"), 1)


def test_a_plain_text_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    words = "these are my notes and no database\n" * 100
    path.write_text(words)

    with pytest.raises(NotMemory) as caught:
        open_database(path)

    assert_told(caught.value, path)
    assert path.read_text() == words
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("length", [1, 50, 99, 100, 511, 4096, 12_000])
def test_a_file_that_was_cut_off_is_refused_and_left_alone(tmp_path: Path, length: int) -> None:
    path = tmp_path / "m.db"
    db = open_database(path)
    for number in range(20):
        nodes.add(db, NewNode("user", f"memory {number} " * 50), number)
    db.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:length])

    with pytest.raises(NotMemory) as caught:
        open_database(path)

    assert_told(caught.value, path)
    assert path.read_bytes() == whole[:length]


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE bookmarks (url)").fetchall()
    other.close()
    before = path.read_bytes()

    with pytest.raises(NotMemory) as caught:
        open_database(path)

    assert_told(caught.value, path)
    assert path.read_bytes() == before


def test_a_file_of_a_newer_growbox_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = open_database(path)
    db.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")
    db.close()
    before = path.read_bytes()

    with pytest.raises(TooNew) as caught:
        open_database(path)

    assert_told(caught.value, path)
    assert "newer growbox" in caught.value.text
    assert path.read_bytes() == before


def test_a_folder_in_the_files_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotMemory) as caught:
        open_database(tmp_path)

    assert_told(caught.value, tmp_path)


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(NotWritable) as caught:
        open_database(tmp_path / "data" / "m.db")

    assert_told(caught.value, tmp_path / "data")


def test_missing_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "c" / "m.db"

    open_database(path).close()

    assert path.exists()


def test_a_folder_that_may_not_be_written_is_told(ordinary_user: Path) -> None:
    ordinary_user.chmod(0o500)

    with pytest.raises(NotWritable) as caught:
        open_database(ordinary_user / "m.db")

    assert_told(caught.value, ordinary_user / "m.db")


def test_a_memory_in_a_folder_that_became_read_only_is_told(ordinary_user: Path) -> None:
    path = ordinary_user / "m.db"
    open_database(path).close()
    ordinary_user.chmod(0o500)

    with pytest.raises(NotWritable) as caught:
        db = open_database(path)
        nodes.add(db, NewNode("user", "hello"), 1)

    assert_told(caught.value, path)


def test_a_memory_that_became_read_only_is_told(ordinary_user: Path) -> None:
    path = ordinary_user / "m.db"
    open_database(path).close()
    path.chmod(0o400)

    with pytest.raises(NotWritable) as caught:
        open_database(path)

    assert_told(caught.value, path)


def test_a_file_that_may_not_be_read_is_told(ordinary_user: Path) -> None:
    path = ordinary_user / "m.db"
    open_database(path).close()
    path.chmod(0o000)

    with pytest.raises(NotMemory) as caught:
        open_database(path)

    assert_told(caught.value, path)


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    path.touch()

    db = open_database(path)

    assert db.value("PRAGMA application_id") == APPLICATION_ID


def test_a_step_that_fails_leaves_the_shape_before_it(tmp_path: Path) -> None:
    db = open_database(tmp_path / "m.db")
    before = tables(db)
    steps = (*MIGRATIONS, ("CREATE TABLE extra (a)", "CREATE TABLE nodes (again)"))

    with pytest.raises(apsw.SQLError):
        migrate(db, steps)

    assert tables(db) == before
    assert db.value("PRAGMA user_version") == len(MIGRATIONS)


def test_steps_run_once_and_in_order(tmp_path: Path) -> None:
    db = open_database(tmp_path / "m.db")
    steps = (*MIGRATIONS, ("CREATE TABLE extra (a)",), ("INSERT INTO extra VALUES (1)",))

    migrate(db, steps)
    migrate(db, steps)

    assert db.rows("SELECT a FROM extra") == [(1,)]
    assert db.value("PRAGMA user_version") == len(steps)


def test_a_transaction_that_raises_leaves_nothing(tmp_path: Path) -> None:
    db = open_database(tmp_path / "m.db")

    with pytest.raises(KeyError), db.transaction():
        nodes.add(db, NewNode("user", "half"), 1)
        settings.keep(db, "key", 1)
        raise KeyError

    assert nodes.count(db) == 0
    assert settings.kept(db, "key") is None


def test_deleted_words_do_not_stay_readable_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    db = open_database(path)
    settings.keep(db, "secret", "xyzzy-plugh-4711")
    db.execute("DELETE FROM kv")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()

    assert b"xyzzy-plugh-4711" not in path.read_bytes()
