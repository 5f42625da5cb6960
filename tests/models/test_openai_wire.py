import asyncio
import json
from contextlib import aclosing

import pytest

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult, Usage
from growbox_tui.models.conversation import REST_S
from growbox_tui.models.http_stream import SILENCE_S
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    EmptyReply,
    Overloaded,
    Rejected,
    Request,
    Silent,
    TextPiece,
    TooLong,
    Unauthorised,
    UnknownModel,
    Unreachable,
)
from tests.doubles.collect import Collected, collect
from tests.doubles.patience import FOR_EVER
from tests.doubles.stream_server import StreamServer, chunk, sse
from tests.doubles.told_silence import telling

TOOL = '{"description":"Lies.","name":"read","parameters":{"type":"object","x":"你好 "}}'
DONE = sse("[DONE]")[0]


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def ask(*messages: Message, **more) -> Request:
    return Request((TOOL,), ("You are brief.", "Rule: none."), messages or (user("Hi"),), **more)


async def answer(
    *rows: dict, request: Request | None = None, **more
) -> tuple[Collected, StreamServer]:
    async with StreamServer(rows) as server:
        model = OpenAIModel("openai/m-1", base_url=server.url, key="sekret", **more)
        try:
            return await collect(model, request or ask()), server
        finally:
            await model.close()


async def told(*pieces: str | float, status: int = 200) -> tuple[Collected, list[float]]:
    """What comes of these pieces, and the pauses among them that were waited through."""
    with telling(*pieces, status=status) as provider:
        model = OpenAIModel("openai/m-1", base_url="http://127.0.0.1:9", key="sekret")
        try:
            return await collect(model, ask()), provider.passed
        finally:
            await model.close()


def row(*writes: str, end: str = "close", **more) -> dict:
    return {"writes": writes, "end": end, **more}


async def test_words_thoughts_calls_and_usage_of_a_good_stream_arrive_whole():
    call = {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"a":1}'}}
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    got, server = await answer(
        row(
            chunk({"role": "assistant", "reasoning_content": "hm"}),
            chunk({"content": "Hel"}),
            chunk({"content": "lo"}),
            chunk({"tool_calls": [call]}),
            chunk({}, "tool_calls"),
            *sse({"choices": [], "usage": usage}, "[DONE]"),
        )
    )
    assert got.reply is not None
    assert (got.text, got.thinking, got.reply.stop) == ("Hello", "hm", "tool_calls")
    thought = Thinking("hm", "openai/m-1", '{"field": "reasoning_content"}')
    assert got.reply.message.parts == (thought, Text("Hello"), ToolCall("c1", "read", '{"a":1}'))
    assert got.reply.usage == Usage(9, 3, 4)
    assert server.received[0].headers["authorization"] == "Bearer sekret"
    assert server.received[0].path == "/v1/chat/completions"


async def test_equal_requests_have_equal_bytes_and_hold_the_tools_as_they_are_stored():
    model = OpenAIModel("openai/m-1", base_url="http://127.0.0.1:9")
    body = model.body(ask())
    assert body == model.body(ask())
    assert TOOL in body
    assert json.loads(body)["stream_options"] == {"include_usage": True}


def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter_one():
    model = OpenAIModel("openai/m-1", base_url="http://127.0.0.1:9")
    reply = Message("assistant", (Text("One."), ToolCall("c1", "read", '{ "a" : 1 }')))
    short = ask(user("region"), user("Hi"))
    long = ask(*short.messages, reply, Message("tool", (ToolResult("c1", "done"),)), user("And?"))
    assert model.body(long).startswith(model.body(short).removesuffix("]}"))


def test_messages_are_rendered_as_plain_strings_with_arguments_as_they_came():
    model = OpenAIModel("openai/m-1", base_url="http://127.0.0.1:9")
    request = ask(
        Message("user", (Text("one"), Text("two"))),
        Message("assistant", (ToolCall("c1", "read", '{ "a" : 1 }'),)),
        Message("tool", (ToolResult("c1", "done"),)),
    )
    assert json.loads(model.body(request))["messages"] == [
        {"role": "system", "content": "You are brief.\n\nRule: none."},
        {"role": "user", "content": "one\n\ntwo"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read", "arguments": '{ "a" : 1 }'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]


def test_reasoning_goes_back_only_with_calls_and_only_to_its_own_model():
    model = OpenAIModel("deepseek/m", base_url="http://127.0.0.1:9")
    opaque = '{"field":"reasoning_content"}'
    mine, other = Thinking("mine", "deepseek/m", opaque), Thinking("other", "x/y", opaque)
    call = ToolCall("c1", "read", "{}")
    request = ask(
        Message("assistant", (mine, other, call)),
        Message("tool", (ToolResult("c1", "r"),)),
        Message("assistant", (mine, Text("Done."))),
    )
    _, with_call, _, plain = json.loads(model.body(request))["messages"]
    assert with_call["reasoning_content"] == "mine"
    assert "reasoning_content" not in plain


def test_a_torn_history_is_sent_with_every_call_answered():
    model = OpenAIModel("openai/m-1", base_url="http://127.0.0.1:9")
    request = ask(
        Message("tool", (ToolResult("gone", "late news"),)),
        Message("assistant", (ToolCall("c1", "read", "{}"), ToolCall("c2", "read", "{}"))),
        Message("tool", (ToolResult("c1", "r"),)),
        user("Go on"),
    )
    messages = json.loads(model.body(request))["messages"][1:]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert "late news" in messages[0]["content"]
    assert [m["tool_call_id"] for m in messages[2:4]] == ["c1", "c2"]


def test_only_the_real_openai_is_sent_its_own_fields():
    request = ask(session="s-1", max_output=50)
    real = json.loads(OpenAIModel("openai/m", base_url="https://api.openai.com/v1").body(request))
    other = json.loads(OpenAIModel("openai/m", base_url="http://127.0.0.1:9").body(request))
    assert (real["prompt_cache_key"], real["max_completion_tokens"]) == ("s-1", 50)
    assert "prompt_cache_key" not in other
    assert other["max_tokens"] == 50


async def test_a_strict_server_is_asked_again_without_the_usage_option():
    refused = {
        "http": {"status": 400},
        "body": '{"error":{"message":"unknown field stream_options"}}',
    }
    got, server = await answer(refused, row(chunk({"content": "Hi"}, "stop"), DONE))
    assert got.text == "Hi"
    assert "stream_options" in server.received[0].json
    assert "stream_options" not in server.received[1].json


@pytest.mark.parametrize("end", ["close", "reset", "chunked_cut"])
async def test_a_stream_that_breaks_after_words_is_cut_and_never_done(end: str):
    got, _ = await answer(row(chunk({"content": "Hel"}), end=end))
    assert isinstance(got.error, CutStream)
    assert got.text == "Hel"


async def test_a_stream_that_breaks_inside_a_call_gives_no_call():
    call = {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"a":1}'}}
    got, _ = await answer(row(chunk({"tool_calls": [call]}), DONE))
    assert isinstance(got.error, CutStream)
    assert got.runnable == ()


@pytest.mark.parametrize("writes", [(), (chunk({"role": "assistant"}),)])
async def test_a_reset_before_the_first_word_can_be_tried_again_unseen(writes):
    got, _ = await answer(row(*writes, end="reset"))
    assert isinstance(got.error, Unreachable)
    assert got.error.retryable


async def test_an_end_after_the_finish_reason_needs_no_sentinel():
    for end in ("close", "reset", "chunked_cut"):
        got, _ = await answer(row(chunk({"content": "Hi"}, "stop"), end=end))
        assert got.reply is not None, end


async def test_a_server_that_keeps_the_line_open_after_its_end_is_not_waited_for():
    got, _ = await answer(row(chunk({"content": "Hi"}, "stop"), DONE, end="hang"))
    assert got.reply is not None
    got, passed = await told(chunk({"content": "Hi"}, "stop"), DONE, SILENCE_S)
    assert got.reply is not None
    assert passed == []
    got, passed = await told(chunk({"content": "Hi"}, "stop"), REST_S + 1, SILENCE_S)
    assert got.reply is not None
    assert passed == [REST_S + 1]


async def test_pings_do_not_break_the_silence():
    ping = (SILENCE_S / 2.5, ": ping\n\n")
    got, passed = await told(chunk({"content": "Hel"}), *ping * 9)
    assert isinstance(got.error, Silent)
    assert got.text == "Hel"
    assert len(passed) == 3


async def test_reasoning_counts_as_content():
    thought = (SILENCE_S / 2.5, chunk({"reasoning_content": "."}))
    got, passed = await told(*thought * 6, SILENCE_S / 2.5, chunk({"content": "Hi"}, "stop"), DONE)
    assert got.text == "Hi"
    assert sum(passed) > 2 * SILENCE_S


async def test_a_web_page_is_not_an_answer():
    page = {"http": {"headers": {"content-type": "text/html"}}, "body": "<html>Log in</html>"}
    got, _ = await answer(page)
    assert isinstance(got.error, BadReply)
    assert "base URL" in got.error.hint


async def test_other_json_is_not_an_answer_and_an_error_in_it_is_told():
    got, _ = await answer({"body": '{"status":"ok"}'})
    assert isinstance(got.error, BadReply)
    got, _ = await answer({"body": '{"error":{"message":"overloaded","code":503}}'})
    assert isinstance(got.error, Overloaded)


async def test_a_body_in_one_piece_that_was_cut_can_be_tried_again():
    got, _ = await answer({"body": '{"choices":[{"message":{"content":"He'})
    assert isinstance(got.error, Unreachable)


async def test_a_model_that_the_server_does_not_know_is_answered_with_its_neighbours():
    async with StreamServer([{"http": {"status": 404}, "body": '{"error":"no"}'}]) as server:
        model = OpenAIModel("openai/gpt4o", base_url=server.url)
        got = await collect(model, ask())
        await model.close()
    assert isinstance(got.error, UnknownModel)
    assert "openai/gpt-4o" in got.error.hint


async def test_missing_ids_and_second_choices_do_no_harm():
    function = {"name": "read", "arguments": '{"a":1}'}
    other = {"index": 1, "delta": {"content": "other"}, "finish_reason": None}
    got, _ = await answer(
        row(
            *sse({"choices": []}, {"choices": [other]}),
            chunk({"content": None, "tool_calls": None}),
            chunk({"tool_calls": [{"id": "null", "index": "0", "function": function}]}),
            chunk({"function_call": None}, "tool_calls"),
            DONE,
        )
    )
    assert got.text == ""
    assert [(call.id, call.arguments) for call in got.runnable] == [("call_0", '{"a":1}')]


async def test_the_one_call_of_the_old_format_is_a_call():
    got, _ = await answer(
        row(
            chunk({"function_call": {"name": "read", "arguments": '{"a"'}}),
            chunk({"function_call": {"arguments": ":1}"}}),
            chunk({}, "function_call"),
        )
    )
    assert [(call.name, call.arguments) for call in got.runnable] == [("read", '{"a":1}')]


async def test_an_empty_body_is_an_empty_reply():
    got, _ = await answer({"writes": []})
    assert isinstance(got.error, EmptyReply)


async def test_an_answer_in_one_piece_is_as_good_as_a_stream():
    function = {"name": "read", "arguments": {"a": 1}}
    message = {
        "role": "assistant",
        "content": "Hi",
        "tool_calls": [{"id": "c", "function": function}],
    }
    body = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    got, _ = await answer({"body": body})
    assert got.text == "Hi"
    assert [call.arguments for call in got.runnable] == ['{"a":1}']


async def test_an_error_inside_the_stream_keeps_its_kind():
    got, _ = await answer(
        row(chunk({"content": "Hel"}), *sse({"error": {"message": "x", "code": 503}}))
    )
    assert isinstance(got.error, Overloaded)


async def test_context_overflow_and_other_refusals_are_told_apart():
    body = '{"error":{"message":"x","code":"context_length_exceeded"}}'
    got, _ = await answer({"http": {"status": 400}, "body": body})
    assert isinstance(got.error, TooLong)
    got, _ = await answer({"http": {"status": 400}, "body": '{"error":{"message":"x"}}'})
    assert isinstance(got.error, Rejected)


async def test_a_refusal_whose_words_do_not_come_keeps_its_status():
    cut = {"http": {"status": 401}, "writes": ['{"error":'], "end": "chunked_cut"}
    got, _ = await answer(cut)
    assert isinstance(got.error, Unauthorised)
    got, passed = await told('{"error":', SILENCE_S + 1, status=401)
    assert isinstance(got.error, Unauthorised)
    assert passed == [SILENCE_S + 1]


async def test_a_redirect_is_not_followed_and_no_key_reaches_the_other_host():
    async with StreamServer([row(DONE)]) as other:
        moved = {"http": {"status": 307, "headers": {"location": f"{other.url}/chat/completions"}}}
        got, _ = await answer(moved)
        assert isinstance(got.error, BadReply)
        assert other.received == []


async def test_loopback_is_reached_without_the_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    got, _ = await answer(row(chunk({"content": "Hi"}, "stop"), DONE))
    assert got.text == "Hi"


async def test_a_server_that_is_not_there_is_told_at_once_and_not_tried_again():
    async with StreamServer([]) as server:
        url = server.url
    model = OpenAIModel("openai/m-1", base_url=url)
    got = await collect(model, ask())
    await model.close()
    assert isinstance(got.error, Unreachable)
    assert not got.error.retryable


async def test_closing_the_iterator_ends_the_request():
    async with StreamServer([row(chunk({"content": "Hel"}), end="hang")]) as server:
        model = OpenAIModel("openai/m-1", base_url=server.url)
        async with aclosing(model.stream(ask())) as deltas:
            assert await anext(deltas) == TextPiece("Hel")
        await asyncio.wait_for(server.gone.wait(), FOR_EVER)
        await model.close()


async def test_cancelling_the_task_ends_the_request():
    async with StreamServer([row(end="hang")]) as server:
        model = OpenAIModel("openai/m-1", base_url=server.url)
        task = asyncio.create_task(collect(model, ask()))
        while not server.received:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.gone.wait(), FOR_EVER)
        await model.close()
