import json
import socket

import pytest

from growbox_tui.agent.messages import Message, Text, Usage
from growbox_tui.models.factory import open_model
from growbox_tui.models.litellm_model import LitellmModel
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    EmptyReply,
    Mark,
    ModelError,
    NoTools,
    RateLimited,
    Request,
    TooLong,
    Unreachable,
)
from tests.doubles.collect import collect
from tests.doubles.stream_server import StreamServer, chunk, sse
from tests.models.stream_judge import request_for

ROW = {"tools": ["read_file(path:string!)"]}


async def test_a_reply_comes_through_the_same_assembler_and_nothing_is_printed(capfd):
    function = {"name": "read_file", "arguments": '{"path":"a"}'}
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    writes = [
        chunk({"content": "Hello"}),
        chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}),
        chunk({}, "tool_calls"),
        *sse({"choices": [], "usage": usage}, "[DONE]"),
    ]
    async with StreamServer([{"writes": writes}]) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
    assert got.reply is not None
    assert got.text == "Hello"
    assert [call.arguments for call in got.runnable] == ['{"path":"a"}']
    assert got.reply.usage == Usage(9, 3, 4)
    assert capfd.readouterr() == ("", "")


async def test_its_errors_are_errors_of_our_own_tree():
    limited = {"http": {"status": 429, "headers": {"retry-after": "7"}}, "body": '{"error":{}}'}
    async with StreamServer([limited]) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
        assert isinstance(got.error, RateLimited)
        assert got.error.retry_after == 7.0
        assert len(server.received) == 1


async def test_a_stream_that_breaks_is_cut():
    async with StreamServer(
        [{"writes": [chunk({"content": "Hel"})], "end": "chunked_cut"}]
    ) as server:
        got = await collect(
            LitellmModel("custom_openai/m", base_url=server.url, key="k"), request_for(ROW)
        )
    assert isinstance(got.error, CutStream)
    assert got.text == "Hel"


@pytest.mark.parametrize("name", ["custom_openai/m", "anthropic/m", "azure_ai/m"])
async def test_no_redirect_is_followed(name: str):
    async with StreamServer([{"body": "{}"}]) as other:
        moved = {"http": {"status": 307, "headers": {"location": other.url}}, "body": ""}
        async with StreamServer([moved]) as server:
            got = await collect(LitellmModel(name, base_url=server.url, key="k"), request_for({}))
        assert got.error is not None
        assert other.received == []


async def error_of(row: dict, name: str = "custom_openai/m", tools: dict = ROW) -> ModelError:
    async with StreamServer([row]) as server:
        model = LitellmModel(name, base_url=server.url, key="sekret-0123456789")
        got = await collect(model, request_for(tools))
    assert got.error is not None
    return got.error


def refusal(message: str) -> dict:
    return {"http": {"status": 400}, "body": json.dumps({"error": {"message": message}})}


@pytest.mark.parametrize("name", ["custom_openai/m", "anthropic/m", "azure_ai/m"])
async def test_a_web_page_in_place_of_an_answer_is_told_as_one(name: str):
    page = "<!doctype html><html><title>Log in</title></html>"
    error = await error_of({"http": {"headers": {"content-type": "text/html"}}, "body": page}, name)
    assert type(error) is BadReply
    assert "web page" in error.text
    assert "127.0.0.1" in error.hint


async def test_a_stream_of_nonsense_is_not_asked_for_again():
    error = await error_of({"writes": ["data: {not json}\n\n", *sse("[DONE]")]})
    assert type(error) is BadReply
    assert type(await error_of({"writes": sse({"foo": 1}, "[DONE]")})) is EmptyReply


@pytest.mark.parametrize("name", ["custom_openai/m", "anthropic/m", "azure_ai/m"])
async def test_a_name_that_nobody_knows_is_told_and_not_tried_again(name: str, monkeypatch):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    model = LitellmModel(name, base_url="http://nobody.invalid:81/v1", key="k")
    error = (await collect(model, request_for(ROW))).error
    assert type(error) is Unreachable
    assert "the name nobody.invalid is not known" in error.text
    assert not error.retryable


async def test_a_port_where_nobody_listens_is_no_answer_of_the_provider():
    async with StreamServer([]) as server:
        url = server.url
    error = (
        await collect(LitellmModel("anthropic/m", base_url=url, key="k"), request_for({}))
    ).error
    assert type(error) is Unreachable
    assert not error.retryable


async def test_refused_tools_and_too_long_prompts_are_told_as_such():
    assert type(await error_of(refusal("m does not support tools"))) is NoTools
    error = await error_of(refusal("This model's maximum context length is 8192 tokens."))
    assert isinstance(error, TooLong)
    assert error.limit == 8192


async def test_a_model_that_litellm_knows_to_take_no_tools_is_told_before_anything_is_sent():
    error = await error_of(refusal("x"), "perplexity/llama-3.1-70b-instruct")
    assert type(error) is NoTools


async def test_a_key_that_the_provider_repeats_is_not_shown():
    error = await error_of(refusal("wrong: sekret-0123456789"))
    assert "sekret" not in error.text + error.hint + str(error)


async def test_a_key_that_litellm_reads_itself_is_not_shown(monkeypatch):
    env = {"AI21_API_KEY": "sekret-0123456789"}
    monkeypatch.setenv("AI21_API_KEY", env["AI21_API_KEY"])
    async with StreamServer([refusal("wrong: sekret-0123456789")]) as server:
        got = await collect(open_model("ai21_chat/m", env, base_url=server.url), request_for({}))
        assert server.received[0].headers["authorization"].endswith("sekret-0123456789")
    assert got.error is not None
    assert "wrong: …" in got.error.text


def test_a_model_that_is_listed_without_tools_is_offered_none():
    assert not open_model("publicai/swiss-ai/apertus-8b-instruct", {}).takes_tools
    assert open_model("custom_openai/no-such-model", {}).takes_tools


@pytest.mark.parametrize("name", ["azure_ai/claude-sonnet-5-5", "custom_openai/claude-sonnet-5-5"])
async def test_marks_go_through_litellm_to_those_who_sell_claude_and_to_nobody_else(name: str):
    talk = (
        Message("user", (Text("first segment"), Text("second segment"))),
        Message("user", (Text("Hi"),)),
    )
    marks = (Mark("system", 1, long=True), Mark("message", 0), Mark("message", 1))
    request = Request((), ("Be brief.", "Rules."), talk, "s-1", None, marks)
    async with StreamServer([refusal("enough")]) as server:
        await collect(LitellmModel(name, base_url=server.url, key="k"), request)
        body = json.dumps(server.received[0].json)
    counts = (body.count('"cache_control"'), body.count('"ttl": "1h"'))
    assert counts == ((3, 1) if name.startswith("azure_ai/") else (0, 0))
