from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from growbox_tui.agent.accounting import ledger_of, pinged
from growbox_tui.agent.events import PromptBuilt, UsageReported
from growbox_tui.agent.messages import Message, Text, Usage, message_to_json
from growbox_tui.agent.story import StoryRow, read
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import (
    Delta,
    ModelFacts,
    Overloaded,
    Rejected,
    Reply,
    Request,
)
from memory.memory import Memory
from memory.tokens import estimate
from tests.agent.provider_caches import Provider
from tests.doubles.hands import Bench, of, session_on

MARKS = CacheRules("marks", 300, min_tokens=20, lookback=20, write=1.25, read=0.1)
FACTS = ModelFacts(200_000, 4_000, 2e-6, 1e-5, 2e-7, 2.5e-6)


@dataclass
class Hour:
    """A clock that stands until it is set."""

    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Voice:
    """A model behind a cache of our own, which sees no more than the request."""

    clock: Hour
    name: str = "double/a"
    facts: ModelFacts = FACTS
    takes_tools: bool = True
    cache_rules: CacheRules = MARKS
    fails: list[Exception] = field(default_factory=list)
    """What the next requests end with, after the provider has read them."""
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.provider = Provider(self.cache_rules)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.requests.append(request)
        pieces = [*request.tools, *request.system, *map(message_to_json, request.messages)]
        front = len(request.tools)
        places = {"system": front, "message": front + len(request.system)}
        bill = self.provider.serve(
            [(piece, estimate(piece) * 3 // 2) for piece in pieces],
            self.clock.now,
            marks=[(places[mark.place] + mark.index, mark.long) for mark in request.marks],
            parts=[1] * front
            + [1] * len(request.system)
            + [len(message.parts) for message in request.messages],
        )
        if self.fails:
            raise self.fails.pop(0)
        message = Message("assistant", (Text("Well said."),))
        yield Reply(message, "end", Usage(bill.total, 4, bill.read, bill.write))

    async def close(self) -> None:
        pass


async def bench_on(memory: Memory, voice: Voice, session: str = "") -> Bench:
    bench = await session_on(memory, voice, session=session)
    bench.session.talk.now = voice.clock
    return bench


async def asked(bench: Bench, words: str, wait: float = 10) -> tuple[PromptBuilt, UsageReported]:
    """Put a question; forecast and report of its request."""
    bench.session.talk.now.now += wait  # type: ignore[attr-defined]
    events = await bench.ask(words)
    return of(events, PromptBuilt)[-1], of(events, UsageReported)[-1]


async def rows(bench: Bench) -> list[dict[str, Any]]:
    return [json.loads(body) for _, _, body in await bench.memory.requests(bench.session.id)]


async def test_forecast_and_report_agree_and_are_told_in_the_models_own_tokens(
    memory: Memory,
) -> None:
    bench = await bench_on(memory, Voice(Hour()))
    first = await asked(bench, "one " * 200)
    assert (first[0].predicted, first[0].kind, first[1].kind) == (0, "first", "first")
    for words in ("two " * 100, "three"):
        built, usage = await asked(bench, words)
        assert built.predicted == usage.predicted == usage.cache_read
        assert usage.cache_read and usage.cache_read > 200
        assert built.bound == usage.bound == usage.cache_read
        assert (built.cause, usage.cause, usage.kind) == ("", "", "")
        assert built.total == pytest.approx(usage.input, rel=0.1)


async def test_another_process_forecasts_what_this_one_left(memory: Memory) -> None:
    voice = Voice(Hour())
    bench = await bench_on(memory, voice)
    await asked(bench, "one " * 200)
    await bench.session.close()
    again = await bench_on(memory, voice, session=bench.session.id)
    built, usage = await asked(again, "two")
    assert built.request == 2
    assert built.predicted == usage.cache_read
    assert usage.cache_read and usage.cache_read > 200


async def test_a_new_session_measures_by_what_another_one_learned_of_the_model(
    memory: Memory,
) -> None:
    voice = Voice(Hour())
    first = await bench_on(memory, voice)
    for words in ("one " * 200, "12 34; " * 100, "three"):
        await asked(first, words)
    learned = first.session.talk.ledgers[voice.name].scale
    other = await bench_on(memory, voice)
    ledger = await ledger_of(other.session.talk, voice)
    assert ledger.scale == learned
    assert not ledger.known
    stranger = await ledger_of(other.session.talk, Voice(Hour(), name="double/b"))
    assert stranger.scale != learned


async def test_after_a_pause_that_outlasts_the_cache_nothing_is_promised(memory: Memory) -> None:
    bench = await bench_on(memory, Voice(Hour()))
    await asked(bench, "one " * 200)
    built, usage = await asked(bench, "two", wait=400)
    assert (built.predicted, usage.cache_read, usage.kind) == (0, 0, "expiry")
    assert "7 min" in usage.cause


async def test_what_has_expired_in_every_cache_leaves_the_file_when_a_session_begins(
    memory: Memory,
) -> None:
    voice = Voice(Hour())
    old = await bench_on(memory, voice)
    for number in range(30):
        built, _ = await asked(old, f"question {number}")
    await old.session.close()
    await memory.keep("cache:older:double/a", {"format": 1, "seen": "x" * 9_000})
    key = f"cache:{old.session.id}:double/a"
    before = await memory.kept(key)
    await asked(await bench_on(memory, voice), "soon after", wait=80_000)
    assert await memory.kept(key) == before
    assert await memory.kept("cache:older:double/a") == {}
    await asked(await bench_on(memory, voice), "a day after", wait=10_000)
    less = await memory.kept(key)
    assert len(json.dumps(less)) < 2_000 < 4_000 < len(json.dumps(before))
    assert less["scale"] == before["scale"]
    again = await bench_on(memory, voice, session=old.session.id)
    built, usage = await asked(again, "the first again", wait=400)
    assert (built.predicted, usage.cache_read, built.kind, usage.kind) == (0, 0, "expiry", "expiry")
    assert "nothing was asked for 25 h" in built.cause
    assert (await asked(again, "and on"))[1].kind == ""


async def test_a_model_that_is_come_back_to_is_forecast_to_be_warm(memory: Memory) -> None:
    voice = Voice(Hour())
    bench = await bench_on(memory, voice)
    await asked(bench, "one " * 200)
    await bench.session.talk.use(Voice(voice.clock, "double/b"))
    other = await asked(bench, "two")
    assert (other[0].predicted, other[1].cache_read, other[1].kind) == (0, 0, "model")
    assert "double/a" in other[1].cause
    assert other[1].bound == 0
    await bench.session.talk.use(voice)
    back = await asked(bench, "three")
    assert back[0].predicted == back[1].cache_read
    assert back[1].cache_read and back[1].cache_read > 200
    assert back[1].kind == ""


async def test_a_request_that_failed_is_kept_and_what_it_left_is_no_fault(memory: Memory) -> None:
    voice = Voice(Hour())
    bench = await bench_on(memory, voice)
    voice.fails = [Rejected("no")]
    await bench.ask("one " * 200)
    built, usage = await asked(bench, "two")
    assert built.predicted == 0
    assert usage.cache_read and usage.cache_read > 200
    assert usage.kind == "surplus"
    assert "not finished" in usage.cause
    kept = await rows(bench)
    assert [row["request"] for row in kept] == [1, 2]
    assert (kept[0]["kind"], kept[0]["input"], kept[0]["cost"]) == ("not reported", None, None)


async def test_a_request_that_was_sent_twice_may_be_served_what_the_first_left(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("growbox_tui.agent.speak.next_try", lambda *given: 0.0)
    voice = Voice(Hour(), fails=[Overloaded("busy")])
    bench = await bench_on(memory, voice)
    _, usage = await asked(bench, "one " * 200)
    assert usage.cache_read and usage.cache_read > 200
    assert usage.kind == "surplus"
    assert "not finished" in usage.cause


async def test_what_a_request_cost_and_saved_is_told_and_kept(memory: Memory) -> None:
    bench = await bench_on(memory, Voice(Hour()))
    await asked(bench, "one " * 200)
    _, usage = await asked(bench, "two")
    assert usage.input is not None and usage.cache_read is not None
    assert usage.cache_write is not None and usage.cost is not None
    fresh = usage.input - usage.cache_read - usage.cache_write
    cost = fresh * 2e-6 + usage.cache_read * 2e-7 + usage.cache_write * 2.5e-6 + 4e-5
    assert usage.cost == pytest.approx(cost)
    assert usage.saved == pytest.approx(usage.input * 2e-6 + 4e-5 - cost)
    kept = (await rows(bench))[-1]
    assert kept["gap"] == 10
    assert kept["prices"] == [2e-6, 1e-5, 2e-7, 2.5e-6, 4e-6]
    assert kept["lost"] == 0
    assert [name for name, _, _ in kept["segments"]][:2] == ["system", "tail"]


async def test_an_unknown_price_stays_unknown(memory: Memory) -> None:
    bench = await bench_on(memory, Voice(Hour(), facts=replace(FACTS, cache_read_price=None)))
    await asked(bench, "one " * 200)
    _, usage = await asked(bench, "two")
    assert (usage.cost, usage.saved) == (None, None)
    assert bench.session.cost is None


async def test_a_ping_keeps_the_forecast_warm_and_is_paid_for_in_the_story(memory: Memory) -> None:
    voice = Voice(Hour())
    bench = await bench_on(memory, voice)
    await asked(bench, "one " * 200)
    talk = bench.session.talk
    assert talk.sent is not None
    voice.clock.now += 270
    async for piece in voice.stream(talk.sent.request):
        assert isinstance(piece, Reply)
        came = await pinged(talk, talk.sent, piece.usage, voice.clock.now)
    assert came.cost is not None and came.cost > 0
    assert of(bench.drain(), UsageReported) == []
    built, usage = await asked(bench, "two", wait=200)
    assert built.predicted == usage.cache_read
    assert usage.cache_read and usage.cache_read > 200
    story = await read(memory, bench.session.id, voice.clock.now)
    assert [row.request for row in story.rows] == [1, 2]
    assert len(story.pings) == 1
    assert story.pings[0].kind == ""
    assert story.session.cost == pytest.approx(sum_of([*story.rows, *story.pings]))


def sum_of(rows: list[StoryRow]) -> float:
    return sum(row.cost or 0.0 for row in rows)


async def test_a_file_of_an_earlier_version_goes_on_with_its_count(memory: Memory) -> None:
    voice = Voice(Hour())
    bench = await bench_on(memory, voice)
    old = json.dumps({"model": "double/z", "number": 7, "blocks": []})
    await memory.keep(f"seen:{bench.session.id}", old)
    again = await bench_on(memory, voice, session=bench.session.id)
    built, _ = await asked(again, "one")
    assert (built.request, built.kind) == (8, "model")


async def test_a_new_session_is_forecast_the_head_that_another_one_left(memory: Memory) -> None:
    voice = Voice(Hour(), cache_rules=replace(MARKS, min_tokens=5))
    await asked(await bench_on(memory, voice), "one " * 200)
    # The second session reads the head, and only then its size is known to the token.
    built, usage = await asked(await bench_on(memory, voice), "another " * 200)
    assert usage.cache_read
    assert 0 < built.predicted <= usage.cache_read * 2
    assert built.kind == usage.kind == "first"
    built, usage = await asked(await bench_on(memory, voice), "a third " * 200)
    assert built.predicted == usage.cache_read
    built, usage = await asked(await bench_on(memory, voice), "a fourth " * 200, wait=400)
    assert (built.predicted, usage.cache_read) == (0, 0)


async def test_a_cache_that_is_found_by_a_sessions_key_is_not_promised_to_another(
    memory: Memory,
) -> None:
    rules = CacheRules("prefix", 600, min_tokens=20, step=1)
    voice = Voice(Hour(), cache_rules=rules)
    await asked(await bench_on(memory, voice), "one " * 200)
    built, _ = await asked(await bench_on(memory, voice), "another " * 200)
    assert built.predicted == 0
