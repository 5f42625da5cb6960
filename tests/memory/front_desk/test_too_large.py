"""What cannot be kept whole is told as an error of the memory file, and nothing of it stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from memory import Memory, MemoryFileError, TooLarge
from memory.config import BODY_LIMIT
from memory.store import settings
from memory.store.database import open_database
from memory.types import Budget, NewNode


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db")
    yield memory
    await memory.close()


async def test_a_message_that_cannot_be_kept_whole_is_told_and_the_conversation_goes_on(
    memory: Memory,
) -> None:
    window = await memory.window(await memory.open_session("/p", "x/y"))
    await memory.begin_epoch(
        window, tools=(), system=(), why="new", budget=Budget(99, 9, 9, 9, 9, 9), cold=True
    )
    giant = "x" * (BODY_LIMIT + 1)

    with pytest.raises(TooLarge) as caught:
        await memory.record(
            window, turn=1, role="user", body=giant, tokens=1, node=NewNode("user", giant)
        )

    assert isinstance(caught.value, MemoryFileError)
    assert f"{len(giant):,}" in caught.value.text
    assert caught.value.hint
    assert (await memory.state()).nodes == 0
    entry = await memory.record(window, turn=1, role="user", body="{}", tokens=1)
    assert (entry.seq, window.entries) == (1, (entry,))


def test_a_row_that_sqlite_cannot_hold_is_told(tmp_path: Path) -> None:
    db = open_database(tmp_path / "m.db")
    db.connection.limit(apsw.SQLITE_LIMIT_LENGTH, 10_000)

    with pytest.raises(TooLarge) as caught:
        settings.keep(db, "key", "x" * 20_000)

    assert str(tmp_path / "m.db") in caught.value.text
    assert settings.kept(db, "key") is None
