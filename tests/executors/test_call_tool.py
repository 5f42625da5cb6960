"""Hands that arrive late, and the one through which they are called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from executors.call_tool import CallTool
from executors.protocol import (
    Arguments,
    Claim,
    Details,
    ExecutorSpec,
    HandError,
    Job,
    Outcome,
)
from executors.registry import Registry, tool_text
from tests.executors.conftest import Bench

SCHEMA = {
    "type": "object",
    "properties": {"page": {"type": "string"}},
    "required": ["page"],
}


@dataclass
class Fetch:
    """A hand that would reach the network."""

    schema: dict[str, Any] = field(default_factory=lambda: dict(SCHEMA))
    name: str = "fetch"

    @property
    def spec(self) -> ExecutorSpec:
        return ExecutorSpec(self.name, "Get a page.", self.schema)

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        return [Claim("net", "example.test", f"get {arguments['page']}")]

    def preview(self, arguments: Arguments) -> Details:
        return Details("text", arguments["page"])

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        return Outcome(f"page {arguments['page']}", Details("text", arguments["page"], "got it"))


def call(**arguments: Any) -> dict[str, Any]:
    return {"name": "fetch", "arguments": arguments}


def test_what_the_model_is_sent_stays_when_a_hand_arrives(bench: Bench) -> None:
    before = bench.hands.tools()
    bench.hands.arrive(Fetch())
    assert bench.hands.tools() is before
    assert bench.hands.late() == (tool_text(Fetch().spec),)
    bench.hands.leave("fetch")
    assert bench.hands.late() == ()
    with pytest.raises(HandError):
        bench.hands.find("fetch")
    with pytest.raises(KeyError):
        bench.hands.leave("shell")


def test_late_hands_are_listed_by_name_whatever_came_first(bench: Bench) -> None:
    for name in ("zebra", "apple"):
        bench.hands.arrive(Fetch(name=name))
    assert [json.loads(text)["name"] for text in bench.hands.late()] == ["apple", "zebra"]


@pytest.mark.parametrize("name", ["shell", "call_tool", "fetch"])
def test_a_name_that_is_there_does_not_arrive_again(bench: Bench, name: str) -> None:
    bench.hands.arrive(Fetch())
    with pytest.raises(ValueError, match=name):
        bench.hands.arrive(Fetch(name=name))


async def test_a_late_hand_is_called_by_name_with_its_own_claims_and_preview(
    bench: Bench,
) -> None:
    bench.hands.arrive(Fetch())
    hand = bench.hands.find("call_tool")
    arguments = bench.hands.validate("call_tool", json.dumps(call(page="a/b")))
    assert hand.claims(arguments) == [Claim("net", "example.test", "get a/b")]
    assert hand.preview(arguments).title == "fetch: a/b"
    outcome = await hand.run(arguments, Job("c1"))
    assert outcome.content == "page a/b"
    assert outcome.details == Details("text", "fetch: a/b", "got it")


def test_a_late_hand_is_found_under_its_own_name_too(bench: Bench) -> None:
    bench.hands.arrive(Fetch())
    assert bench.hands.validate("fetch", '{"page": "a"}') == {"page": "a"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "fetch", "arguments": {"page": 3}}, "fetch: wrong arguments at page"),
        ({"name": "fetch"}, "'page' is a required"),
        ({"name": "fetch", "arguments": {"page": "a", "more": 1}}, "more"),
        ({"name": "fetc", "arguments": {}}, "came later: fetch"),
        ({"name": "shell", "arguments": {"command": "ls"}}, "call it directly"),
        ({"name": "call_tool", "arguments": {}}, "call it directly"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_touched(
    bench: Bench, arguments: dict[str, Any], said: str
) -> None:
    bench.hands.arrive(Fetch())
    hand = bench.hands.find("call_tool")
    checked = bench.hands.validate("call_tool", json.dumps(arguments))
    with pytest.raises(HandError, match=said):
        hand.claims(checked)


def test_a_schema_that_says_little_takes_what_is_sent(bench: Bench) -> None:
    bench.hands.arrive(Fetch({"type": "object"}))
    assert bench.hands.validate("fetch", '{"page": "a"}') == {"page": "a"}
    open_schema = {**SCHEMA, "additionalProperties": True}
    bench.hands.arrive(Fetch(open_schema, "open"))
    assert bench.hands.validate("open", '{"page": "a", "x": 1}') == {"page": "a", "x": 1}


def test_every_registry_has_the_fixed_hand() -> None:
    assert isinstance(Registry([]).find("call_tool"), CallTool)


@pytest.mark.parametrize("name", ["shell", "Shell", "call_tool", "CALL_TOOL", "Fetch"])
def test_a_late_hand_never_takes_the_name_of_another(bench: Bench, name: str) -> None:
    bench.hands.arrive(Fetch())
    with pytest.raises(ValueError, match=name):
        bench.hands.arrive(Fetch(name=name))
    assert len(bench.hands.late()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "[]", "{", '{"name":5}', '{"name":"fetch"}', '{"name":"fetch","arguments":[]}'),
        *('{"name":"nope"}', '{"name":"","arguments":{}}', '{"name":"fetch","page":"a"}'),
        '{"name":"call_tool","arguments":{"name":"fetch","arguments":{"page":"a"}}}',
        '{"name":"fetch","arguments":' + '{"a":' * 100_000 + "1" + "}" * 100_001,
    ],
)
def test_garbage_is_refused_in_words(bench: Bench, arguments: str) -> None:
    bench.hands.arrive(Fetch())
    with pytest.raises(HandError):
        hand = bench.hands.find("call_tool")
        hand.claims(bench.hands.validate("call_tool", arguments))
