from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import Message, Text, message_to_json
from growbox_tui.agent.prompt import Seen, forecast, lay_out, shortfall
from memory.types import Entry, Epoch, Item

EPOCH = Epoch(1, ('{"name":"a"}', '{"name":"b"}'), ("system", "about hands", "rules"), (), 1, "")


def entry(seq: int, turn: int, role: str, text: str) -> Entry:
    body = message_to_json(Message(role, (Text(text),)))  # type: ignore[arg-type]
    return Entry(seq, turn, role, body, len(text), None, ())  # type: ignore[arg-type]


TALK = [
    entry(1, 1, "user", "first question"),
    entry(2, 1, "assistant", "first answer"),
    entry(3, 2, "user", "second question"),
]


def test_the_prompt_is_laid_out_most_stable_first() -> None:
    epoch = replace(EPOCH, items=(Item("n1", "remembered", 3),))
    prompt = lay_out(epoch, TALK, turn=2, with_tools=True)
    names = [block.segment for block in prompt.blocks]
    assert names == ["tools"] * 2 + ["system"] * 2 + ["rules", "region", "tail", "tail", "turn"]


def test_the_region_stands_before_the_first_words_in_one_message() -> None:
    epoch = replace(EPOCH, items=(Item("n1", "remembered", 3),))
    first = lay_out(epoch, TALK, turn=2, with_tools=True).request.messages[0]
    assert first == Message("user", (Text("remembered"), Text("first question")))


def test_a_model_without_hands_is_offered_none() -> None:
    prompt = lay_out(EPOCH, TALK, turn=2, with_tools=False)
    assert prompt.request.tools == ()
    assert prompt.request.system == ("system", "rules")
    assert prompt.blocks[0].segment == "system"


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8), st.data())
def test_what_only_grows_is_forecast_to_be_served_whole(
    texts: list[str], data: st.DataObject
) -> None:
    talk = [entry(n, n, "user", text) for n, text in enumerate(texts, 1)]
    cut = data.draw(st.integers(1, len(talk)))
    before = lay_out(EPOCH, talk[:cut], turn=cut, with_tools=True)
    after = lay_out(EPOCH, talk, turn=len(talk), with_tools=True)
    expected = forecast(after, "m", Seen("m", before.blocks))
    assert expected.tokens == before.tokens
    assert expected.cause == ""
    assert {segment.state for segment in expected.segments} <= {"hit", "new"}
    assert sum(segment.tokens for segment in expected.segments) == after.tokens


def test_a_change_in_the_middle_breaks_what_stands_behind_it_and_says_where() -> None:
    before = lay_out(EPOCH, TALK, turn=2, with_tools=True)
    changed = [entry(1, 1, "user", "another question"), *TALK[1:]]
    expected = forecast(
        lay_out(EPOCH, changed, turn=2, with_tools=True), "m", Seen("m", before.blocks)
    )
    assert [segment.state for segment in expected.segments] == [
        "hit",
        "hit",
        "hit",
        "broken",
        "broken",
    ]
    assert expected.cause == "the prefix broke at block 6, in tail"


def test_the_first_request_has_nothing_to_be_served() -> None:
    expected = forecast(lay_out(EPOCH, TALK, turn=2, with_tools=True), "m", None)
    assert expected.tokens == 0
    assert expected.cause == ""


def test_another_model_knows_nothing_of_the_prompt() -> None:
    prompt = lay_out(EPOCH, TALK, turn=2, with_tools=True)
    expected = forecast(prompt, "b", Seen("a", prompt.blocks))
    assert (expected.tokens, expected.cause) == (0, "the model changed from a")


def test_a_seen_request_comes_back_from_disk_as_it_was() -> None:
    seen = Seen("m", lay_out(EPOCH, TALK, turn=2, with_tools=True).blocks, 7)
    assert Seen.from_json(seen.to_json()) == seen


def test_a_small_gap_between_forecast_and_report_is_no_difference() -> None:
    assert shortfall(1_000, 1_100, 1_100, 900) == (1_000, "")


def test_a_report_of_nothing_served_says_what_that_can_mean() -> None:
    scaled, cause = shortfall(9_000, 10_000, 8_000, 0)
    assert scaled == 7_200
    assert cause.startswith("the provider served nothing")
