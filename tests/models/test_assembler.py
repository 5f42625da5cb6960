import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import Text, Thinking, Usage
from growbox_tui.models.assembler import Assembler
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    EmptyReply,
    Overloaded,
    Reply,
    TextPiece,
    ThinkingPiece,
)


def put(*calls: tuple[str, int | None, str, str], finish: str = "tool_calls", **more) -> Reply:
    assembler = Assembler("p/m", **more)
    for call in calls:
        assembler.call(*call)
    assembler.finish(finish)
    return assembler.reply()


def made(reply: Reply) -> list[tuple[str, str, str]]:
    return [(call.id, call.name, call.arguments) for call in reply.message.calls]


def said(*pieces: str, finish: str = "stop") -> tuple[Reply, list]:
    assembler = Assembler("p/m")
    deltas = [delta for piece in pieces for delta in assembler.text(piece)]
    assembler.finish(finish)
    deltas += assembler.flush()
    return assembler.reply(), deltas


def test_fragments_of_one_index_are_joined():
    reply = put(("c1", 0, "read", ""), ("", 0, "", '{"a"'), ("", 0, "", ":1}"))
    assert made(reply) == [("c1", "read", '{"a":1}')]
    assert reply.stop == "tool_calls"
    assert not reply.broken


def test_a_new_id_starts_a_call_though_the_index_repeats():
    reply = put(("c1", 0, "read", '{"a":1}'), ("c2", 0, "read", '{"a":2}'))
    assert made(reply) == [("c1", "read", '{"a":1}'), ("c2", "read", '{"a":2}')]


def test_interleaved_calls_keep_their_own_arguments():
    reply = put(
        ("c1", 0, "a", ""), ("c2", 1, "b", ""), ("", 0, "", '{"x":'), ("", 1, "", '{"y":'),
        ("", 0, "", "1}"), ("", 1, "", "2}"),
    )  # fmt: skip
    assert made(reply) == [("c1", "a", '{"x":1}'), ("c2", "b", '{"y":2}')]


def test_calls_without_id_and_index_stay_apart():
    reply = put(("", None, "a", '{"x":1}'), ("", None, "b", '{"y":2}'), ("", None, "b", '{"y":2}'))
    assert [name for _, name, _ in made(reply)] == ["a", "b", "b"]
    assert [call_id for call_id, _, _ in made(reply)] == ["call_0", "call_1", "call_2"]


def test_a_cut_call_is_not_completed_by_the_next_one():
    reply = put(("", 0, "shell", '{"command":"rm -rf '), ("", 0, "read", '{"path":"a"}'))
    assert made(reply) == [("call_0", "shell", "{}"), ("call_1", "read", '{"path":"a"}')]
    assert set(reply.broken) == {"call_0"}


def test_an_id_that_comes_late_belongs_to_the_call_of_its_index():
    reply = put(("", 0, "read", ""), ("c9", 0, "", '{"a":1}'))
    assert made(reply) == [("c9", "read", '{"a":1}')]


def test_a_split_name_is_joined_and_a_repeated_one_is_not():
    assert (
        made(put(("c", 0, "read_", ""), ("", 0, "file", ""), ("", 0, "", "{}")))[0][1]
        == "read_file"
    )
    reply = put(("c", 0, "read", '{"a":'), ("c", 0, "read", "1}"))
    assert made(reply) == [("c", "read", '{"a":1}')]


def test_the_same_id_twice_and_ids_of_earlier_turns_get_ids_of_their_own():
    reply = put(("c1", 0, "a", "{}"), ("c1", 1, "b", "{}"), taken={"c1_2"})
    assert [call_id for call_id, _, _ in made(reply)] == ["c1", "c1_3"]
    assert made(put(("c1", 0, "a", "{}"), taken={"c1"}))[0][0] == "c1_2"


def test_phantom_slots_vanish():
    assert made(put(("", 0, "", ""), ("c1", 1, "a", "{}"))) == [("c1", "a", "{}")]


def test_an_empty_object_before_the_real_arguments_is_dropped():
    assert made(put(("c", 0, "a", "{}"), ("", 0, "", '{"x":1}'))) == [("c", "a", '{"x":1}')]


@pytest.mark.parametrize("finish", ["length", "max_tokens", "content_filter", "something_new"])
def test_no_call_of_a_reply_that_was_cut_may_run_even_when_it_parses(finish: str):
    reply = put(("c1", 0, "a", '{"x":1}'), ("c2", 1, "b", '{"y":'), finish=finish)
    assert set(reply.broken) == {"c1", "c2"}
    assert json.loads(reply.message.calls[1].arguments) == {}


def test_a_call_that_fills_the_whole_limit_is_taken_for_cut():
    assembler = Assembler("p/m", max_output=50)
    assembler.call("c", 0, "a", "{}")
    assembler.usage({"prompt_tokens": 9, "completion_tokens": 50})
    assembler.finish("tool_calls")
    assert set(assembler.reply().broken) == {"c"}


def test_calls_beyond_thirty_two_are_broken_with_the_reason():
    reply = put(*((f"c{n}", n, "a", "{}") for n in range(40)))
    assert len(reply.broken) == 8
    assert "too many calls" in reply.broken["c39"]


def test_a_reply_without_a_reason_for_its_end_is_cut():
    assembler = Assembler("p/m")
    assembler.text("half")
    with pytest.raises(CutStream):
        assembler.reply()


def test_a_success_without_words_is_empty_whatever_was_thought():
    assembler = Assembler("p/m")
    assembler.thinking("hm")
    assembler.finish("stop")
    with pytest.raises(EmptyReply):
        assembler.reply()


def test_a_length_stop_in_the_middle_of_a_thought_is_a_reply_that_was_cut():
    assembler = Assembler("p/m")
    assembler.thinking("hm")
    assembler.finish("length")
    assert assembler.reply().stop == "length"


def test_finish_reasons_that_mean_failure_are_errors():
    with pytest.raises(CutStream):
        Assembler("p/m").finish("error")
    with pytest.raises(Overloaded):
        Assembler("p/m").finish("insufficient_system_resource")


def test_an_unknown_finish_reason_is_kept_and_told():
    reply, _ = said("Hello", finish="moonphase")
    assert reply.stop == "unknown"
    assert "moonphase" in reply.notice


def test_a_second_finish_reason_does_not_heal_a_cut():
    assembler = Assembler("p/m")
    assembler.call("c", 0, "a", "{}")
    assembler.finish("length")
    assembler.finish("stop")
    assert set(assembler.reply().broken) == {"c"}


def test_stop_with_calls_means_calls_and_tool_calls_without_any_means_end():
    assert put(("c", 0, "a", "{}"), finish="stop").stop == "tool_calls"
    assert said("Hi", finish="tool_calls")[0].stop == "end"


def test_halves_of_a_character_in_two_pieces_are_joined_and_lone_ones_replaced():
    reply, deltas = said("x\ud83d", "\ude00 y\ud83d")
    assert reply.message.text == "x\U0001f600 y\ufffd"
    assert "".join(delta.text for delta in deltas) == reply.message.text


def test_reasoning_in_tags_at_the_start_is_told_from_the_answer():
    reply, deltas = said("<th", "ink>plan a", "</thi", "nk>\n\n", "Hello <think>")
    assert reply.message.parts == (Thinking("plan a", "p/m"), Text("Hello <think>"))
    assert deltas[0] == ThinkingPiece("plan a")
    assert deltas[-1] == TextPiece("Hello <think>")


def test_text_that_only_looks_like_a_tag_is_shown():
    assert said("<thx")[0].message.text == "<thx"
    assert said("<thi")[0].message.text == "<thi"


def test_a_reply_that_does_not_stop_is_refused():
    assembler = Assembler("p/m", max_output=10)
    with pytest.raises(BadReply):
        for _ in range(100):
            assembler.text("0123456789")


def test_one_long_token_is_no_reply_that_does_not_stop():
    assembler = Assembler("p/m", max_output=1)
    assembler.text(" " * 128)
    assembler.finish("length")
    assert assembler.reply().stop == "length"


def test_refusal_words_are_kept_and_stop_the_turn():
    assembler = Assembler("p/m")
    assembler.text("I will not.", refusal=True)
    assembler.finish("stop")
    reply = assembler.reply()
    assert (reply.stop, reply.message.text) == ("refusal", "I will not.")


def test_a_call_written_as_text_stays_text_and_is_told():
    assembler = Assembler("p/m", tools=True)
    assembler.text('<tool_call>{"name":"shell"}</tool_call>')
    assembler.finish("stop")
    reply = assembler.reply()
    assert reply.message.calls == ()
    assert "not run" in reply.notice


def test_usage_that_nobody_reported_is_unknown():
    assert said("Hi")[0].usage is None


def test_later_usage_completes_earlier_usage():
    assembler = Assembler("p/m")
    assembler.text("Hi")
    assembler.usage({"input_tokens": 5, "cache_read_input_tokens": 20, "output_tokens": 1})
    assembler.usage({"output_tokens": 9, "input_tokens": 0})
    assembler.finish("end_turn")
    assert assembler.reply().usage == Usage(25, 9, 20)


CALLS = st.lists(
    st.tuples(
        st.sampled_from(["read", "shell", "read_file"]),
        st.dictionaries(st.text(max_size=5), st.text(max_size=8), max_size=3).map(json.dumps),
    ),
    min_size=1,
    max_size=4,
)


@given(CALLS, st.integers(1, 9), st.sampled_from(["both", "id", "index"]))
def test_calls_come_out_as_they_went_in_however_their_arguments_are_cut(calls, size, keys):
    fragments = []
    for place, (name, text) in enumerate(calls):
        call_id = f"c{place}" if keys != "index" else ""
        index = place if keys != "id" else None
        fragments.append((call_id, index, name, ""))
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        fragments += [("", index, "", piece) for piece in pieces]
    reply = put(*fragments)
    assert [(call.name, call.arguments) for call in reply.message.calls] == calls
    assert not reply.broken


@given(CALLS, st.data())
def test_a_call_that_was_cut_anywhere_never_runs(calls, data):
    *whole, (name, text) = calls
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    fragments = [
        (f"c{at}", at, tool, words) for at, (tool, words) in enumerate([*whole, (name, cut)])
    ]
    reply = put(*fragments)
    assert list(reply.broken) == [f"c{len(whole)}"]
