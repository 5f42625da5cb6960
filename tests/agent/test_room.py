"""When an epoch ends, and that nothing is ever sent that does not fit."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from growbox_tui.agent.events import Notice, PromptBuilt, Rebased, TurnEnded
from growbox_tui.agent.limits import Limits, Wanted
from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult, Usage
from growbox_tui.agent.pace import budget, prices, room
from growbox_tui.agent.room import shorten_for
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import Delta, ModelFacts, Reply, Request
from memory.context.economy import Prices
from memory.memory import Memory
from memory.tokens import estimate
from tests.doubles.hands import Hand, of, session_on

TTL_S = 300.0
PREFIX = CacheRules("prefix", TTL_S, read=0.1, write=1.25)


@dataclass
class Voice:
    """A voice with a prefix cache; says ``words``, after so many ``calls`` of a hand at once."""

    context: int = 64_000
    words: str = "ok"
    calls: int = 0
    cache_rules: CacheRules = PREFIX
    requests: list[Request] = field(default_factory=list)
    name: str = "openai/voice"
    takes_tools: bool = True

    @property
    def facts(self) -> ModelFacts:
        return ModelFacts(context=self.context, max_output=4_000)

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        self.requests.append(request)
        usage = Usage(size(request), 10, 0)
        if self.calls and request.messages[-1].role == "user":
            named = [f"c{len(self.requests)}_{n}" for n in range(self.calls)]
            calls = [ToolCall(name, "look", "{}") for name in named]
            yield Reply(Message("assistant", tuple(calls)), "tool_calls", usage)
        else:
            yield Reply(Message("assistant", (Text(self.words),)), "end", usage)

    async def close(self) -> None:
        pass


def size(request: Request) -> int:
    texts = [*request.tools, *request.system]
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, Text):
                texts.append(part.text)
            elif isinstance(part, ToolResult):
                texts.append(part.content)
            elif isinstance(part, ToolCall):
                texts.append(part.arguments)
    return sum(map(estimate, texts))


async def test_an_expired_cache_is_when_a_large_prompt_is_made_small(memory: Memory) -> None:
    voice = Voice(words="word " * 1_000)
    bench = await session_on(memory, voice)
    talk, clock = bench.session.talk, [1_000.0]
    talk.now = lambda: clock[0]
    for number in range(6):
        await bench.ask(f"question {number}")
        clock[0] += TTL_S - 1
    assert of(bench.events, Rebased) == []
    clock[0] += 2
    (rebased,) = of(await bench.ask("after a pause"), Rebased)
    assert rebased.cold
    assert rebased.after < rebased.before


async def test_an_expired_cache_is_no_reason_to_make_a_small_prompt_smaller(
    memory: Memory,
) -> None:
    bench = await session_on(memory, Voice())
    clock = [1_000.0]
    bench.session.talk.now = lambda: clock[0]
    for number in range(4):
        await bench.ask(f"question {number}")
        clock[0] += 9 * TTL_S
    assert of(bench.events, Rebased) == []


async def test_a_resumed_session_knows_whether_its_cache_is_still_there(memory: Memory) -> None:
    voice = Voice(words="word " * 1_000)
    bench = await session_on(memory, voice)
    bench.session.talk.now = lambda: 1_000.0
    for number in range(6):
        await bench.ask(f"question {number}")
    warm = await session_on(memory, voice, session=bench.session.id)
    warm.session.talk.now = lambda: 1_000.0 + TTL_S / 2
    assert of(await warm.ask("soon"), Rebased) == []
    before = voice.requests[-2].messages
    assert voice.requests[-1].messages[: len(before)] == before
    cold = await session_on(memory, voice, session=bench.session.id)
    cold.session.talk.now = lambda: 1_000.0 + 9 * TTL_S
    assert of(await cold.ask("late"), Rebased)[0].cold


async def test_a_change_in_front_is_put_there_at_a_cold_point_and_not_before(
    memory: Memory,
) -> None:
    voice = Voice()
    bench = await session_on(memory, voice)
    talk, clock = bench.session.talk, [1_000.0]
    talk.now = lambda: clock[0]
    await bench.ask("one")
    await bench.session.add_rule("no emoji in commits")
    await bench.ask("two")
    assert voice.requests[1].system == voice.requests[0].system
    clock[0] += TTL_S * 2
    await bench.ask("three")
    assert "no emoji in commits" in voice.requests[2].system[-1]


@pytest.mark.parametrize("words", ["狐狸" * 120_000, "paste " * 90_000])
async def test_a_paste_larger_than_the_window_is_sent_as_its_ends(
    memory: Memory, words: str
) -> None:
    voice = Voice(context=32_000)
    bench = await session_on(memory, voice)
    events = await bench.ask(f"BEGIN {words} END?")
    assert of(events, TurnEnded)[0].reason == "done"
    (request,) = voice.requests
    assert size(request) <= 28_000
    text = request.messages[-1].text
    assert "BEGIN" in text
    assert text.endswith("END?")
    assert "mem://" in text


@pytest.mark.parametrize("context", [8_000, 32_000, 64_000])
async def test_many_giants_at_once_fit_and_each_call_keeps_its_result(
    memory: Memory, context: int
) -> None:
    voice = Voice(context=context, calls=12)
    look = Hand("look", lambda arguments, job: "中文 output\n" * 4_000)
    bench = await session_on(memory, voice, look)
    for number in range(2):
        events = await bench.ask(f"question {number}")
        assert of(events, TurnEnded)[0].reason == "done"
        for request in voice.requests:
            assert size(request) <= context - min(4_000, context // 4)
            calls = [call.id for message in request.messages for call in message.calls]
            results = [
                part.call_id
                for message in request.messages
                for part in message.parts
                if isinstance(part, ToolResult)
            ]
            assert results == calls
        assert f"question {number}" in str(voice.requests[-1].messages)


async def test_a_turn_of_many_steps_keeps_the_users_words(memory: Memory) -> None:
    @dataclass
    class Steps(Voice):
        async def stream(self, request: Request) -> AsyncIterator[Delta]:
            self.requests.append(request)
            if len(self.requests) < 60:
                call = ToolCall(f"c{len(self.requests)}", "look", "{}")
                yield Reply(Message("assistant", (call,)), "tool_calls", None)
            else:
                yield Reply(Message("assistant", (Text("done"),)), "end", None)

    voice, seen = Steps(context=16_000), iter(range(99))
    look = Hand("look", lambda arguments, job: f"{next(seen)} " + "row of output\n" * 300)
    bench = await session_on(memory, voice, look)
    await bench.ask("mend the walrus, whatever it takes")
    assert of(bench.events, Rebased)
    assert all("mend the walrus" in str(request.messages) for request in voice.requests)
    assert all(size(request) <= 12_000 for request in voice.requests)


async def test_an_epochs_end_does_not_follow_on_another_at_once(memory: Memory) -> None:
    voice = Voice(context=32_000)
    bench = await session_on(memory, voice)
    await bench.ask("x " * 30_000)
    ends = len(of(bench.events, Rebased))
    for number in range(5):
        await bench.ask(f"question {number}")
    assert len(of(bench.events, Rebased)) == ends


async def test_the_users_window_and_region_bound_the_prompt(memory: Memory) -> None:
    voice = Voice(context=200_000, words="word " * 900)
    bench = await session_on(memory, voice)
    talk = bench.session.talk
    assert room(talk) == 64_000
    talk.wanted = Wanted(window=12_000, region=2_000)
    for number in range(30):
        events = await bench.ask(f"question {number}")
        assert of(events, PromptBuilt)[-1].total <= 12_000
    assert talk.real(budget(talk).region_high) <= 2_001
    assert talk.real(talk.window.region_tokens) <= 2_001
    talk.wanted = Wanted(window=None, region=0.25)
    assert talk.real(room(talk)) == pytest.approx(talk.usable, abs=1)
    assert budget(talk).region_high == pytest.approx(room(talk) / 4, abs=1)


async def test_a_models_own_tokens_are_what_the_window_counts(memory: Memory) -> None:
    bench = await session_on(memory, Voice(context=200_000))
    talk = bench.session.talk
    talk.learned = replace(talk.learned, ratio=2.0)
    assert room(talk) == 32_000


async def test_prices_come_from_the_models_cache(memory: Memory) -> None:
    bench = await session_on(memory, Voice())
    talk = bench.session.talk
    assert prices(talk.cache_rules) == Prices(0.1, 1.25)
    talk.model = Voice(cache_rules=CacheRules("none", 0.0))
    assert prices(talk.cache_rules) == Prices(1.0, 1.0)
    talk.model = Voice(cache_rules=CacheRules("slot", 1e9, read=0.0))
    assert budget(talk).tail_high < room(talk)


async def test_the_rate_of_growth_is_learnt_and_taken_up_again(memory: Memory) -> None:
    voice = Voice(words="word " * 600)
    bench = await session_on(memory, voice, limits=Limits())
    for number in range(12):
        await bench.ask(f"question {number}")
    await bench.session.compact()
    rate = bench.session.talk.rate
    assert rate.calls >= 8
    again = await session_on(memory, voice, session=bench.session.id)
    assert again.session.talk.rate == rate


async def test_a_window_smaller_than_its_front_still_leaves_a_conversation_that_a_cache_can_serve(
    memory: Memory,
) -> None:
    bench = await session_on(memory, Voice(context=200_000, words="word " * 100))
    talk = bench.session.talk
    talk.system = lambda: ("You are a test.", "Use your hands.", "Mind the house. " * 1_000)
    talk.wanted = Wanted(window=2_000)
    for number in range(16):
        await bench.ask(f"question {number}")
    assert 1 <= len(of(bench.events, Rebased)) <= 4


async def test_a_model_smaller_than_its_front_ends_one_epoch_for_a_request_at_most(
    memory: Memory,
) -> None:
    bench = await session_on(memory, Voice(context=4_000, words="word " * 100))
    talk = bench.session.talk
    talk.system = lambda: ("You are a test.", "Use your hands.", "Mind the house. " * 1_000)
    for number in range(4):
        await bench.ask(f"question {number}")
    assert len(of(bench.events, Rebased)) <= 4


async def test_a_window_that_is_too_small_to_keep_to_is_told_once(memory: Memory) -> None:
    bench = await session_on(memory, Voice())
    bench.session.talk.wanted = Wanted(window=300)
    (notice,) = of(await bench.ask("one"), Notice)
    assert notice.level == "warning"
    assert "The window of 300 tokens is smaller" in notice.text
    assert re.search(r"2,0\d\d are used", notice.text)
    assert of(await bench.ask("two"), Notice) == []


async def test_a_window_that_is_kept_to_is_not_told_of(memory: Memory) -> None:
    bench = await session_on(memory, Voice())
    bench.session.talk.wanted = Wanted(window=32_000)
    assert of(await bench.ask("one"), Notice) == []


@pytest.mark.parametrize(("stated", "kept"), [(10, None), (4_000, 4_000)])
async def test_a_stated_context_that_no_model_has_is_not_remembered_of_it(
    memory: Memory, stated: int, kept: int | None
) -> None:
    bench = await session_on(memory, Voice(words="word " * 500))
    for number in range(4):
        await bench.ask(f"question {number}")
    await shorten_for(bench.session.talk, stated)
    saved = await memory.kept("model:openai/voice", {})
    assert saved.get("context") == kept
    assert bench.session.talk.usable >= 512
