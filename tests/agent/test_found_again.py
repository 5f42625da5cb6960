"""What left the prompt comes back by its address or by a question, in the whole program."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from growbox_tui.agent.events import Recalled, ToolEnded
from growbox_tui.agent.session import Session
from growbox_tui.models.protocol import Request
from growbox_tui.models.scripted_model import ScriptedModel
from growbox_tui.settings import Settings
from growbox_tui.wiring import Workbench
from memory.types import Item
from tests.doubles.hands import of

SECRET = "The code of the orchard's door is 4711. " + " ".join(["It hangs beside the press."] * 30)
WINDOW = 8_000


class World:
    """A session of the whole program with a small window, and what it is asked."""

    def __init__(self, bench: Workbench, session: Session) -> None:
        self.bench, self.session = bench, session
        self.model = ScriptedModel.parse("say ok")
        self.turns = 0

    async def ask(self, text: str, script: str = "") -> None:
        """One turn, answered by a script; else at some length."""
        self.turns += 1
        long = f"I have looked into shed {self.turns}. " + f"step_{self.turns} is done. " * 100
        self.model = ScriptedModel.parse(script or f"say {long}")
        self.session.talk.model = self.model
        await self.session.prompt(text)

    async def talk_until(self, met: Callable[[], bool]) -> None:
        """Turns that recall nothing."""
        for _ in range(60):
            if met():
                return
            await self.ask("continue")
        raise AssertionError("it never came")

    @property
    def gone(self) -> tuple[str, ...]:
        """Addresses of the lines that left."""
        return self.session.talk.window.chain.weak_refs  # type: ignore[attr-defined,no-any-return]

    def line(self, address: str) -> list[Item]:
        """The line of an address in the region."""
        epoch = self.session.talk.window.epoch
        assert epoch is not None
        node = address.removeprefix("mem://")
        return [item for item in epoch.items if item.kind == "line" and item.node == node]

    @property
    def epoch(self) -> int:
        epoch = self.session.talk.window.epoch
        assert epoch is not None
        return epoch.number


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    script = tmp_path / "model.script"
    script.write_text("say ok")
    project = tmp_path / "orchard"
    project.mkdir()
    settings = Settings(
        tmp_path / "config.toml",
        tmp_path,
        tmp_path / "memory.db",
        model=f"script/{script}",
        window=WINDOW,
    )
    bench = Workbench(settings, project, env={}, embed="meanwhile")
    session = await bench.open()
    await session.start()
    yield World(bench, session)
    await bench.close()


async def left(world: World) -> str:
    """Say the secret and talk on until its line has left; its address."""
    await world.ask(SECRET)
    address = f"mem://{world.session.talk.window.entries[0].node}"
    await world.talk_until(lambda: address in world.gone)
    assert world.line(address) == []
    return address


def prefix_stood(before: Request, after: Request) -> bool:
    """Whether the next request only adds to the one before."""
    return after.messages[: len(before.messages)] == before.messages


async def test_an_address_of_a_line_that_left_brings_the_whole_and_the_line_comes_back(
    world: World,
) -> None:
    address = await left(world)
    reader = world.session.stream.reader()
    call = f"call recall {json.dumps({'address': address})}"
    await world.ask("And the door?", f"{call}\n---\nsay 4711.")
    (ended,) = of(list(reader.drain()), ToolEnded)
    assert ended.detail.body == SECRET
    assert address not in world.gone
    assert prefix_stood(*world.model.requests)

    epoch = world.epoch
    await world.talk_until(lambda: world.epoch > epoch)
    (back,) = world.line(address)
    assert "reloaded" in back.body
    assert "4711" in back.body


async def test_a_question_that_finds_a_line_that_left_brings_it_back(world: World) -> None:
    address = await left(world)
    reader = world.session.stream.reader()
    await world.ask("What is the code of the orchard's door beside the press?")
    (recalled,) = of(list(reader.drain()), Recalled)
    assert address in [hit.address for hit in recalled.hits]
    assert address not in world.gone
    epoch = world.epoch
    await world.talk_until(lambda: world.epoch > epoch)
    assert len(world.line(address)) == 1


async def test_a_search_of_the_recall_hand_brings_a_line_back_too(world: World) -> None:
    address = await left(world)
    call = f"call recall {json.dumps({'query': 'code of the door beside the press'})}"
    await world.ask("Hm.", f"{call}\n---\nsay 4711.")
    assert address not in world.gone


async def test_two_calls_for_one_address_at_once_are_both_answered(world: World) -> None:
    address = await left(world)
    call = f"call recall {json.dumps({'address': address})}"
    reader = world.session.stream.reader()
    await world.ask("And the door?", f"{call}\n{call}\n---\nsay 4711.")
    ended = of(list(reader.drain()), ToolEnded)
    assert [each.is_error for each in ended] == [False, False]
    assert address not in world.gone


async def test_what_came_back_is_there_for_the_next_process(world: World) -> None:
    address = await left(world)
    call = f"call recall {json.dumps({'address': address})}"
    await world.ask("And the door?", f"{call}\n---\nsay 4711.")
    name = world.session.id
    await world.session.close()
    again = World(world.bench, await world.bench.open(name))
    await again.session.start()
    assert address not in again.gone
    epoch = again.epoch
    await again.talk_until(lambda: again.epoch > epoch)
    assert len(again.line(address)) == 1
