from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from growbox_tui.claims import Claims, SessionError, is_alive, started, this_process
from memory.memory import Memory
from memory.types import Budget, NewNode


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "memory.db")
    yield opened
    await opened.close()


async def a_session(memory: Memory) -> str:
    session = await memory.open_session("/orchard", "m")
    window = await memory.window(session)
    budget = Budget(1000, 0, 0, 0, 0, 0)
    await memory.begin_epoch(window, tools=(), system=(), why="", budget=budget, cold=True)
    node = NewNode("user", "hello", project="/orchard", session=session, turn=1)
    await memory.record(window, turn=1, role="user", body="{}", tokens=1, node=node)
    return session


def other_process() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def owner_text(pid: int) -> str:
    return this_process().replace(f"{os.getpid()}:{started(os.getpid())}", f"{pid}:{started(pid)}")


def test_this_process_is_alive_and_one_that_ended_is_not() -> None:
    assert is_alive(this_process())
    child = other_process()
    owner = owner_text(child.pid)
    assert is_alive(owner)
    child.communicate(b"\n")
    assert not is_alive(owner)


def test_a_later_process_of_the_same_number_is_another_one() -> None:
    pid = os.getpid()
    assert not is_alive(this_process().replace(f"{pid}:", f"{pid}:1", 1))


def test_a_process_of_another_machine_is_taken_to_be_alive() -> None:
    assert is_alive("1:1@somewhere-else")


async def test_the_newest_session_of_the_folder_is_gone_on_with(memory: Memory) -> None:
    session = await a_session(memory)
    found, why = await Claims(memory, "/orchard").find("last")
    assert found is not None
    assert (found.id, why) == (session, "")


async def test_with_nothing_to_resume_it_says_so(memory: Memory) -> None:
    found, why = await Claims(memory, "/orchard").find("last")
    assert found is None
    assert why.startswith("There is nothing to resume")


async def test_a_session_that_another_process_has_is_left_to_it(memory: Memory) -> None:
    session = await a_session(memory)
    child = other_process()
    try:
        assert await memory.claim(session, owner_text(child.pid), is_alive) == ""
        found, why = await Claims(memory, "/orchard").find("last")
        assert found is None
        assert f"process {child.pid}" in why
        with pytest.raises(SessionError, match="is open in another growbox"):
            await Claims(memory, "/orchard").find(session)
    finally:
        await asyncio.to_thread(child.communicate, b"\n")
    found, why = await Claims(memory, "/orchard").find(session)
    assert found is not None


async def test_a_released_session_is_free_for_others(memory: Memory) -> None:
    session = await a_session(memory)
    claims = Claims(memory, "/orchard")
    await claims.find(session)
    await claims.release()
    child = other_process()
    try:
        assert await memory.claim(session, owner_text(child.pid), is_alive) == ""
    finally:
        await asyncio.to_thread(child.communicate, b"\n")


async def test_a_mistyped_session_is_told_with_the_nearest(memory: Memory) -> None:
    session = await a_session(memory)
    with pytest.raises(SessionError) as caught:
        await Claims(memory, "/orchard").find(session[:-1] + ("x" if session[-1] != "x" else "y"))
    assert session in caught.value.hint
