"""An epoch that ends on a full disk: its window stays as it was, and goes on when there is room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw
import pytest

from memory import Memory, MemoryFileError
from memory.store.database import Database, open_database
from tests.doubles.failing_disk import FailingDisk
from tests.memory.front_desk.talk import Talk

# apsw also reports an exception of the disk where SQLite swallows it: while rolling back.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[FailingDisk]:
    disk = FailingDisk(f"full-{request.node.name}", apsw.FullError)
    yield disk
    disk.unregister()


def opener(disk: FailingDisk) -> Callable[..., Database]:
    writing = partial(open_database, vfs=disk.name)
    return lambda path, reading=False: (
        open_database(path, reading=True) if reading else writing(path)
    )


async def talked(path: Path) -> Talk:
    talk = await Talk.begun(await Memory.open(path))
    for number in range(8):
        await talk.ask(f"question {number} " + "about the boiler " * 20)
        await talk.answer("its pipes hold " * 20)
    return talk


def state(talk: Talk) -> tuple[object, ...]:
    window = talk.window
    return window.epoch, window.entries, window.lines, window.queue.to_plain(), window.tokens


@pytest.mark.parametrize("cold", [False, True])
async def test_a_window_survives_a_disk_that_is_full_at_its_epochs_end(
    tmp_path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch, cold: bool
) -> None:
    monkeypatch.setattr("memory.memory.open_database", opener(disk))
    talk = await talked(tmp_path / "whole.db")
    changes = disk.changes
    await talk.rebase(cold=cold)
    changes = disk.changes - changes
    await talk.memory.close()
    assert changes > 0

    for left in range(0, changes, 3):
        talk = await talked(tmp_path / f"{left}.db")
        before = state(talk)
        disk.left = left
        with pytest.raises(MemoryFileError):
            await talk.rebase(cold=cold)
        assert state(talk) == before

        disk.left = None
        await talk.answer("there is room again")
        await talk.rebase(cold=cold)
        again = await talk.memory.window(talk.window.session)
        assert (again.epoch, again.entries) == (talk.window.epoch, talk.window.entries)
        await talk.memory.close()
