import json
from typing import Any

import pytest

from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult
from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.cache_fields import CacheFields, fields_for
from growbox_tui.models.factory import open_model
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import Mark, NoTools, Rejected, Request
from tests.doubles.collect import Collected, collect
from tests.doubles.stream_server import StreamServer, chunk, sse
from tests.models.growth import TOOL, user

NOWHERE = "http://127.0.0.1:9"
TALK = (
    user("first segment", "second segment"),
    user("Hi"),
    Message("assistant", (ToolCall("c1", "read", "{}"),)),
    Message("tool", (ToolResult("c1", "found"),)),
)
MARKS = (
    Mark("system", 1),
    Mark("message", 0, part=0, read_only=True),
    Mark("message", 0),
    Mark("message", 1),
    Mark("message", 3),
)
REQUEST = Request((TOOL,), ("Be brief.", "Rules."), TALK, "s-1", None, MARKS)
BREAKPOINT = {"prompt_cache_breakpoint": {"mode": "explicit"}}
EPHEMERAL = {"cache_control": {"type": "ephemeral"}}
OKAY = {"writes": [chunk({"content": "Yes"}), chunk({}, "stop"), *sse("[DONE]")]}


def body_of(name: str, request: Request = REQUEST, **more: Any) -> dict[str, Any]:
    model = OpenAIModel(name, base_url=NOWHERE, fields=fields_for(name), **more)
    value: dict[str, Any] = json.loads(model.body(request))
    return value


def text(words: str, *marks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": words} | (marks[0] if marks else {})


def test_gpt_gets_breakpoints_on_blocks_of_system_user_and_tool():
    body = body_of("openai/gpt-6.1-sol")
    system, region, words, reply, result = body["messages"]
    assert system["content"] == [text("Be brief."), text("Rules.", BREAKPOINT)]
    assert region["content"] == [
        text("first segment", BREAKPOINT),
        text("second segment", BREAKPOINT),
    ]
    assert words["content"] == [text("Hi", BREAKPOINT)]
    assert reply["content"] is None
    assert result["content"] == [text("found", BREAKPOINT)]
    assert body["prompt_cache_options"] == {"mode": "explicit"}
    assert body["prompt_cache_key"] == "s-1"
    assert "prompt_cache_retention" not in body


def test_without_marks_gpt_sets_its_own():
    body = body_of("openai/gpt-6.1-sol", Request((), ("Be brief.",), TALK))
    assert "prompt_cache_options" not in body
    assert "prompt_cache_breakpoint" not in json.dumps(body)
    assert body["messages"][0]["content"] == [text("Be brief.")]


@pytest.mark.parametrize(
    "name", ["dashscope/qwen3-coder-plus", "openrouter/anthropic/claude-sonnet-5.5"]
)
def test_qwen_and_resold_claude_get_cache_control_and_nothing_for_reading_only(name: str):
    system, region, words, _, result = body_of(name)["messages"]
    assert system["content"][-1] == text("Rules.", EPHEMERAL)
    assert region["content"] == [text("first segment"), text("second segment", EPHEMERAL)]
    assert words["content"] == [text("Hi", EPHEMERAL)]
    assert result["content"] == [text("found", EPHEMERAL)]


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("openai/gpt-5.4", "prompt_cache_key", "s-1"),
        ("openai/gpt-5.4", "prompt_cache_retention", "24h"),
        ("openai/gpt-4o", "prompt_cache_retention", None),
        ("moonshot/kimi-k3", "prompt_cache_key", "s-1"),
        ("mistral/devstral-latest", "prompt_cache_key", "s-1"),
        ("openrouter/openai/gpt-5.4", "session_id", "s-1"),
        ("llamacpp/m", "cache_prompt", True),
        ("llamacpp/m", "id_slot", None),
        ("groq/m", "prompt_cache_key", None),
        ("xai/grok-4.7", "prompt_cache_key", None),
    ],
)
def test_each_provider_is_sent_the_fields_that_it_knows(name: str, field: str, value: object):
    assert body_of(name).get(field) == value


def test_a_server_that_is_not_known_to_take_them_gets_no_fields_and_plain_strings():
    env = {"OPENAI_API_KEY": "k"}
    model = open_model("openai/gpt-6.1-sol", env, base_url="http://127.0.0.1:9/v1")
    assert isinstance(model, OpenAIModel)
    body = json.loads(model.body(REQUEST))
    assert set(body) == {"model", "stream", "stream_options", "tools", "messages"}
    assert [message["content"] for message in body["messages"]] == [
        "Be brief.\n\nRules.",
        "first segment\n\nsecond segment\n\nHi",
        None,
        "found",
    ]


def test_an_hour_is_asked_for_only_where_a_mark_is_long():
    long = (Mark("system", 1, long=True), Mark("message", 3))
    request = Request((TOOL,), REQUEST.system, TALK, "s-1", None, long)
    body = json.loads(AnthropicModel("anthropic/m", base_url=NOWHERE).body(request))
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert body["system"][-1]["cache_control"] == hour
    assert body["messages"][-1]["content"][-1]["cache_control"] == EPHEMERAL["cache_control"]
    assert "1h" not in json.dumps(body_of("dashscope/qwen3-max", request))


def test_a_mark_on_words_that_are_not_sent_is_no_mark_elsewhere():
    talk = (user("Hi"), Message("assistant", (Text(" "),)), user("And?"))
    request = Request((), (" ",), talk, "", None, (Mark("system", 0), Mark("message", 1)))
    body = AnthropicModel("anthropic/m", base_url=NOWHERE).body(request)
    assert "cache_control" not in body


def test_a_mark_stays_with_its_message_where_results_were_added_before_it():
    torn = (user("Hi"), Message("assistant", (ToolCall("c1", "read", "{}"),)), user("Go on"))
    request = Request((TOOL,), ("S",), torn, "", None, (Mark("message", 2),))
    body = json.loads(AnthropicModel("anthropic/m", base_url=NOWHERE).body(request))
    result, words = body["messages"][-1]["content"]
    assert result["type"] == "tool_result"
    assert (words["text"], "cache_control" in words, "cache_control" in result) == (
        "Go on",
        True,
        False,
    )
    [*_, lost, last] = body_of("dashscope/qwen3-max", request)["messages"]
    assert (lost["role"], lost["content"][0].get("cache_control")) == ("tool", None)
    assert last["content"][0]["cache_control"] == EPHEMERAL["cache_control"]


def refusal(message: str, status: int = 400, **more: object) -> dict[str, Any]:
    body = json.dumps({"error": {"message": message, **more}})
    return {"http": {"status": status}, "body": body}


async def asked(name: str, *rows: dict[str, Any]) -> tuple[list[Collected], list[Any], Any]:
    """Two requests to one server; what came of them, what it got, and the voice."""
    async with StreamServer([*rows, OKAY]) as server:
        model = OpenAIModel(name, base_url=server.url, key="k", fields=fields_for(name))
        try:
            got = [await collect(model, REQUEST), await collect(model, REQUEST)]
        finally:
            await model.close()
        return got, [received.json for received in server.received], model


async def test_a_field_that_is_refused_is_left_out_from_then_on_and_told_once():
    got, bodies, _ = await asked(
        "openai/gpt-5.4", refusal("Unrecognized request argument supplied: prompt_cache_key"), OKAY
    )
    assert [each.text for each in got] == ["Yes", "Yes"]
    assert ["prompt_cache_key" in body for body in bodies] == [True, False, False]
    assert ["prompt_cache_retention" in body for body in bodies] == [True, True, True]
    assert got[0].reply is not None and "refused prompt_cache_key" in got[0].reply.notice
    assert got[1].reply is not None and got[1].reply.notice == ""


async def test_each_refused_field_costs_one_try_and_the_rules_follow():
    got, bodies, model = await asked(
        "openai/gpt-6.1-sol",
        refusal("messages[0].content[1].prompt_cache_breakpoint: extra inputs not permitted"),
        refusal("Extra inputs are not permitted", param="prompt_cache_key"),
        OKAY,
    )
    assert got[0].text == "Yes"
    assert "prompt_cache_options" in bodies[0] and "prompt_cache_options" not in bodies[1]
    assert "prompt_cache_key" not in bodies[2]
    assert (model.cache_rules.kind, model.cache_rules.max_marks) == ("marks", 0)
    assert "prompt_cache_breakpoint and prompt_cache_key" in got[0].reply.notice


async def test_a_field_named_only_by_its_place_in_the_body_is_found():
    where = {"detail": [{"loc": ["body", "cache_prompt"], "msg": "Extra inputs not permitted"}]}
    row = {"http": {"status": 422}, "body": json.dumps(where)}
    got, bodies, _ = await asked("llamacpp/m", row, OKAY)
    assert got[0].text == "Yes"
    assert ["cache_prompt" in body for body in bodies] == [True, False, False]


async def test_another_refusal_is_not_tried_again():
    got, bodies, _ = await asked("openai/gpt-5.4", refusal("temperature is out of range"), OKAY)
    assert type(got[0].error) is Rejected
    assert len(bodies) == 2
    got, _, _ = await asked("openai/gpt-5.4", refusal("prompt_cache_key: m does not support tools"))
    assert type(got[0].error) is NoTools


async def test_a_field_that_was_never_sent_is_no_reason_to_ask_again():
    got, bodies, _ = await asked("groq/m", refusal("prompt_cache_key is not known"), OKAY)
    assert type(got[0].error) is Rejected
    assert len(bodies) == 2


async def test_fields_that_were_not_to_blame_are_sent_again():
    echo = refusal("bad temperature in {prompt_cache_key, prompt_cache_retention, stream_options}")
    got, bodies, _ = await asked("openai/gpt-5.4", echo, echo, echo, refusal("bad temperature"))
    assert type(got[0].error) is Rejected
    assert "prompt_cache_key" in bodies[4]


async def test_marks_that_a_server_of_the_anthropic_format_refuses_are_left_out():
    said = {"type": "message", "content": [text("Yes")], "stop_reason": "end_turn"}
    okay = {"body": json.dumps(said)}
    ttl = refusal("system.1.cache_control.ephemeral.ttl: Extra inputs are not permitted")
    marks = refusal("system.1.cache_control: Extra inputs are not permitted")
    long = Request((), ("S", "R"), TALK[1:2], "", None, (Mark("system", 1, long=True),))
    async with StreamServer([ttl, marks, okay]) as server:
        model = AnthropicModel("anthropic/m", base_url=server.url.removesuffix("/v1"))
        got = await collect(model, long)
        await model.close()
    bodies = [received.json for received in server.received]
    assert got.text == "Yes"
    assert [body["system"][1].get("cache_control") for body in bodies] == [
        {"type": "ephemeral", "ttl": "1h"},
        {"type": "ephemeral"},
        None,
    ]
    assert model.cache_rules.kind == "none"


async def test_the_conversation_goes_to_xai_as_a_header_of_each_request():
    async with StreamServer([OKAY]) as server:
        name = "xai/grok-4.7"
        model = OpenAIModel(name, base_url=server.url, key="k", fields=fields_for(name))
        await collect(model, REQUEST)
        await model.close()
    headers = server.received[0].headers
    assert (headers["x-grok-conv-id"], headers["authorization"]) == ("s-1", "Bearer k")


def test_words_that_only_look_like_a_field_drop_nothing():
    sent = CacheFields(marks="cache_control", long_marks=True, key="prompt_cache_key")
    assert sent.without("the throttling rules do not permit that") == (sent, "")
    assert sent.without("unknown field ttl")[1] == "ttl"
