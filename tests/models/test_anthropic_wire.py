import json

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult, Usage
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.protocol import BadReply, CutStream, ModelFacts, Overloaded, Request
from tests.doubles.collect import Collected, collect
from tests.doubles.stream_server import StreamServer, sse

TOOL = '{"description":"Reads.","name":"read","parameters":{"type":"object"}}'
BLOCK = {"type": "thinking", "thinking": "plan", "signature": "c2ln"}
USAGE = {"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def ask(*messages: Message) -> Request:
    return Request((TOOL,), ("You are brief.", "Rules."), messages or (user("Hi"),))


def start(index: int, block: dict) -> dict:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, field: str, text: str) -> dict:
    value = {"type": kind, field: text}
    return {"type": "content_block_delta", "index": index, "delta": value}


def ended(reason: str) -> list[dict]:
    usage = {"output_tokens": 7}
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        {"type": "message_stop"},
    ]


BEGIN = {"type": "message_start", "message": {"usage": USAGE}}
THOUGHT = [
    start(0, {"type": "thinking", "thinking": "", "signature": ""}),
    delta(0, "thinking_delta", "thinking", "plan"),
    delta(0, "signature_delta", "signature", "c2ln"),
]
CALL = [
    start(1, {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}),
    delta(1, "input_json_delta", "partial_json", '{"a"'),
    delta(1, "input_json_delta", "partial_json", ":1}"),
]


async def answer(
    *events: object, end: str = "close", body: str = ""
) -> tuple[Collected, StreamServer]:
    row = {"body": body} if body else {"writes": sse(*events), "end": end}
    async with StreamServer([row]) as server:
        base = server.url.removesuffix("/v1")
        model = AnthropicModel("anthropic/m", base_url=base, key="sekret")
        try:
            return await collect(model, ask()), server
        finally:
            await model.close()


def voice() -> AnthropicModel:
    facts = ModelFacts(max_output=64_000)
    return AnthropicModel("anthropic/m", base_url="http://127.0.0.1:9", facts=facts)


async def test_a_signed_thought_and_a_call_arrive_whole_with_the_summed_usage():
    got, server = await answer(BEGIN, *THOUGHT, {"type": "ping"}, *CALL, *ended("tool_use"))
    assert got.reply is not None
    thought, call = got.reply.message.parts
    assert isinstance(thought, Thinking)
    assert (thought.text, json.loads(thought.opaque)) == ("plan", BLOCK)
    assert call == ToolCall("toolu_1", "read", '{"a":1}')
    assert got.reply.usage == Usage(100, 7, 90, 5)
    request = server.received[0]
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "sekret"


async def test_hidden_thinking_is_kept_as_it_came():
    hidden = {"type": "redacted_thinking", "data": "b3BhcXVl"}
    got, _ = await answer(BEGIN, start(0, hidden), *CALL, *ended("tool_use"))
    assert got.reply is not None
    assert got.reply.message.parts[0] == Thinking(
        "", "anthropic/m", json.dumps(hidden).replace(" ", "")
    )


async def test_a_call_cut_by_the_limit_is_broken():
    got, _ = await answer(BEGIN, *CALL, *ended("max_tokens"))
    assert got.reply is not None
    assert got.reply.stop == "length"
    assert got.runnable == ()


async def test_a_stream_without_its_end_is_cut():
    got, _ = await answer(BEGIN, *CALL)
    assert isinstance(got.error, CutStream)


async def test_an_overload_in_the_middle_is_an_overload():
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    text = [start(0, {"type": "text", "text": ""}), delta(0, "text_delta", "text", "Hel")]
    got, _ = await answer(BEGIN, *text, error)
    assert isinstance(got.error, Overloaded)
    assert got.text == "Hel"


async def test_a_message_in_one_piece_is_as_good_as_a_stream():
    content = [{"type": "text", "text": "Hi"}, {**CALL[0]["content_block"], "input": {"a": 1}}]
    body = json.dumps(
        {"type": "message", "content": content, "stop_reason": "tool_use", "usage": USAGE}
    )
    got, _ = await answer(body=body)
    assert got.text == "Hi"
    assert [call.arguments for call in got.runnable] == ['{"a":1}']


async def test_a_body_of_another_kind_is_refused():
    got, _ = await answer(body='{"hello":"world"}')
    assert isinstance(got.error, BadReply)


def test_thinking_goes_back_byte_for_byte_to_the_model_that_made_it_and_to_no_other():
    opaque = json.dumps(BLOCK, separators=(",", ":"))
    call, result = ToolCall("t1", "read", '{"a":1}'), Message("tool", (ToolResult("t1", "r"),))
    mine = Message("assistant", (Thinking("plan", "anthropic/m", opaque), call))
    other = Message("assistant", (Thinking("plan", "anthropic/n", opaque), call))
    assert opaque in voice().body(ask(user("Hi"), mine, result))
    assert "thinking" not in voice().body(ask(user("Hi"), other, result))


def test_results_of_parallel_calls_stand_in_one_message():
    request = ask(
        user("Hi"),
        Message("assistant", (ToolCall("a:1", "read", "{}"), ToolCall("t2", "read", "{}"))),
        Message("tool", (ToolResult("a:1", "one"),)),
        Message("tool", (ToolResult("t2", "", True),)),
        user("Faster"),
    )
    messages = json.loads(voice().body(request))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    first, second, words = messages[2]["content"]
    assert first["tool_use_id"] == messages[1]["content"][0]["id"]
    assert ":" not in first["tool_use_id"]
    assert (second["is_error"], second["content"]) == (True, "(no output)")
    assert words["text"] == "Faster"


def test_the_schema_is_sent_under_the_name_that_the_format_has_for_it():
    body = json.loads(voice().body(ask()))
    assert body["tools"] == [
        {"description": "Reads.", "name": "read", "input_schema": {"type": "object"}}
    ]
    assert body["max_tokens"] == 32_000


def test_nothing_empty_is_sent():
    request = ask(user("Hi"), Message("assistant", (Text(" "),)), user(" "))
    messages = json.loads(voice().body(request))["messages"]
    assert [block["text"] for m in messages for block in m["content"]] == ["Hi", "(no words)"]
