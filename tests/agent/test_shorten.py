from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import (
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    message_from_json,
    message_to_json,
)
from growbox_tui.agent.shorten import shortened
from memory.context.render import shown_ids
from memory.tokens import estimate
from memory.types import Entry


def entry(role: Role, *parts: Part, node: str | None = "abcdefghijkl") -> Entry:
    body = message_to_json(Message(role, parts))
    return Entry(7, 3, role, body, estimate(body), node, ())


def parts(of: Entry) -> tuple[Part, ...]:
    return message_from_json(of.body).parts


def test_a_small_message_stays_as_it_is() -> None:
    small = entry("tool", ToolResult("c1", "ok"))
    assert shortened(small, 100) is small


@pytest.mark.parametrize(
    "text", ["a line of output\n" * 5_000, "一行输出。" * 20_000, '\\"\n' * 40_000]
)
def test_a_giant_result_keeps_both_ends_its_call_and_the_address_of_the_whole(text: str) -> None:
    giant = entry("tool", ToolResult("c1", "first " + text + "last", is_error=True))
    small = shortened(giant, 600)
    (result,) = parts(small)
    assert isinstance(result, ToolResult)
    assert small.tokens <= 600
    assert small.tokens == estimate(small.body)
    assert (result.call_id, result.is_error) == ("c1", True)
    assert result.content.startswith("first ")
    assert result.content.endswith("last")
    assert "mem://abcdefghijkl" in result.content
    assert (small.seq, small.turn, small.node) == (giant.seq, giant.turn, giant.node)


def test_of_a_users_message_what_was_put_beside_the_words_goes_first() -> None:
    words = "What is wrong in this file?"
    small = shortened(entry("user", Text("file " * 20_000), Text(words)), 500)
    assert parts(small)[-1] == Text(words)
    assert small.tokens <= 500


def test_words_that_are_a_giant_themselves_keep_both_ends() -> None:
    small = shortened(entry("user", Text("first " + "paste " * 20_000 + "the question?")), 500)
    (words,) = parts(small)
    assert isinstance(words, Text)
    assert small.tokens <= 500
    assert words.text.startswith("first")
    assert words.text.endswith("the question?")


def test_a_calls_long_arguments_are_cut_and_stay_json_of_the_same_keys() -> None:
    arguments = json.dumps({"path": "src/a.py", "text": "x = 1\n" * 20_000, "all": True})
    giant = entry(
        "assistant", Thinking("hm " * 500, "a/b", "{}"), Text("I write it."),
        ToolCall("c1", "write_file", arguments),
    )  # fmt: skip
    small = shortened(giant, 600)
    text, call = parts(small)
    assert small.tokens <= 600
    assert text == Text("I write it.")
    assert isinstance(call, ToolCall)
    assert (call.id, call.name) == ("c1", "write_file")
    value = json.loads(call.arguments)
    assert (value["path"], value["all"]) == ("src/a.py", True)
    assert "left out" in value["text"]


@given(st.text(max_size=3_000), st.integers(50, 700))
def test_shortening_is_pure_and_never_makes_longer(text: str, tokens: int) -> None:
    whole = entry("tool", ToolResult("c1", text))
    once = shortened(whole, tokens)
    assert once == shortened(whole, tokens)
    assert once.tokens <= whole.tokens


def shown(name: str) -> str:
    return f"--- mem://{name} 2026-05-03 10:00 UTC user ---\n" + f"the {name} tree stands. " * 200


def test_a_shortened_message_shows_none_of_its_memories_since_they_stand_in_the_region() -> None:
    names = ("bbbbbbbbbbbb", "cccccccccccc")
    found = "2 found.\n" + "\n".join(map(shown, names))
    result = replace(entry("tool", ToolResult("c1", found)), shows=names)
    asked = replace(entry("user", Text(found), Text("Which tree?")), shows=names)
    for small in (shortened(result, 600), shortened(asked, 600)):
        assert small.tokens <= 600
        assert not shown_ids(small.body)
        assert "tree stands" not in small.body
        assert "2 found." in small.body
        assert all(f"mem://{name}" in small.body for name in names)
    assert parts(shortened(asked, 600))[-1] == Text("Which tree?")


def test_what_the_user_quotes_is_no_memory_that_is_shown() -> None:
    words = shown("bbbbbbbbbbbb")
    asked = entry("user", Text(shown("cccccccccccc")), Text(words))
    asked = replace(asked, shows=("bbbbbbbbbbbb", "cccccccccccc"))
    assert parts(shortened(asked, asked.tokens - 1))[-1] == Text(words)
