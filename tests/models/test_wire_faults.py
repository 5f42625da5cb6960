import json
import socket
from itertools import count

import pytest

from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    EmptyReply,
    ModelError,
    NoTools,
    Unreachable,
)
from growbox_tui.models.retry import next_try
from tests.doubles.collect import collect
from tests.doubles.stream_server import StreamServer, chunk, sse
from tests.models.stream_judge import request_for

KEY = "sk-live-0123456789abcdef"
WIRES = {"openai": OpenAIModel, "anthropic": AnthropicModel}
PING = sse({"type": "ping"}, kind="ping")[0]


async def error_at(url: str, wire: str = "openai") -> ModelError:
    model = WIRES[wire](f"{wire}/m", base_url=url, key=KEY)
    try:
        got = await collect(model, request_for({}))
    finally:
        await model.close()
    assert got.error is not None
    return got.error


async def error_of(row: dict, wire: str = "openai") -> ModelError:
    async with StreamServer([row]) as server:
        return await error_at(server.url, wire)


def waited(error: ModelError) -> float:
    spent = 0.0
    for attempt in count(1):
        wait = next_try(error, attempt, spent)
        if wait is None:
            return spent
        spent += wait
    raise AssertionError


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "writes",
    [
        ["data: {not json}\n\n", *sse("[DONE]")],
        ["data: 7\n\n", *sse("[DONE]")],
        sse({"foo": 1}, {"foo": 2}, "[DONE]"),
        sse({"foo": 1}),
    ],
)
async def test_a_stream_of_another_protocol_is_told_at_once(wire: str, writes: list[str]):
    error = await error_of({"writes": writes}, wire)
    assert type(error) is BadReply
    assert waited(error) == 0
    assert "Check the base URL" in error.hint


async def test_a_stream_that_ends_within_its_first_event_is_a_broken_connection():
    error = await error_of({"writes": ['data: {"choices": [{"de']})
    assert type(error) is Unreachable
    assert error.retryable


async def test_a_stream_that_ends_after_an_empty_beginning_is_a_broken_connection():
    assert type(await error_of({"writes": [chunk({"role": "assistant"})]})) is Unreachable
    assert type(await error_of({"writes": [PING]}, "anthropic")) is Unreachable


async def test_an_answer_that_says_it_is_over_without_a_word_is_empty():
    error = await error_of({"writes": [chunk({"role": "assistant"}), *sse("[DONE]")]})
    assert type(error) is EmptyReply
    assert waited(error) == 1


async def test_nonsense_after_words_cuts_the_reply():
    error = await error_of({"writes": [chunk({"content": "Hel"}), "data: {not json}\n\n"]})
    assert type(error) is CutStream


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "row",
    [
        {"http": {"status": 400}, "body": json.dumps({"error": {"message": f"bad key {KEY}"}})},
        {"http": {"status": 401}, "body": f"Authorization: Bearer {KEY}"},
        {"http": {"status": 400}, "body": "x" * 388 + KEY + "y" * 100},
        {"http": {"status": 302, "headers": {"location": f"http://h.example/?key={KEY}"}}},
        {"writes": sse({"error": {"message": f"bad {KEY}", "code": 400}})},
        {"body": f'{{"error": "{KEY}"}}'},
        {"body": f'{{"{KEY}": 1}}'},
    ],
)
async def test_a_key_that_the_provider_repeats_is_in_no_error(row: dict, wire: str):
    error = await error_of(row, wire)
    shown = error.text + error.hint + str(error)
    assert "sk-live" not in shown
    assert error.text


@pytest.mark.parametrize("wire", WIRES)
async def test_a_name_that_nobody_knows_is_told_and_not_tried_again(wire: str, monkeypatch):
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    error = await error_at("http://me:passw0rd@nobody.invalid:81/v1", wire)
    assert type(error) is Unreachable
    assert "the name nobody.invalid is not known" in error.text
    assert "Check the base URL" in error.hint
    assert waited(error) == 0


async def test_a_name_server_that_does_not_answer_is_trouble_that_passes(monkeypatch):
    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    error = await error_at("http://me:passw0rd@nobody.invalid:81/v1")
    assert type(error) is Unreachable
    assert error.retryable
    assert "passw0rd" not in error.text


async def test_a_refusal_of_tools_is_known_by_both_wires():
    body = '{"error":{"message":"m does not support tools","type":"invalid_request_error"}}'
    for wire in WIRES:
        assert type(await error_of({"http": {"status": 400}, "body": body}, wire)) is NoTools
    assert type(await error_of({"writes": sse(json.loads(body))})) is NoTools
