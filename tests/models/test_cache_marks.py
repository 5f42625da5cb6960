from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growbox_tui.models.cache_marks import STRIDE, Stop, pays_long, place
from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.protocol import Mark, ModelFacts

CLAUDE = rules_for("anthropic/claude-sonnet-5-5", ModelFacts())
GPT = rules_for("openai/gpt-6.1-sol", ModelFacts())
RULES = [CLAUDE, GPT, rules_for("dashscope/qwen3-max", ModelFacts())]


def system(count: int = 2) -> list[Stop]:
    return [Stop("system", at) for at in range(count)]


def region(count: int) -> list[Stop]:
    return [Stop("message", 0, part=part, region=True) for part in range(count)]


def talk(count: int, *, begin: int = 1, blocks: int = 1) -> list[Stop]:
    """Messages of the user and of the model by turns."""
    return [Stop("message", begin + at, blocks=blocks, markable=at % 2 == 0) for at in range(count)]


def where(marks: tuple[Mark, ...]) -> list[tuple[str, int, int | None]]:
    return [(mark.place, mark.index, mark.part) for mark in marks]


def test_two_marks_stand_still_and_two_move():
    stops = [*system(), *region(3), *talk(5)]
    marks = place(stops, CLAUDE, previous=7)
    assert where(marks) == [
        ("system", 1, None),
        ("message", 0, 2),
        ("message", 3, None),
        ("message", 5, None),
    ]
    assert not any(mark.long or mark.read_only for mark in marks)


def test_without_a_region_or_a_request_before_there_are_fewer():
    assert where(place([*system(), *talk(1)], CLAUDE)) == [
        ("system", 1, None),
        ("message", 1, None),
    ]
    assert place([], CLAUDE) == ()


def test_a_reply_at_the_end_leaves_the_mark_before_it():
    assert where(place([*system(1), *talk(4)], GPT))[-1] == ("message", 3, None)


def test_long_entries_stand_where_the_prompt_does_and_before_all_others():
    stops = [*system(), *region(2), *talk(5)]
    marks = place(stops, CLAUDE, previous=6, long_ttl=True)
    assert [mark.long for mark in marks] == [True, True, False, False]
    no_region = place([*system(), *talk(3)], CLAUDE, previous=2, long_ttl=True)
    assert [mark.long for mark in no_region] == [True, False, False]
    assert not any(mark.long for mark in place(stops, GPT, previous=6, long_ttl=True))


def test_a_turn_of_many_blocks_gets_marks_on_the_way_where_slots_are_free():
    stops = [*system(1), *talk(61, blocks=1)]
    marks = place(stops, CLAUDE, previous=1)
    at = [index for kind, index, _ in where(marks) if kind == "message"]
    assert at == [1, 61 - STRIDE + 1, 61]
    assert len(place([*system(1), *region(1), *talk(61)], CLAUDE, previous=2)) == 4


def test_after_a_flush_the_ends_of_earlier_segments_are_offered_for_reading():
    stops = [*system(), *region(6), *talk(1)]
    marks = place(stops, GPT)
    assert [mark.part for mark in marks if mark.place == "message"][:-1] == [0, 1, 2, 3, 4, 5]
    assert [mark.read_only for mark in marks] == [True] * 4 + [False] * 4
    many = place([*system(), *region(200), *talk(1)], GPT)
    assert len(many) == 80
    assert sum(not mark.read_only for mark in many) == 4
    assert len(place(stops, GPT, previous=7)) == 3


def test_where_only_one_mark_counts_it_does_not_move():
    one = replace(CLAUDE, max_marks=1, lookback=None)
    assert where(place([*system(), *region(2), *talk(3)], one, previous=5)) == [("message", 0, 1)]
    assert where(place([*system(), *talk(3)], one)) == [("system", 1, None)]


@pytest.mark.parametrize("kind", ["none", "prefix", "units", "slot"])
def test_caches_of_another_kind_are_asked_for_nothing(kind: str):
    rules = CacheRules(kind, 300)  # type: ignore[arg-type]
    assert place([*system(), *talk(3)], rules) == ()
    assert place([*system(), *talk(3)], replace(GPT, max_marks=0)) == ()


@st.composite
def prompts(draw: st.DrawFn) -> tuple[list[Stop], int | None]:
    stops = [
        *system(draw(st.integers(0, 3))),
        *region(draw(st.integers(0, 90))),
        *[
            Stop("message", at + 1, blocks=blocks, markable=markable)
            for at, (blocks, markable) in enumerate(
                draw(st.lists(st.tuples(st.integers(1, 40), st.booleans()), max_size=30))
            )
        ],
    ]
    previous = draw(st.none() | st.integers(0, max(0, len(stops) - 1)))
    return stops, previous


@settings(max_examples=200, deadline=None)
@given(prompts(), st.sampled_from(RULES), st.booleans())
def test_marks_are_few_in_order_each_once_and_only_where_they_may_stand(
    prompt: tuple[list[Stop], int | None], rules: CacheRules, long_ttl: bool
):
    stops, previous = prompt
    marks = place(stops, rules, previous=previous, long_ttl=long_ttl)
    assert marks == place(stops, rules, previous=previous, long_ttl=long_ttl)
    keys = [(stop.place, stop.index, stop.part) for stop in stops]
    at = [keys.index(key) for key in where(marks)]
    assert at == sorted(set(at))
    assert all(stops[each].markable for each in at)
    written = [mark for mark in marks if not mark.read_only]
    assert len(written) <= rules.max_marks
    assert len(marks) <= max(rules.max_marks, rules.read_marks)
    assert list(marks[len(marks) - len(written) :]) == written
    longs = [mark.long for mark in written]
    assert longs == sorted(longs, reverse=True)
    fit = [each for each, stop in enumerate(stops) if stop.markable]
    assert at[-1:] == fit[-1:]
    if stops and previous is not None and stops[previous].markable:
        assert previous in at


@pytest.mark.parametrize(
    ("gaps", "pays"),
    [
        ([], False),
        ([5, 20, 60] * 10, False),
        ([600], False),
        ([600, 10, 900], True),
        ([600, 900, 9000], True),
        ([600, 900, 9000, 9000, 9000, 9000], False),
    ],
)
def test_long_entries_pay_where_pauses_lie_between_the_two_lives(gaps: list[float], pays: bool):
    assert pays_long(gaps, 30_000, CLAUDE) is pays


def test_long_entries_never_pay_where_there_are_none_or_nothing_is_cached():
    assert not pays_long([600] * 9, 30_000, GPT)
    assert not pays_long([600] * 9, 100, CLAUDE)
