import json
from itertools import pairwise
from typing import Any

import pytest

from growbox_tui.models.anthropic_wire import AnthropicModel
from growbox_tui.models.cache_fields import fields_for
from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.openai_wire import OpenAIModel
from growbox_tui.models.protocol import ModelFacts, Request
from tests.models.growth import Step, growing, unmarked

NOWHERE = "http://127.0.0.1:9"
SIGNED = json.dumps({"type": "thinking", "thinking": "hm", "signature": "c2ln"})
FIELD = json.dumps({"field": "reasoning_content"})
NAMES = [
    "anthropic/claude-sonnet-5-5",
    "anthropic/claude-opus-4-5",
    "openai/gpt-6.1-sol",
    "dashscope/qwen3-coder-plus",
    "openrouter/anthropic/claude-sonnet-5.5",
]
MARKS = ("cache_control", "prompt_cache_breakpoint")


def voice(name: str) -> AnthropicModel | OpenAIModel:
    if name.startswith("anthropic/"):
        return AnthropicModel(name, base_url=NOWHERE)
    return OpenAIModel(name, base_url=NOWHERE, fields=fields_for(name))


def rules_of(name: str) -> CacheRules:
    return rules_for(name, ModelFacts())


def steps(name: str) -> list[Step]:
    opaque = SIGNED if name.startswith("anthropic/") else FIELD
    return list(growing(rules_of(name), name, opaque))


def blocks_of(body: str) -> list[dict[str, Any]]:
    value = json.loads(body)
    found = list(value.get("system", []))
    for message in value["messages"]:
        content = message["content"]
        found += content if isinstance(content, list) else [{"text": content}]
    return found


def marked(body: str) -> list[int]:
    return [at for at, b in enumerate(blocks_of(body)) if any(field in b for field in MARKS)]


def words(request: Request) -> str:
    part = request.messages[-1].parts[-1]
    return getattr(part, "text", "") or getattr(part, "content", "")


@pytest.mark.parametrize("name", NAMES)
def test_no_request_of_forty_turns_writes_more_than_four_marks_and_one_is_on_the_last_message(
    name: str,
):
    for step in steps(name):
        body = voice(name).body(step.request)
        written = [mark for mark in step.request.marks if not mark.read_only]
        assert 1 <= len(written) <= 4
        assert len(marked(body)) <= 80
        assert len(marked(body)) == len(step.request.marks)
        last = blocks_of(body)[-1]
        assert (last.get("text") or last.get("content")) == words(step.request)
        assert marked(body)[-1] == len(blocks_of(body)) - 1


@pytest.mark.parametrize("name", NAMES)
def test_the_third_mark_stands_where_the_request_before_had_its_last(name: str):
    last = None
    for step in steps(name):
        marks = marked(voice(name).body(step.request))
        if last is not None and not step.flushed:
            assert marks[-2] == last
        last = marks[-1]


@pytest.mark.parametrize("name", NAMES)
def test_the_body_without_marks_only_grows_between_flushes(name: str):
    before = ""
    for step in steps(name):
        body = voice(name).body(unmarked(step.request)).removesuffix("]}")
        body = body.removesuffix("]}") if name.startswith("anthropic/") else body
        assert step.flushed or body.startswith(before)
        before = body


@pytest.mark.parametrize("name", NAMES)
def test_a_mark_changes_nothing_but_itself(name: str):
    for step in steps(name):
        marked_body = json.loads(voice(name).body(step.request))
        plain = json.loads(voice(name).body(unmarked(step.request)))
        assert without_marks(marked_body) == without_marks(plain)


def without_marks(value: Any) -> Any:
    if isinstance(value, list):
        return [without_marks(item) for item in value]
    if isinstance(value, dict):
        gone = (*MARKS, "prompt_cache_options")
        return {name: without_marks(item) for name, item in value.items() if name not in gone}
    return value


def thoughts(body: str) -> list[int]:
    return [
        at
        for at, message in enumerate(json.loads(body)["messages"])
        if any(block.get("type") == "thinking" for block in message["content"])
    ]


def test_a_flush_leaves_thinking_out_of_what_it_carried_and_only_there():
    name = "anthropic/claude-sonnet-5-5"
    for step in steps(name):
        found = thoughts(voice(name).body(step.request))
        if step.flushed:
            assert found == []
        elif step.request.messages[-1].role == "tool":
            assert found != []


def test_a_model_that_does_not_bind_thinking_gets_all_of_it_back():
    name = "anthropic/claude-opus-4-5"
    flushed = [step for step in steps(name) if step.flushed]
    assert flushed
    assert all(thoughts(voice(name).body(step.request)) for step in flushed)


@pytest.mark.parametrize("name", NAMES)
def test_neighbours_of_one_role_are_valid_everywhere(name: str):
    for step in steps(name):
        if name.startswith("anthropic/"):
            roles = roles_of(voice(name).body(step.request))
            assert all(one != two for one, two in pairwise(roles))
        templated = OpenAIModel("hosted_vllm/m", base_url=NOWHERE, alternate=True)
        roles = roles_of(templated.body(step.request))
        assert ("user", "user") not in pairwise(roles)


def roles_of(body: str) -> list[str]:
    return [message["role"] for message in json.loads(body)["messages"]]
