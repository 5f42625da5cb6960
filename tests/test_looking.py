"""The recall hand: what it brings, and how it goes on to what nobody has read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from growbox_tui.agent.looks import Looks
from growbox_tui.looking import Looking
from growbox_tui.models.judges.scripted import ScriptedJudge
from memory import Memory
from memory.context.render import shown_ids
from memory.types import NewNode
from tests.doubles.embedding import SetClock

QUESTION = "which valve opens at nine bar"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield opened
    await opened.close()


async def filled(memory: Memory, many: int = 60) -> list[str]:
    """Ids, oldest first."""
    words = "Talk of the weather, the harvest and the long road to the mill in the hills."
    return [
        (await memory.remember(NewNode("user", f"Day {day}. {words * 3}"))).id
        for day in range(many)
    ]


async def looking(memory: Memory, able: bool = False) -> tuple[Looking, Looks]:
    looks = Looks()
    window = await memory.window(await memory.open_session("/orchard", "test/voice"))
    return Looking(memory, "/orchard", window, looks, lambda: able), looks


async def test_a_plain_look_tells_what_is_unread_and_what_reading_on_costs(memory: Memory) -> None:
    await filled(memory)
    found = await memory.remember(NewNode("user", "the boiler valve opens at nine bar"))
    eyes, _ = await looking(memory)
    told = await eyes.look(QUESTION, False)
    assert found.address in told
    assert "[Incomplete: 61 memories of about" in told
    assert "recall with deeper shows the next of them" in told


async def test_each_deeper_look_shows_the_next_unread_memories_from_new_to_old(
    memory: Memory,
) -> None:
    ids = await filled(memory)
    eyes, _ = await looking(memory)
    seen: list[str] = []
    for _ in range(40):
        told = await eyes.look(QUESTION, True)
        fresh = shown_ids(told)
        assert not set(fresh) & set(seen)
        seen += fresh
        if "That was the last of it" in told:
            break
        assert "goes on from there" in told
        assert len(told) < 16_000
    assert seen == ids[::-1]
    assert "nothing is left unread" in await eyes.look(QUESTION, True)
    assert shown_ids(await eyes.look("another question about mills", True))


async def test_what_was_read_so_can_be_confirmed_by_citing(memory: Memory) -> None:
    ids = await filled(memory, 3)
    eyes, looks = await looking(memory)
    await eyes.look(QUESTION, True)
    looks.said(f"it was mem://{ids[0]}")
    ((number, used),) = looks.used().items()
    assert used == [ids[0]]
    await memory.confirm(number, used)
    assert [view.target.id for view in (await memory.map()).pointers] == [ids[0]]


async def test_an_able_judge_reads_instead(memory: Memory) -> None:
    await filled(memory, 5)
    found = await memory.remember(NewNode("user", "it gives way to more than 9 kg on each cm"))
    memory.use_judge(ScriptedJudge({"nine bar": ["9 kg"]}))
    eyes, _ = await looking(memory, able=True)
    told = await eyes.look(QUESTION, True)
    assert shown_ids(told) == (found.id,)
    assert "Incomplete" not in told


async def test_an_empty_memory_says_nothing(memory: Memory) -> None:
    eyes, _ = await looking(memory)
    assert await eyes.look(QUESTION, False) == ""
