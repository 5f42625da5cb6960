from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.models.gguf import trained_context
from growbox_tui.models.llama_engine import LARGEST_BATCH, SMALLEST_BATCH, next_batch
from growbox_tui.models.protocol import TextPiece, ThinkingPiece, UnknownModel
from growbox_tui.models.reply_reader import ReplyReader
from growbox_tui.models.tool_grammar import WrittenCall, grammar, read_calls

READ = (
    '{"name":"read_file","description":"Read.","parameters":{"type":"object",'
    '"properties":{"path":{"type":"string"}},"required":["path"]}}'
)
READ_CALL = '{"name":"read_file","arguments":{"path":"a"}}'
ODD = '{"name":"odd","description":"","parameters":{"$ref":"https://example.invalid/x"}}'


def told(reader: ReplyReader, *texts: str) -> tuple[str, str]:
    pieces = [piece for text in texts for piece in reader.feed(text)] + reader.finish()
    thoughts = "".join(piece.text for piece in pieces if isinstance(piece, ThinkingPiece))
    words = "".join(piece.text for piece in pieces if isinstance(piece, TextPiece))
    assert (thoughts, words) == (reader.thoughts, reader.words)
    return thoughts, words


def test_a_thought_at_the_beginning_is_told_from_the_words() -> None:
    assert told(ReplyReader(), "\n<thi", "nk>\nhm. </th", "ink>\n\nYes.\n") == ("hm.", "Yes.")


def test_a_thought_that_the_prompt_opened_needs_no_mark() -> None:
    assert told(ReplyReader(thinking=True), "hm.</think>Yes.") == ("hm.", "Yes.")


def test_a_mark_in_the_middle_of_the_words_is_only_words() -> None:
    assert told(ReplyReader(), "Use <think> and <tool_call>") == ("", "Use <think> and <tool_call>")


def test_a_call_opens_where_its_mark_is_whole() -> None:
    reader = ReplyReader(calls=True)
    pieces = [*reader.feed("I look. \n<tool"), *reader.feed('_call>\n{"')]
    assert pieces == [TextPiece("I look.")]
    assert (reader.opened, reader.rest) == (True, '\n{"')


@given(st.data(), st.booleans())
def test_how_a_reply_is_cut_into_pieces_changes_nothing(data: st.DataObject, calls: bool) -> None:
    parts = ["<think>", "</think>", "<tool_", "tool_call>", " ", "\n", "word", "<", "火"]
    text = "".join(data.draw(st.lists(st.sampled_from(parts), max_size=12)))
    whole, split = ReplyReader(calls=calls), ReplyReader(calls=calls)
    whole.feed(text)
    for char in text:
        if split.opened:
            split.rest += char
        else:
            split.feed(char)
    if not whole.opened:
        whole.finish()
        split.finish()
    assert (split.thoughts.rstrip(), split.words) == (whole.thoughts.rstrip(), whole.words)
    assert (split.opened, split.rest) == (whole.opened, whole.rest)


def test_calls_are_read_one_after_another_even_with_marks_inside_their_texts() -> None:
    first = '{"name":"say","arguments":{"text":"a</tool_call>\nb"}}'
    text = f"\n{first}\n</tool_call>\n<tool_call>{READ_CALL}</tool_call>"
    assert read_calls(text) == [
        WrittenCall("say", '{"text": "a</tool_call>\\nb"}'),
        WrittenCall("read_file", '{"path": "a"}'),
    ]


@pytest.mark.parametrize("end", [40, len(READ_CALL) - 1])
def test_a_call_that_is_cut_comes_out_broken_and_empty(end: int) -> None:
    (call,) = read_calls(READ_CALL[:end])
    assert (call.name, call.arguments) == ("read_file", "{}")
    assert "not whole" in call.broken


def test_a_call_that_is_cut_before_its_name_is_no_call() -> None:
    assert read_calls('{"name":"rea') == []


def test_lone_surrogates_become_the_replacement_sign() -> None:
    (call,) = read_calls(r'{"name":"say","arguments":{"a":"\ud83d\ude00 \ud800"}}')
    assert json.loads(call.arguments) == {"a": "😀 �"}


def test_a_schema_that_no_grammar_holds_becomes_any_object() -> None:
    assert "reply ::=" in grammar([ODD, READ])


@given(st.integers(SMALLEST_BATCH, LARGEST_BATCH), st.floats(0, 10))
def test_batches_keep_their_bounds_and_shrink_only_when_slow(size: int, seconds: float) -> None:
    after = next_batch(size, seconds)
    assert SMALLEST_BATCH <= after <= LARGEST_BATCH
    assert after <= size if seconds > 0.4 else after >= size


def header(*pairs: bytes) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs)


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def test_the_trained_context_is_read_from_the_header(tmp_path: Path) -> None:
    tags = text("general.tags") + struct.pack("<IIQ", 9, 8, 1) + text("chat")
    name = text("general.name") + struct.pack("<I", 8) + text("tiny")
    context = text("llama.context_length") + struct.pack("<II", 4, 2048)
    path = tmp_path / "m.gguf"
    path.write_bytes(header(name, tags, context))
    assert trained_context(path) == 2048
    path.write_bytes(header(name, tags))
    assert trained_context(path) is None


def test_a_vocabulary_is_not_walked_to_find_the_context(tmp_path: Path) -> None:
    words = text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 1 << 40)
    (tmp_path / "m.gguf").write_bytes(header(words))
    assert trained_context(tmp_path / "m.gguf") is None


@pytest.mark.parametrize(
    "data",
    [b"", b"GG", b"PK\x03\x04 a zip", b"GGUF", b"GGUF\x03\0\0\0\0", header(b"\xff" * 9),
     header(text("a") + struct.pack("<I", 99)), header(text("a") + struct.pack("<IQ", 8, 1 << 60))],
)  # fmt: skip
def test_what_is_no_gguf_is_an_unknown_model_with_one_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.gguf").write_bytes(data)
    with pytest.raises(UnknownModel, match=r"m\.gguf .*\.$") as caught:
        trained_context(tmp_path / "m.gguf")
    assert caught.value.hint


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="no file"):
        trained_context(tmp_path / "none.gguf")
    with pytest.raises(UnknownModel, match="cannot be read"):
        trained_context(tmp_path)
