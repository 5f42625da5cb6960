from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from growbox_tui.agent.events import Event, Failed, Napped, Notice, Warmed
from growbox_tui.agent.limits import KeepWarm
from growbox_tui.agent.messages import Message, Text, Usage
from growbox_tui.agent.warmth import BEFORE_LOSS_S, Warmth, most_pings
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import Delta, ModelFacts, Overloaded, Reply, Request
from memory import MemoryFileError
from memory.memory import Memory
from tests.doubles.hands import Bench, Hand, of, session_on
from tests.doubles.patience import FOR_EVER

PRICED = ModelFacts(
    context=200_000, input_price=2e-6, output_price=1e-5, cache_read_price=1e-7,
    cache_write_price=2.5e-6,
)  # fmt: skip
RULES = CacheRules("marks", 300.0, read=0.05, write=1.25)
SIZE = 100_000


@dataclass
class Clock:
    """Time that passes only while somebody sleeps."""

    at: float = 1_000_000.0
    slept: list[float] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Sleeping waits for it too, where a test wants to look in between."""

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        await self.gate.wait()
        self.slept.append(seconds)
        self.at += seconds


@dataclass
class Cached:
    """A voice whose cache works by marks and serves all of a prompt that was sent before."""

    facts: ModelFacts = PRICED
    cache_rules: CacheRules = RULES
    requests: list[Request] = field(default_factory=list)
    fails: bool = False
    forgets: bool = False
    hangs: bool = False
    pinged: asyncio.Event = field(default_factory=asyncio.Event)
    name: str = "anthropic/double"
    takes_tools: bool = True

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        ping = request.max_output == 1 and not self.forgets
        if ping and self.fails:
            raise Overloaded("busy")
        self.requests.append(request)
        if ping and self.hangs:
            self.pinged.set()
            await asyncio.Event().wait()
        yield Reply(
            Message("assistant", (Text("ok"),)), "end",
            Usage(SIZE, 1, SIZE if ping else 0, 0 if ping else SIZE),
        )  # fmt: skip

    async def close(self) -> None:
        pass


async def warmed(
    memory: Memory, wanted: KeepWarm, voice: Cached | None = None, hands: Sequence[Hand] = ()
) -> tuple[Bench, Cached, Clock]:
    voice, clock = voice or Cached(), Clock()
    bench = await session_on(memory, voice, *hands)
    talk, session = bench.session.talk, bench.session
    talk.now = clock.now
    session._warmth = Warmth(talk, session._nap_when_quiet, clock.sleep)
    session._warmth.wanted = wanted
    await session.prompt("hello")
    return bench, voice, clock


async def settled(bench: Bench, kind: type[Event], count: int) -> list[Event]:
    """All events, once so many of a kind have come."""
    async with asyncio.timeout(10):
        while len(of([*bench.events, *bench.drain()], kind)) < count:
            await asyncio.sleep(0)
    return bench.events


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        (RULES, 24),
        (CacheRules("marks", 300.0, read=0.1, write=1.25), 11),
        (CacheRules("prefix", 600.0, read=0.5, write=1.0), 1),
        (CacheRules("prefix", 600.0, read=1.0, write=1.0), 0),
        (CacheRules("slot", 1e9, read=0.0), 0),
        (CacheRules("none", 0.0), 0),
    ],
)
def test_pings_never_cost_more_than_one_rewrite(rules: CacheRules, most: int) -> None:
    assert most_pings(rules) == most
    assert most * rules.read <= rules.write - rules.read + 1e-9


async def test_nothing_is_sent_unless_the_user_asked_for_it(memory: Memory) -> None:
    bench, voice, clock = await warmed(memory, KeepWarm())
    clock.gate.set()
    await asyncio.sleep(0)
    assert len(voice.requests) == 1
    assert bench.session._warmth._task is None


async def test_pings_repeat_the_newest_request_before_its_entry_expires(memory: Memory) -> None:
    bench, voice, clock = await warmed(memory, KeepWarm(keep_alive=True, ceiling=99))
    clock.gate.set()
    events = await settled(bench, Warmed, 24)
    told = of(events, Warmed)
    assert [event.number for event in told] == list(range(1, 25))
    assert {event.most for event in told} == {24}
    assert all(seconds < RULES.ttl_s for seconds in clock.slept)
    assert {replace(request, max_output=None) for request in voice.requests} == {voice.requests[0]}
    assert told[-1].spent == pytest.approx(24 * (SIZE * 1e-7 + 1e-5))
    rewrite = SIZE * (2.5e-6 - 1e-7)
    assert told[-1].spent <= rewrite * 1.01
    assert bench.session.cost == pytest.approx(SIZE * 2.5e-6 + 1e-5 + told[-1].spent)
    assert len(voice.requests) == 25


async def test_the_ceiling_holds_and_is_told(memory: Memory) -> None:
    bench, _, clock = await warmed(memory, KeepWarm(keep_alive=True, ceiling=0.035))
    clock.gate.set()
    events = await settled(bench, Notice, 1)
    assert 1 <= len(of(events, Warmed)) <= 3
    assert (of(events, Warmed)[-1].spent or 0) <= 0.035
    assert "too much" in of(events, Notice)[-1].text


async def test_a_turn_ends_the_pings_at_once(memory: Memory) -> None:
    bench, voice, clock = await warmed(memory, KeepWarm(keep_alive=True, ceiling=99))
    await bench.session.prompt("next")
    await bench.session.keep_warm(False)
    clock.gate.set()
    await asyncio.sleep(0)
    assert len(voice.requests) == 2
    assert of(bench.drain(), Warmed) == []


async def test_a_ping_that_a_turn_cuts_off_is_kept_as_not_reported(memory: Memory) -> None:
    voice = Cached(hangs=True)
    bench, _, clock = await warmed(memory, KeepWarm(keep_alive=True, ceiling=99), voice)
    clock.gate.set()
    async with asyncio.timeout(FOR_EVER):
        await voice.pinged.wait()
    clock.gate.clear()
    await bench.session.prompt("next")
    await bench.session.keep_warm(False)
    told = await bench.session.cache_story()
    assert [ping.kind for ping in told.pings] == ["not reported"]
    assert len(told.rows) == 2


async def test_warmth_is_switched_on_and_off_in_a_running_session(memory: Memory) -> None:
    bench, voice, clock = await warmed(memory, KeepWarm(ceiling=99))
    await bench.session.keep_warm(True)
    clock.gate.set()
    await settled(bench, Warmed, 2)
    await bench.session.keep_warm(False)
    sent = len(voice.requests)
    await asyncio.sleep(0)
    assert len(voice.requests) == sent
    await bench.session.close()


async def test_a_command_of_ones_own_in_between_begins_no_new_count(memory: Memory) -> None:
    shell = Hand("shell", lambda arguments, job: "ok")
    bench, voice, clock = await warmed(
        memory, KeepWarm(keep_alive=True, ceiling=99), hands=(shell,)
    )
    clock.gate.set()
    await settled(bench, Warmed, 24)
    await bench.session.run_shell("ls")
    await asyncio.sleep(0)
    assert len(voice.requests) == 25


async def test_an_entry_that_is_gone_is_not_kept_alive(memory: Memory) -> None:
    bench, voice, clock = await warmed(
        memory, KeepWarm(keep_alive=True, ceiling=99), Cached(forgets=True)
    )
    clock.gate.set()
    await settled(bench, Warmed, 1)
    await bench.session.run_shell("ls")
    assert len(voice.requests) == 2


async def test_an_unknown_price_is_no_licence_to_spend(memory: Memory) -> None:
    voice = Cached(facts=ModelFacts(context=200_000))
    bench, voice, clock = await warmed(memory, KeepWarm(keep_alive=True), voice)
    clock.gate.set()
    events = await settled(bench, Notice, 1)
    assert "price" in of(events, Notice)[-1].text
    assert len(voice.requests) == 1


async def test_a_ping_that_fails_is_told_and_is_the_last(memory: Memory) -> None:
    bench, _, clock = await warmed(
        memory, KeepWarm(keep_alive=True, ceiling=99), Cached(fails=True)
    )
    clock.gate.set()
    events = await settled(bench, Notice, 1)
    assert "not kept alive: busy" in of(events, Notice)[-1].text
    assert of(events, Warmed) == []


async def test_a_nap_comes_shortly_before_the_cache_is_lost_where_it_was_asked_for(
    memory: Memory,
) -> None:
    bench, _, clock = await warmed(memory, KeepWarm(nap=True))
    begun = clock.at
    clock.gate.set()
    await settled(bench, Napped, 1)
    assert clock.at - begun == pytest.approx(RULES.ttl_s - BEFORE_LOSS_S)
    assert bench.session.talk.window.entries == ()
    clock.gate.clear()
    assert (await bench.session.prompt("and now?")).reason == "done"
    await bench.session.close()


async def test_a_nap_after_pings_waits_for_the_last_entrys_end(memory: Memory) -> None:
    rules = CacheRules("marks", 300.0, read=0.5, write=1.25)
    bench, _, clock = await warmed(
        memory, KeepWarm(keep_alive=True, ceiling=99, nap=True), Cached(cache_rules=rules)
    )
    begun = clock.at
    clock.gate.set()
    events = await settled(bench, Napped, 1)
    assert len(of(events, Warmed)) == 1
    assert clock.at - begun == pytest.approx(0.9 * 300 + 300 - BEFORE_LOSS_S)


async def test_a_nap_that_fails_is_told_once_and_not_tried_again_at_once(memory: Memory) -> None:
    bench, _, clock = await warmed(memory, KeepWarm(nap=True))
    nap = memory.nap

    async def full(*args: object, **kwargs: object) -> None:
        raise MemoryFileError("the disk is full")

    memory.nap = full  # type: ignore[method-assign]
    clock.gate.set()
    await settled(bench, Failed, 1)
    for _ in range(99):
        await asyncio.sleep(0)
    bench.drain()
    assert len(of(bench.events, Failed)) == 1
    memory.nap = nap  # type: ignore[method-assign]
    await bench.session.prompt("next")
    await settled(bench, Napped, 1)


async def test_a_ping_that_cannot_be_noted_is_told_and_is_the_last(memory: Memory) -> None:
    bench, voice, clock = await warmed(memory, KeepWarm(keep_alive=True, ceiling=99))

    async def full(*args: object, **kwargs: object) -> None:
        raise MemoryFileError("the disk is full")

    memory.note_request = full  # type: ignore[method-assign]
    clock.gate.set()
    events = await settled(bench, Notice, 1)
    assert "not kept alive: the disk is full" in of(events, Notice)[-1].text
    assert len(voice.requests) == 2
    assert bench.session._warmth._task is not None
    assert bench.session._warmth._task.exception() is None
