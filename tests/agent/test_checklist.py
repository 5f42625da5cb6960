"""Rows 107 and 108 of the first specification's checklist, through the wire and the session.

Rows 110, 111, 125 and 126 are in ``test_session``; a reply cut for length is in ``test_loop``.
"""

from __future__ import annotations

import asyncio

from growbox_tui.agent.events import Failed, MessageStarted, TextDelta, ToolEnded, TurnEnded
from growbox_tui.models.http_stream import SILENCE_S
from growbox_tui.models.openai_wire import OpenAIModel
from memory.memory import Memory
from tests.doubles.hands import Hand, of, session_on
from tests.doubles.stream_server import StreamServer, chunk
from tests.doubles.told_silence import telling

DONE = "data: [DONE]\n\n"
CALL = chunk({"tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]})


def row(*writes: str, **more: object) -> dict[str, object]:
    return {"writes": list(writes), "end": "close", **more}


async def test_a_call_without_an_id_gets_one_of_ours_and_its_result_is_paired_with_it(
    memory: Memory,
) -> None:
    called = row(CALL, chunk({}, "tool_calls"), DONE)
    said = row(chunk({"content": "A fox."}, "stop"), DONE)
    seen = iter(range(9))
    look = Hand("look", lambda arguments, job: f"fox {next(seen)}")
    async with StreamServer([called, said, called, said]) as server:
        model = OpenAIModel("openai/m", base_url=server.url)
        bench = await session_on(memory, model, look)
        await bench.ask("what is there?")
        await bench.ask("and now?")
        await model.close()
    messages = server.received[-1].json["messages"]
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or []]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert len(set(calls)) == 2
    assert results == calls
    assert len(of(bench.events, ToolEnded)) == 2


async def test_silence_is_an_error_and_what_was_shown_is_kept(memory: Memory) -> None:
    with telling(chunk({"content": "Half a"}), SILENCE_S + 1):
        model = OpenAIModel("openai/m", base_url="http://127.0.0.1:9")
        bench = await session_on(memory, model)
        assert (await bench.session.prompt("go")).reason == "failed"
        await model.close()
    (failed,) = of(bench.drain(), Failed)
    assert failed.kind == "CutStream"
    assert "sent no content for" in failed.text
    assert "Half a" in str(bench.session.talk.window.entries[-1].body)


async def test_cancel_ends_a_request_that_is_under_way(memory: Memory) -> None:
    async with StreamServer([row(chunk({"content": "Half a"}), end="hang")]) as server:
        model = OpenAIModel("openai/m", base_url=server.url)
        bench = await session_on(memory, model)
        turn = asyncio.create_task(bench.session.prompt("go"))
        await bench.until(MessageStarted)
        await bench.until(TextDelta)
        async with asyncio.timeout(SILENCE_S / 2):
            await bench.session.cancel()
        assert (await turn).reason == "cancelled"
        await model.close()
    assert of(bench.drain(), TurnEnded)[-1].reason == "cancelled"
