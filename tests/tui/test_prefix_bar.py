from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from growbox_tui.agent.events import SegmentView, Shortfall, Warmed
from growbox_tui.widgets.cache_words import (
    NAMES,
    TONES,
    Phrase,
    best,
    classed,
    forecast,
    outcome,
    report,
    verdict,
)
from growbox_tui.widgets.prefix_bar import PATTERNS, PrefixBar, share_cells, stretches
from tests.tui.specimens import PROMPT, SEGMENTS, USAGE, Specimen, rows

TOKENS = st.lists(st.integers(0, 2_000_000), max_size=12)
VIEWS = st.lists(
    st.builds(
        SegmentView,
        name=st.sampled_from(["tools", "system", "rules", "region", "tail", "turn", "枝节点"]),
        tokens=st.integers(0, 500_000),
        state=st.sampled_from(["hit", "new", "broken"]),
    ),
    max_size=9,
)


@given(TOKENS, st.integers(0, 240))
def test_widths_sum_exactly_to_the_bar(tokens: list[int], cells: int) -> None:
    widths = share_cells(tokens, cells)
    assert len(widths) == len(tokens)
    filled = sum(1 for number in tokens if number)
    assert sum(widths) == (cells if 0 < filled <= cells else min(filled, cells))


@given(TOKENS, st.integers(12, 240))
def test_every_segment_with_tokens_has_a_cell_and_an_empty_one_has_none(
    tokens: list[int], cells: int
) -> None:
    for number, width in zip(tokens, share_cells(tokens, cells), strict=True):
        assert (width >= 1) == (number > 0)


@given(TOKENS, st.integers(12, 240))
def test_a_larger_segment_is_never_drawn_narrower(tokens: list[int], cells: int) -> None:
    widths = share_cells(tokens, cells)
    for one, its_width in zip(tokens, widths, strict=True):
        for other, other_width in zip(tokens, widths, strict=True):
            assert one <= other or its_width >= other_width


@given(TOKENS.filter(any), st.integers(12, 240))
def test_a_width_is_off_its_share_by_no_more_than_the_cells_given_to_small_ones(
    tokens: list[int], cells: int
) -> None:
    for number, width in zip(tokens, share_cells(tokens, cells), strict=True):
        share = number * cells / sum(tokens)
        assert width <= max(1, share + 1)
        assert width >= share - len(tokens)


@given(VIEWS, st.integers(9, 200))
def test_the_drawn_bar_fills_its_width_to_the_cell(views: list[SegmentView], cells: int) -> None:
    drawn = stretches(views, cells)
    assert all(cell_len(stretch.text) == stretch.cells for stretch in drawn)
    assert sum(stretch.cells for stretch in drawn) == (
        cells if any(view.tokens for view in views) else 0
    )
    assert drawn == stretches(views, cells)


def test_more_segments_than_cells_keeps_the_largest() -> None:
    assert share_cells([5, 100, 1, 50], 2) == [0, 1, 0, 1]


def test_states_differ_by_pattern_and_not_only_by_colour() -> None:
    texts = {
        stretches([SegmentView("tail", 1000, state)], 30)[0].text
        for state in ("hit", "new", "broken")
    }
    assert len(texts) == 3
    assert len(set(PATTERNS.values())) == 3


def test_names_and_counts_stand_where_they_fit() -> None:
    wide, narrow = stretches(SEGMENTS, 198), stretches(SEGMENTS, 40)
    assert " region 21.0k " in wide[3].text
    assert "rules " in wide[2].text
    assert narrow[0].text.strip("\u2590 ") == ""


@pytest.mark.parametrize(
    ("cache_read", "given_input", "words"),
    [
        (49_800, 57_100, "served 49.8k of 57.1k (87 %)"),
        (0, 57_100, "served 0 of 57.1k (0 %)"),
        (None, 57_100, "served: not reported"),
        (49_800, None, "served 49.8k, input not reported"),
    ],
)
def test_what_was_not_reported_is_never_a_zero(
    cache_read: int | None, given_input: int | None, words: str
) -> None:
    usage = replace(USAGE, cache_read=cache_read, input=given_input)
    assert report(usage).text == words


def test_until_the_report_the_prefix_held_or_the_cause_of_its_break_is_told() -> None:
    broken = replace(PROMPT, cause="broke at message 4: tools changed")
    grew = replace(PROMPT, segments=SEGMENTS[:2])
    assert verdict(PROMPT, None) == Phrase("prefix grew", "quiet")
    assert verdict(broken, None) == Phrase("broke at message 4: tools changed", "alarm")
    assert verdict(replace(grew, cause="a new epoch"), None).kind == "caution"
    assert verdict(replace(PROMPT, request=1), None).text == "first prompt"


@pytest.mark.parametrize("kind", [kind for kind in get_args(Shortfall) if kind])
def test_a_class_is_as_loud_before_the_report_as_after_it(kind: Shortfall) -> None:
    before = verdict(replace(PROMPT, kind=kind, cause="at block 3"), None)
    after = verdict(PROMPT, replace(USAGE, kind=kind, cause="at block 3"))
    assert before == after
    assert before.kind == TONES[kind]


def test_a_forecast_that_came_true_is_told_as_such() -> None:
    assert verdict(PROMPT, USAGE) == Phrase("as forecast", "good")
    silent = replace(USAGE, cache_read=None)
    assert verdict(PROMPT, silent).text == "prefix grew"
    assert verdict(PROMPT, replace(silent, kind="not reported")).text == "not reported"


def test_a_shortfall_is_told_by_its_class_and_its_cause() -> None:
    expired = replace(USAGE, cache_read=0, kind="expiry", cause="6 min passed, it lives 5")
    assert verdict(PROMPT, expired) == Phrase("expired: 6 min passed, it lives 5", "caution")
    assert verdict(PROMPT, replace(USAGE, kind="edit", cause="at block 3")).kind == "alarm"
    assert classed("not reported", "it ended before") == "it ended before"
    assert classed("provider", "provider forgot 300") == "provider forgot 300"
    assert outcome("", "the provider forgot", 100, 0) == Phrase("the provider forgot", "alarm")
    assert outcome("", "more than was sure", 100, 200).kind == "quiet"


def test_every_class_of_shortfall_has_a_name_and_a_tone() -> None:
    known = set(get_args(Shortfall)) - {""}
    assert set(NAMES) == set(TONES) == known
    assert len(set(NAMES.values())) == len(known)


def test_the_bound_is_left_out_where_nothing_was_sent_before() -> None:
    assert best(PROMPT, None) is None
    assert best(replace(PROMPT, bound=52_000), None) == Phrase("bound 52.0k", "quiet")
    assert best(replace(PROMPT, bound=52_000), replace(USAGE, bound=51_000)) == Phrase(
        "bound 51.0k", "quiet"
    )


def test_the_forecast_is_in_the_providers_tokens_once_it_reported() -> None:
    assert forecast(PROMPT, None).text == "forecast 50.1k of 57.1k"
    assert forecast(PROMPT, replace(USAGE, predicted=49_000)).text == "forecast 49.0k"


@pytest.mark.parametrize("width", [80, 200])
async def test_forecast_and_report_stand_side_by_side(width: int) -> None:
    app = Specimen()
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        line = rows(app)[2]
        assert "forecast 50.1k" in line
        assert "served 49.8k of 57.1k (87 %)" in line
        assert "as forecast" in line
        assert line.startswith(" epoch 7")


async def test_forecast_report_and_bound_fit_in_one_line_of_80_columns() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        bar = app.query_one(PrefixBar)
        bar.prompt(replace(PROMPT, bound=52_500))
        bar.usage(replace(USAGE, bound=52_500))
        await pilot.pause()
        assert bar.size.height == 2
        for words in ("forecast 50.1k", "(87 %)", "bound 52.5k", "as forecast"):
            assert words in rows(app)[2]


async def test_while_pings_keep_the_cache_alive_the_bar_says_so() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        bar = app.query_one(PrefixBar)
        bar.prompt(PROMPT)
        bar.usage(USAGE)
        bar.warmed(Warmed(2, 19, 50_000, 0.01, 0.02))
        await pilot.pause()
        assert "as forecast" in "\n".join(rows(app)[2:4])
        assert "kept warm 2 of 19, $0.02" in "\n".join(rows(app)[2:4])
        bar.prompt(PROMPT)
        await pilot.pause()
        assert "kept warm" not in "\n".join(rows(app)[:4])


async def test_a_report_for_another_request_is_not_shown() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        bar = app.query_one(PrefixBar)
        bar.prompt(replace(PROMPT, request=13))
        bar.usage(USAGE)
        await pilot.pause()
        assert "served: waiting" in rows(app)[2]


async def test_a_long_cause_takes_a_third_line_and_gives_it_back() -> None:
    cause = "broke at message 4: the tool result was trimmed again, and its bytes are others now"
    app = Specimen()
    async with app.run_test(size=(90, 24)) as pilot:
        bar = app.query_one(PrefixBar)
        bar.prompt(replace(PROMPT, cause=cause))
        await pilot.pause()
        assert bar.size.height == 3
        assert cause in rows(app)[3]
        bar.prompt(PROMPT)
        await pilot.pause()
        assert bar.size.height == 2


async def test_before_the_first_prompt_the_bar_says_so_in_words() -> None:
    app = Specimen(filled=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "no prompt sent yet" in rows(app)[1]
