from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from growbox_tui.agent.messages import Message, Text, Thinking, ToolCall, ToolResult, Usage
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    Delta,
    ModelError,
    RateLimited,
    Reply,
    Request,
    TextPiece,
    ThinkingPiece,
    UnknownModel,
)
from growbox_tui.models.script_lines import ERRORS
from growbox_tui.models.scripted_model import ScriptedModel


def asking(*messages: Message | str) -> Request:
    whole = tuple(
        Message("user", (Text(item),)) if isinstance(item, str) else item for item in messages
    )
    return Request(tools=("{}",), system=("Be brief.",), messages=whole)


async def play(model: ScriptedModel, request: Request | None = None) -> list[Delta]:
    return [delta async for delta in model.stream(request or asking("hello"))]


def reply_of(deltas: Sequence[Delta]) -> Reply:
    assert isinstance(deltas[-1], Reply)
    return deltas[-1]


async def test_words_come_one_by_one_and_the_whole_reply_comes_last() -> None:
    deltas = await play(ScriptedModel.parse("say Hello you two\nsay and  you"))
    assert deltas[:-1] == [
        TextPiece(piece) for piece in ("Hello", " you", " two", "\nand", "  you")
    ]
    reply = reply_of(deltas)
    assert reply.message == Message("assistant", (Text("Hello you two\nand  you"),))
    assert (reply.stop, reply.usage) == ("end", None)


async def test_a_bare_say_is_an_empty_line_and_indents_are_kept() -> None:
    reply = reply_of(await play(ScriptedModel.parse("say a\nsay\nsay     b\r\n")))
    assert reply.message.text == "a\n\n    b"


async def test_thoughts_words_and_calls_become_the_parts_of_one_message() -> None:
    script = 'think Hm.\nsay I look.\ncall read_file {"path": "a"}\ncall list_files {}'
    deltas = await play(ScriptedModel.parse(script, "tale.txt"))
    assert deltas[0] == ThinkingPiece("Hm.")
    reply = reply_of(deltas)
    assert reply.message.parts == (
        Thinking("Hm.", "script/tale"),
        Text("I look."),
        ToolCall("call_1", "read_file", '{"path": "a"}'),
        ToolCall("call_2", "list_files", "{}"),
    )
    assert reply.stop == "tool_calls"


async def test_call_ids_never_repeat_one_that_the_conversation_holds() -> None:
    model = ScriptedModel.parse("call plan {}\n---\ncall plan {}")
    earlier = Message("assistant", (ToolCall("call_7", "plan", "{}"),))
    first = reply_of(await play(model, asking("go", earlier)))
    second = reply_of(await play(model, asking("go", earlier, first.message)))
    assert [first.message.calls[0].id, second.message.calls[0].id] == ["call_8", "call_9"]


async def test_each_request_takes_the_next_reply_and_then_the_script_says_it_is_over() -> None:
    model = ScriptedModel.parse("# a comment\nsay one\n---\nsay two\n")
    texts = [reply_of(await play(model)).message.text for _ in range(3)]
    assert texts == ["one", "two", "The script is over: script has no reply left."]
    assert len(model.requests) == 3


async def test_usage_is_what_the_line_says() -> None:
    model = ScriptedModel.parse("usage input=9 read=4 write=5 output=2 reasoning=1\nsay x")
    assert reply_of(await play(model)).usage == Usage(9, 2, 4, 5, 1)


async def test_counted_usage_reads_what_the_last_request_began_with() -> None:
    model = ScriptedModel.parse("count on\nsay one\n---\nsay two")
    one = reply_of(await play(model, asking("hello there"))).usage
    two = reply_of(await play(model, asking("hello there", "and more of it"))).usage
    assert one is not None and two is not None
    assert (one.cache_read, two.cache_read) == (0, one.input)
    assert two.input is not None and one.input is not None and two.input > one.input
    assert two.cache_write == two.input - one.input


async def test_a_reply_can_stop_for_length() -> None:
    assert reply_of(await play(ScriptedModel.parse("say half a\nstop length"))).stop == "length"


async def test_a_cut_breaks_the_stream_after_what_was_said() -> None:
    seen = []
    with pytest.raises(CutStream):
        async for delta in ScriptedModel.parse("say so far\ncut").stream(asking("go")):
            seen.append(delta)
    assert seen == [TextPiece("so"), TextPiece(" far")]


@pytest.mark.parametrize("kind", sorted(ERRORS))
async def test_every_error_of_the_tree_can_be_played(kind: str) -> None:
    with pytest.raises(ERRORS[kind], match="no luck"):
        await play(ScriptedModel.parse(f"fail {kind} no luck"))


async def test_a_failure_can_say_how_long_to_wait() -> None:
    with pytest.raises(RateLimited) as caught:
        await play(ScriptedModel.parse("fail ratelimited after=2.5 slow down"))
    assert (caught.value.retry_after, caught.value.text) == (2.5, "slow down")


async def test_expect_finds_text_in_results_and_fails_with_the_line_when_it_is_missing() -> None:
    result = Message("tool", (ToolResult("call_1", "3 passed"),))
    assert await play(ScriptedModel.parse("expect 3 passed\nsay ok"), asking("go", result))
    with pytest.raises(BadReply, match=r"tale, line 2: .*'3 passed'"):
        await play(ScriptedModel.parse("\nexpect 3 passed\nsay ok", "tale"))


async def test_a_reply_can_depend_on_the_newest_message() -> None:
    script = "when OK\nsay good\n---\nelse\nsay bad\n---\nsay next"
    good = ScriptedModel.parse(script)
    texts = [reply_of(await play(good, asking(word))).message.text for word in ("all OK", "more")]
    assert texts == ["good", "next"]
    bad = ScriptedModel.parse(script)
    texts = [reply_of(await play(bad, asking(word))).message.text for word in ("no", "OK")]
    assert texts == ["bad", "next"]


async def test_a_hanging_reply_ends_when_it_is_cancelled() -> None:
    model = ScriptedModel.parse("say so\nhang")
    started = asyncio.Event()

    async def listen() -> None:
        async for _ in model.stream(asking("go")):
            started.set()

    task = asyncio.create_task(listen())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_headers_set_pace_facts_and_tools() -> None:
    script = "pace 0.001\nfacts context=8000 input=1e-6 read=1e-7\ntools off\nwait 0.001\nsay x"
    model = ScriptedModel.parse(script, "quiet.script")
    assert (model.name, model.takes_tools) == ("script/quiet", False)
    assert (model.facts.context, model.facts.input_price) == (8000, 1e-6)
    assert model.facts.output_price is None
    assert reply_of(await play(model)).message.text == "x"


@pytest.mark.parametrize(
    ("script", "line", "words"),
    [
        ("say a\nshout b", 2, "no such line"),
        ("say a\n---\n---\nsay b", 3, "without a line"),
        ("call plan {", 1, "not JSON"),
        ("call plan [1]", 1, "JSON object"),
        ("call plan", 1, "JSON object"),
        ("say a\npace 1", 2, "headers stand before"),
        ("pace 1\npace 2\nsay a", 2, "already"),
        ("pace fast\nsay a", 1, "not a number"),
        ("wait -1", 1, "between 0 and"),
        ("wait nan", 1, "between 0 and"),
        ("facts size=3\nsay a", 1, "no such key"),
        ("usage input=many", 1, "not a number"),
        ("facts context=inf\nsay a", 1, "not between"),
        ("usage input=1\nusage input=2", 2, "already"),
        ("tools on\nsay a", 1, "takes only 'off'"),
        ("fail badly no", 1, "takes one of"),
        ("stop soon", 1, "takes one of"),
        ("cut now", 1, "takes nothing"),
        ("cut\nsay a", 2, "never be reached"),
        ("call plan {}\nsay a", 2, "words before calls"),
        ("say a\nthink b", 2, "thoughts come before"),
        ("say a\nwhen OK", 2, "stands first"),
        ("else\nsay a", 1, "before it"),
        ("expect", 1, "needs a text"),
    ],
)
def test_what_is_not_in_the_language_is_an_error_with_file_and_line(
    script: str, line: int, words: str
) -> None:
    with pytest.raises(BadReply) as caught:
        ScriptedModel.parse(script, "tale.script")
    assert caught.value.text.startswith(f"tale.script, line {line}: ")
    assert words in caught.value.text


def test_a_script_without_a_reply_is_an_error() -> None:
    with pytest.raises(BadReply, match="no reply"):
        ScriptedModel.parse("# nothing\npace 1\n", "tale")


def test_a_script_that_cannot_be_read_is_an_unknown_model(tmp_path: Path) -> None:
    (tmp_path / "bytes.script").write_bytes(b"say \xff")
    for name in ("missing.script", "bytes.script"):
        with pytest.raises(UnknownModel, match=name) as caught:
            ScriptedModel.load(tmp_path / name)
        assert isinstance(caught.value, ModelError)


def test_a_script_is_loaded_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "tale.script").write_text("say a", encoding="utf-8")
    assert ScriptedModel.load(tmp_path / "tale.script").name == "script/tale"
