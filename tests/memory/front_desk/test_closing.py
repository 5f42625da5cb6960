"""Closing ends, whatever the disk or another program does."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from memory import Busy, Memory
from memory import memory as desk
from memory.store import lane, nodes
from memory.store.database import open_database
from memory.types import NewNode
from tests.doubles.patience import FOR_EVER

SILENT = "silent disk"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch, memory_takes_its_time: None) -> None:
    """What has begun is soon broken off, and has all the time that it needs to notice."""
    monkeypatch.setattr(desk, "CLOSE_SECONDS", 0.05)


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread is soon given up."""
    monkeypatch.setattr(lane, "CLOSE_GRACE_SECONDS", 0.2)


class SilentDisk(apsw.VFS):
    """Passes everything on to the real disk; once ``silent``, a write does not come back until
    ``wakes``."""

    def __init__(self) -> None:
        super().__init__(SILENT, "")
        self.silent = False
        self.reached = threading.Event()
        self.wakes = threading.Event()

    def xOpen(self, name: Any, flags: Any) -> apsw.VFSFile:
        return SilentFile(self, name, flags)


class SilentFile(apsw.VFSFile):
    def __init__(self, disk: SilentDisk, name: Any, flags: Any) -> None:
        self._disk = disk
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:
        if self._disk.silent:
            self._disk.reached.set()
            self._disk.wakes.wait()
        super().xWrite(data, offset)


@pytest.fixture
def disk() -> Iterator[SilentDisk]:
    disk = SilentDisk()
    yield disk
    disk.wakes.set()
    for thread in threading.enumerate():
        if thread.name.startswith("memory-"):
            thread.join(FOR_EVER)
    disk.unregister()


async def test_a_file_that_another_program_holds_does_not_hold_up_closing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory = await Memory.open(path)
    kept = await memory.remember(NewNode("user", "before"))
    other = open_database(path)
    with other.transaction():
        nodes.add(other, NewNode("user", "theirs"), 1)
        waiting = [asyncio.create_task(memory.keep(f"key {n}", 1)) for n in range(10)]
        await asyncio.sleep(0)

        await asyncio.wait_for(memory.close(), FOR_EVER)

        told = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(error) for error in told] == [Busy] * 10
    assert {node.text for node in nodes.newest(other, 9)} == {kept.text, "theirs"}
    assert other.value("SELECT count(*) FROM kv") == 0
    other.close()


async def test_a_disk_that_never_answers_does_not_hold_up_closing(
    tmp_path: Path, disk: SilentDisk, short_grace: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "open_database", partial(open_database, vfs=SILENT))
    memory = await Memory.open(tmp_path / "m.db")
    await memory.keep("before", 1)
    disk.silent = True
    waiting = [asyncio.create_task(memory.keep(f"key {n}", 1)) for n in range(3)]
    await asyncio.to_thread(disk.reached.wait)

    await asyncio.wait_for(memory.close(), FOR_EVER)

    told = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(error) for error in told] == [Busy] * 3
    assert all(isinstance(error, Busy) and error.hint for error in told)


async def test_an_embedder_that_never_ends_does_not_hold_up_closing(
    tmp_path: Path, short_grace: None
) -> None:
    begun, wakes = threading.Event(), threading.Event()

    class Endless:
        stamp, dimensions = "endless/1", 4

        def embed(self, texts: object) -> Any:
            begun.set()
            wakes.wait()
            raise RuntimeError("too late")

    memory = await Memory.open(tmp_path / "m.db", embedder=Endless())
    await memory.remember(NewNode("user", "words"))
    settling = asyncio.create_task(memory.settle(FOR_EVER))
    await asyncio.to_thread(begun.wait)

    await asyncio.wait_for(memory.close(), FOR_EVER)

    with pytest.raises(Busy):
        await settling
    wakes.set()


async def test_a_long_search_is_broken_off_by_closing(tmp_path: Path) -> None:
    endless = (
        "WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    )
    memory = await Memory.open(tmp_path / "m.db")
    searching = asyncio.create_task(memory._reader.run(lambda db: db.value(endless)))
    await asyncio.sleep(0)

    await asyncio.wait_for(memory.close(), FOR_EVER)

    with pytest.raises(Busy):
        await searching


def test_a_process_ends_although_its_disk_never_answers() -> None:
    code = (
        "import asyncio, threading\n"
        "from memory.store.lane import Lane\n"
        "async def main():\n"
        "    lane, begun = Lane('write'), threading.Event()\n"
        "    work = lambda: begun.set() or threading.Event().wait()\n"
        "    stuck = asyncio.create_task(lane.call(work))\n"
        "    await asyncio.to_thread(begun.wait)\n"
        "    await lane.close(0.05)\n"
        "    await asyncio.wait({stuck})\n"
        "    print(type(stuck.exception()).__name__)\n"
        "asyncio.run(main())\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=FOR_EVER, cwd=ROOT
    )

    assert (ended.stdout, ended.stderr, ended.returncode) == ("Busy\n", "", 0)
