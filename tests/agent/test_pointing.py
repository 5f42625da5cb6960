"""Where the user points, by pinning or by quoting, later questions are led for good."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from growbox_tui.agent.events import Notice, Recalled, TurnStarted
from growbox_tui.models.scripted_model import ScriptedModel
from memory import Memory
from memory.types import NewNode
from tests.doubles.embedding import SetClock
from tests.doubles.hands import Bench, of, session_on

VALVE = "the boiler valve opens at nine bar"


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


async def begun(memory: Memory, *, session: str = "") -> Bench:
    bench = await session_on(memory, ScriptedModel.parse("say ok\nsay ok\nsay ok"), session=session)
    if not session:
        await bench.ask("Let us look at the press.")
    return bench


async def test_a_pin_leads_from_where_it_was_made_until_it_is_unpinned(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", VALVE))
    bench = await begun(memory)
    await bench.session.pin(node.address)
    (jump,) = await memory.jumps()
    assert (jump.target.id, jump.words) == (node.id, "")
    assert jump.source.id
    await bench.session.unpin(node.address)
    assert await memory.jumps() == ()
    await bench.session.close()


async def test_a_pin_before_the_first_words_leads_from_nowhere(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", VALVE))
    bench = await session_on(memory, ScriptedModel.parse("say ok"))
    await bench.session.pin(node.address)
    assert await memory.jumps() == ()
    await bench.session.close()


async def test_quoting_a_line_leads_to_it_says_so_once_and_can_be_taken_back(
    memory: Memory,
) -> None:
    # row 52
    node = await memory.remember(NewNode("user", f"We found that {VALVE}."))
    bench = await begun(memory)
    events = await bench.ask(f"> {VALVE}\nWhat of the press?")
    told = [notice.text for notice in of(events, Notice) if node.address in notice.text]
    assert len(told) == 1
    assert VALVE in told[0]
    assert events.index(of(events, TurnStarted)[0]) < events.index(of(events, Notice)[-1])
    (found,) = of(events, Recalled)
    assert found.hits[0].address == node.address
    assert found.hits[0].rung == "jumps"
    (jump,) = await memory.jumps()
    assert jump.words == VALVE

    again = await bench.ask(f"As we said, {VALVE}. And now?")
    assert await memory.jumps() == (jump,)
    assert not [notice for notice in of(again, Notice) if "leads to" in notice.text]
    assert of(again, Recalled)[0].hits[0].rung == "jumps"
    assert await memory.undo_jump(jump.id) == jump
    await bench.session.close()


async def test_quoting_in_the_first_words_leads_from_them(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", f"We found that {VALVE}."))
    bench = await session_on(memory, ScriptedModel.parse("say ok"))
    (started,) = of(await bench.ask(f"> {VALVE}\nIs that so?"), TurnStarted)
    (jump,) = await memory.jumps()
    assert (jump.target.id, f"mem://{jump.source.id}") == (node.id, started.address)
    await bench.session.close()


async def test_quoting_what_nobody_said_leads_nowhere(memory: Memory) -> None:
    bench = await begun(memory)
    events = await bench.ask("> the moon is made of green cheese\nIs that so?")
    assert await memory.jumps() == ()
    assert not [notice for notice in of(events, Notice) if "leads to" in notice.text]
    await bench.session.close()
