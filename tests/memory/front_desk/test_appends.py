from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memory import Memory
from memory.store.appends import Appends
from memory.store.database import open_database
from memory.types import NewNode


async def test_nodes_remembered_at_once_are_all_there_in_the_order_asked(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")

    stored = await asyncio.gather(
        *(memory.remember(NewNode("user", f"text {number}")) for number in range(700))
    )

    assert [node.text for node in stored] == [f"text {number}" for number in range(700)]
    assert [node.seq for node in stored] == sorted(node.seq for node in stored)
    assert [await memory.refer(node.address) for node in stored[::99]] == stored[::99]
    await memory.close()


def test_those_that_wait_are_stored_in_one_transaction(tmp_path: Path) -> None:
    db, appends, commits = open_database(tmp_path / "m.db"), Appends(), 0

    def committed() -> bool:
        nonlocal commits
        commits += 1
        return False

    db.connection.set_commit_hook(committed)
    stored = [appends.add(NewNode("user", f"text {number}"), number) for number in range(100)]

    assert [store(db).seq for store in stored] == list(range(1, 101))
    assert commits == 1


async def test_one_that_cannot_be_stored_fails_alone(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    bad = NewNode("user", "not for JSON", meta={"what": object()})
    given = [NewNode("user", "one"), bad, NewNode("user", "three")]

    first, failed, third = await asyncio.gather(
        *(memory.remember(each) for each in given), return_exceptions=True
    )

    assert isinstance(failed, TypeError)
    assert [getattr(node, "text", None) for node in (first, third)] == ["one", "three"]
    with pytest.raises(TypeError):
        await memory.remember(bad)
    await memory.close()


async def test_a_node_whose_caller_was_cancelled_holds_up_nobody(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    cancelled = asyncio.ensure_future(memory.remember(NewNode("user", "cancelled")))
    await asyncio.sleep(0)
    cancelled.cancel()

    node = await memory.remember(NewNode("user", "after"))

    assert node.text == "after"
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    await memory.close()
