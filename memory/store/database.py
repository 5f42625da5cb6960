"""Database: one connection to the memory file, and what its failures mean.

Settings and why: WAL lets readers go on while one process writes; ``synchronous=FULL`` is what
makes an acknowledged write survive a power cut; ``BEGIN IMMEDIATE`` waits for its turn at the
start instead of failing in the middle; ``secure_delete`` wipes what was deleted; the rest keeps a
doctored file from running anything.

The file is made by us with mode 0600 before SQLite sees it: its ``-wal`` and ``-shm`` inherit the
mode. It is never opened by any other means while a connection exists, because closing such a
second descriptor would drop SQLite's locks.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from memory.config import BUSY_MS
from memory.store.errors import Busy, NotMemory, NotWritable, TooNew
from memory.store.migrations import MIGRATIONS
from memory.store.telling import ELSEWHERE, told

if TYPE_CHECKING:
    from memory.store.resident import ResidentCodes

APPLICATION_ID = 0x67726F77
"""``grow`` in ASCII, in the header of every memory file."""

HEADER_BYTES = 100
"""Every SQLite file begins with a header of this length."""

PRAGMAS = (
    "synchronous=FULL",
    "foreign_keys=ON",
    "trusted_schema=OFF",
    "secure_delete=ON",
    "cell_size_check=ON",
    "mmap_size=0",
)

Bindings = Sequence[Any]


class Database:
    """One connection. Used by one thread at a time."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self.connection = connection
        self.path = path
        self.vectors_loaded = False
        """Whether ``store.extension`` has loaded sqlite-vec into this connection."""
        self.codes: dict[int, ResidentCodes] = {}
        """Codes that ``store.vectors`` holds, by space."""
        self.leaving = threading.Event()
        """Set when nothing is worth waiting for any more."""

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a query. Raises ``MemoryFileError``."""
        with told(self.path):
            return list(self.connection.execute(sql, bindings))

    def row(self, sql: str, bindings: Bindings = ()) -> tuple[Any, ...] | None:
        """The first row, or ``None`` if there is none."""
        with told(self.path):
            for row in self.connection.execute(sql, bindings):
                return tuple(row)
        return None

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row; ``LookupError`` if there is none."""
        row = self.row(sql, bindings)
        if row is None:
            raise LookupError(sql)
        return row[0]

    def stream(self, sql: str, bindings: Bindings = ()) -> Iterator[tuple[Any, ...]]:
        """Rows one at a time, for texts too large to hold many of."""
        with told(self.path):
            yield from self.connection.execute(sql, bindings)

    def execute(self, sql: str, bindings: Bindings = ()) -> None:
        """One statement without an answer."""
        with told(self.path):
            self.connection.execute(sql, bindings).fetchall()

    def many(self, sql: str, rows: Sequence[Bindings]) -> None:
        """One statement for each row of bindings."""
        with told(self.path):
            self.connection.executemany(sql, rows).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing, on disk when the block ends. Inside another one it joins it."""
        if self.connection.in_transaction:
            yield
            return
        with told(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:  # whatever ended it, nothing of it may stay
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All reads in the block see the file as it is at the first of them."""
        with told(self.path):
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def size(self) -> int:
        """Bytes of the file and its WAL, asked by name: nothing is opened."""
        names = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(name.stat().st_size for name in names if name.exists())

    def break_off(self) -> None:
        """End what another thread does on this connection: a running statement and the wait for
        another process's write raise ``Busy`` there, from now on without waiting."""
        self.leaving.set()
        with suppress(apsw.ConnectionClosedError):
            self.connection.interrupt()

    def close(self) -> None:
        """Close the connection; the last one also folds the WAL back into the file."""
        with told(self.path):
            self.connection.close()


def open_database(path: Path, *, reading: bool = False, vfs: str | None = None) -> Database:
    """Open the memory file, making it and bringing it up to date where needed.

    A ``reading`` connection cannot write and expects a file that a writing one has opened before.
    Raises ``MemoryFileError``.
    """
    if not reading:
        _prepare(path)
    with told(path):
        connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
        database = Database(connection, path)
        try:
            _settle_in(database, reading)
        except BaseException:  # a half-opened connection would keep its locks
            connection.close()
            raise
    return database


def _prepare(path: Path) -> None:
    """Folder 0700 and an empty file 0600, unless they are there."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(path, flags, 0o600))
        _sync_folder(path.parent)
    except FileExistsError:
        if path.is_dir():
            raise NotMemory(
                f"The memory file {path} is a folder.", "Name a file with --memory FILE."
            ) from None
        if not path.parent.is_dir():
            raise NotWritable(
                f"{path.parent} is a file, so no memory can be kept in it.", ELSEWHERE
            ) from None
    except OSError as error:
        raise NotWritable(
            f"The memory file {path} cannot be made: {error.strerror}.", ELSEWHERE
        ) from error


def _sync_folder(folder: Path) -> None:
    """Make the new file's name survive a power cut; SQLite does so for its own files only."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _settle_in(database: Database, reading: bool) -> None:
    connection = database.connection
    connection.set_busy_handler(patience(database.leaving))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    _recognise(database)
    if reading:
        database.execute("PRAGMA query_only=ON")
    else:
        if connection.readonly("main"):
            raise NotWritable(f"The memory file {database.path} is read-only.", ELSEWHERE)
        _use_wal(database)
    for pragma in PRAGMAS:
        database.execute(f"PRAGMA {pragma}")
    if not reading:
        migrate(database)


def patience(leaving: threading.Event) -> Callable[[int], bool]:
    """What SQLite asks, with the number of times it has asked, whether to try a lock once more: for
    ``BUSY_MS``, or until ``leaving`` is set. Its own timeout could not be broken off."""
    until = 0.0

    def again(asked: int) -> bool:
        nonlocal until
        now = time.monotonic()
        if asked == 0:
            until = now + BUSY_MS / 1000
        pause = min(0.001 * 2 ** min(asked, 6), 0.05)
        return now < until and not leaving.wait(pause)

    return again


def _recognise(database: Database) -> None:
    """Refuse what is not ours before the first byte of it is changed."""
    ours = database.value("PRAGMA application_id")
    version = database.value("PRAGMA user_version")
    if ours == APPLICATION_ID:
        if version > len(MIGRATIONS):
            raise TooNew(
                f"The memory file {database.path} was written by a newer growbox "
                f"(format {version}, this one knows {len(MIGRATIONS)}).",
                "Update growbox, or name another file with --memory FILE.",
            )
        return
    if 0 < database.path.stat().st_size < HEADER_BYTES:
        # SQLite takes a file of one byte for a new database and would write over it.
        raise NotMemory(
            f"{database.path} is too short to be a growbox memory.",
            "It may have been cut off. Move it away to start anew, or name another file with "
            "--memory FILE.",
        )
    if ours or version or database.value("SELECT count(*) FROM sqlite_schema"):
        raise NotMemory(
            f"{database.path} is a database, but not a growbox memory.",
            "Name another file with --memory FILE.",
        )


def _use_wal(database: Database) -> None:
    """Switch to WAL once. The switch does not wait for another process's switch, so we do."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            mode = database.value("PRAGMA journal_mode=WAL")
        except Busy:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise NotWritable(
                f"{database.path} lies where SQLite cannot share a file safely ({mode}).",
                ELSEWHERE,
            )
        return


def migrate(database: Database, steps: Sequence[Sequence[str]] = MIGRATIONS) -> None:
    """Run what is missing, each step in one transaction of its own."""
    for number, statements in enumerate(steps):
        if database.value("PRAGMA user_version") > number:
            continue
        with database.transaction():
            # Another process may have been faster while we waited for the lock.
            if database.value("PRAGMA user_version") > number:
                continue
            for statement in statements:
                database.execute(statement)
            database.execute(f"PRAGMA application_id={APPLICATION_ID}")
            database.execute(f"PRAGMA user_version={number + 1}")
