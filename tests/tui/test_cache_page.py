"""The cache page: what it shows of each request, how it is sorted, and that it goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import OptionList

from growbox_tui.agent import events as e
from growbox_tui.agent.story import Story, StoryRow, Totals, total
from growbox_tui.screens.cache import CacheScreen
from growbox_tui.widgets.cache_chart import Column, chart, columns, dots, falls_short
from growbox_tui.widgets.cache_table import (
    FAIR,
    NO_MISS,
    NONE_YET,
    ORDERS,
    WIDE,
    detail_lines,
    left_out,
    ordered,
    request_head,
    request_line,
    totals_lines,
    waiting_line,
)
from growbox_tui.widgets.figures import dollars, short_model
from tests.tui.cuts import cuts
from tests.tui.fake_session import FakeSession, app_with, send, until
from tests.tui.specimens import NOW, PROMPT, USAGE
from tests.tui.stories import ROWS, STORY, row
from tests.tui.test_chat import ready, shown

SHARES = st.floats(0, 1, allow_nan=False)
COLUMNS = st.lists(st.builds(Column, SHARES, st.none() | SHARES), max_size=30)


# ---- figures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (None, "unknown"),
        (0.0, "$0"),
        (0.0041, "$0.0041"),
        (-0.02, "-$0.0200"),
        (12.345, "$12.35"),
        (1_122.0, "$1.1k"),
        (-999.5, "-$999.50"),
        (0.00001, "$0"),
    ],
)
def test_an_amount_fits_its_column_and_an_unknown_one_is_said_to_be_so(
    amount: float | None, words: str
) -> None:
    assert dollars(amount) == words
    assert len(words) <= 8


def test_the_sums_of_a_narrow_page_keep_the_money() -> None:
    head, session, *_ = (line.plain for line in totals_lines(STORY, 47))
    assert head.endswith("saved")
    assert session.endswith(dollars(STORY.session.saved))


def test_what_is_not_known_is_left_out_of_the_sums_and_counted() -> None:
    sums = total([row(1, 1_000, 0, 0), row(2, 2_000, 900, None), row(3, 3_000, 1_900, 1_800)])
    assert (sums.requests, sums.unreported, sums.tokens, sums.served) == (3, 1, 4_000, 1_800)
    assert sums.avoidable == 100
    unpriced = total([row(1, 1_000, 0, 0, priced=False)])
    assert (unpriced.unpriced, unpriced.cost) == (1, 0)
    assert left_out(sums) == (
        "Left out of the session's sums: 1 request did not report what was served."
    )
    assert left_out(total([row(1, 1_000, 0, 0)])) == ""


def test_sums_of_nothing_known_are_not_shown_as_zero() -> None:
    story = Story((), Totals(2, 2, 2), Totals(), Totals())
    session, today = (line.plain for line in totals_lines(story, 77)[1:3])
    assert session.count("-") == 3
    assert session.count("unknown") == 2
    assert "unknown" not in today


def test_a_report_that_is_missing_is_never_a_zero() -> None:
    line = request_line(row(3, 2_000, 900, None, "not reported", priced=False), NOW, 77).plain
    assert "not reported" in line
    assert line.count("unknown") == 2


# ---- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [40, FAIR - 1, FAIR, 77, WIDE, 197])
@pytest.mark.parametrize("each", [*ROWS, replace(ROWS[0], cause="原因" * 60, kind="provider")])
def test_every_line_is_as_wide_as_the_page(width: int, each: StoryRow) -> None:
    assert request_line(each, NOW, width).cell_length == width
    assert request_head(width, "newest").cell_length == width
    assert waiting_line(PROMPT, width).cell_length == width
    assert all(line.cell_length <= width for line in detail_lines(each, NOW, width))
    assert all(line.cell_length <= width for line in totals_lines(STORY, width))


def test_the_columns_stand_below_their_names() -> None:
    for width in (77, 140):
        head = request_head(width, "newest").plain
        line = request_line(ROWS[-1], NOW, width).plain
        for name, figure in (("tokens", "24.8k"), ("price", "$0.0162"), ("cause", "as forecast")):
            end = head.index(name) + (0 if name == "cause" else len(name))
            assert line[end:].startswith(figure) if name == "cause" else line[:end].endswith(figure)


def test_a_narrow_line_still_says_why_and_the_lines_below_say_the_rest() -> None:
    each = next(row for row in ROWS if row.kind == "expiry")
    assert "expired" in request_line(each, NOW, 47).plain
    told = " ".join(line.plain.strip() for line in detail_lines(each, NOW, 47))
    assert f"forecast {each.predicted:,}" in told
    assert "bound" in told
    assert told.endswith(short_model(each.model))


def test_rows_are_sorted_and_narrowed_to_misses() -> None:
    assert [each.request for each in ordered(ROWS, "newest", misses=False)][:2] == [28, 27]
    worst = ordered(ROWS, "avoidable", misses=True)
    assert [each.request for each in worst] == [15, 26, 24]
    assert ordered(ROWS, "tokens", misses=False)[0].tokens == max(each.tokens for each in ROWS)
    costs = [each.cost or 0.0 for each in ordered(ROWS, "price", misses=False)]
    assert costs == sorted(costs, reverse=True)


# ---- the chart -------------------------------------------------------------------------------


@given(COLUMNS, st.integers(1, 6))
def test_a_chart_has_a_cell_for_each_column_in_each_line(shown: list[Column], height: int) -> None:
    lines = chart(shown, height)
    assert [line.cell_length for line in lines] == [len(shown)] * height
    assert all("\u2800" <= sign <= "\u28ff" for line in lines for sign in line.plain)


@given(st.integers(0, 2_000), st.integers(1, 200))
def test_every_request_is_in_some_column_and_the_columns_fit(count: int, cells: int) -> None:
    shown, each = columns([ROWS[0]] * count, cells)
    assert len(shown) <= cells
    assert count <= len(shown) * each < count + each


@given(SHARES, SHARES, st.integers(1, 6))
def test_a_column_that_falls_short_is_told_by_its_shape_and_not_only_by_its_colour(
    bound: float, served: float, height: int
) -> None:
    column = Column(bound, served)
    if falls_short(column):
        full = [line.plain for line in chart([Column(bound, bound)], height)]
        assert [line.plain for line in chart([column], height)] != full


def test_only_nothing_is_empty_and_only_all_is_full() -> None:
    assert (dots(0, 3), dots(0.001, 3), dots(0.999, 3), dots(1, 3)) == (0, 1, 11, 12)


# ---- the page --------------------------------------------------------------------------------


async def opened(pilot: Any, app: Any) -> CacheScreen:
    await ready(pilot, app)
    await send(pilot, "/cache")
    await until(pilot, lambda: isinstance(app.screen, CacheScreen))
    await pilot.pause()
    assert isinstance(app.screen, CacheScreen)
    return app.screen


async def test_keys_sort_narrow_and_leave() -> None:
    app, _ = app_with(FakeSession(story=STORY))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        assert "newest first" in shown(app)
        seen = set()
        for _ in ORDERS:
            await pilot.press("s")
            seen.add(shown(app).split("\n")[0].strip())
        assert len(seen) == len(ORDERS)
        await pilot.press("m")
        assert "3 misses" in shown(app)
        assert page.query_one(OptionList).option_count == 3
        await pilot.press("m", "escape")
        assert app.screen is app.chat


async def test_the_marked_request_is_told_of_in_full() -> None:
    app, _ = app_with(FakeSession(story=STORY))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("m", "s", "down")
        await pilot.pause()
        assert "it forgot 17,900 tokens 40 s after it had served them" in shown(app)
        assert "17,900 tokens avoidable ($0.0618)" in shown(app)


async def test_a_request_appears_when_it_is_sent_and_when_it_is_answered() -> None:
    session = FakeSession(story=Story(ROWS[:27], total(ROWS[:27])))
    app, _ = app_with(session)
    async with app.run_test(size=(80, 30)) as pilot:
        page = await opened(pilot, app)
        session.say(replace(PROMPT, request=28, total=24_800, predicted=24_000))
        await until(pilot, lambda: "under way" in shown(app))
        session.story = STORY
        session.say(replace(USAGE, request=28))
        await until(pilot, lambda: "under way" not in shown(app))
        assert page.query_one(OptionList).option_count == 28
        assert "$0.7639" in shown(app)


async def test_a_request_that_is_under_way_when_the_page_opens_stands_there() -> None:
    session = FakeSession(story=Story(ROWS[:27], total(ROWS[:27])))
    app, _ = app_with(session)
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "go on")
        session.say(replace(PROMPT, request=28))
        await until(pilot, lambda: app.router.under_way is not None)
        await opened(pilot, app)
        await until(pilot, lambda: "under way" in shown(app))
        session.end()
        await until(pilot, lambda: "under way" not in shown(app))


async def test_the_mark_stays_on_its_request_while_others_come() -> None:
    session = FakeSession(story=Story(ROWS[:27], total(ROWS[:27])))
    app, _ = app_with(session)
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(pilot, app)
        await pilot.press("down")
        await until(pilot, lambda: "request 26" in shown(app))
        session.story = STORY
        session.say(USAGE)
        await until(pilot, lambda: " 28  24.8k" in shown(app))
        assert "request 26" in shown(app)


async def test_a_request_that_never_was_answered_does_not_wait_for_ever() -> None:
    session = FakeSession(story=STORY)
    app, _ = app_with(session)
    async with app.run_test(size=(80, 30)) as pilot:
        await opened(pilot, app)
        session.say(replace(PROMPT, request=29))
        await until(pilot, lambda: "under way" in shown(app))
        session.say(e.TurnEnded(1, "cancelled"))
        await until(pilot, lambda: "under way" not in shown(app))


@pytest.mark.parametrize(("story", "words"), [(Story(), NONE_YET), (STORY, NO_MISS)])
async def test_an_empty_list_says_why(story: Story, words: str) -> None:
    told = [each for each in story.rows if not each.missed]
    app, _ = app_with(FakeSession(story=replace(story, rows=tuple(told))))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        if told:
            await pilot.press("m")
        await until(pilot, lambda: words[:40] in shown(app))


async def test_pings_stand_among_the_requests_and_are_named() -> None:
    ping = replace(ROWS[-1], request=0, at=ROWS[-1].at + 1)
    app, _ = app_with(FakeSession(story=Story(ROWS[-2:], pings=(ping,))))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "ping that kept the cache alive: as forecast" in shown(app))
        assert " ping  24.8k" in shown(app)


async def test_numbers_that_were_given_twice_are_both_shown() -> None:
    app, _ = app_with(FakeSession(story=Story((ROWS[0], ROWS[1], replace(ROWS[1])))))
    async with app.run_test(size=(80, 24)) as pilot:
        page = await opened(pilot, app)
        assert page.query_one(OptionList).option_count == 3


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (110, 30), (200, 50)])
async def test_nothing_of_the_page_is_cut_at_any_size(size: tuple[int, int]) -> None:
    app, _ = app_with(FakeSession(story=STORY))
    async with app.run_test(size=size) as pilot:
        page = await opened(pilot, app)
        assert [cut for cut in cuts(app) if "OptionList" not in cut] == []
        assert page.query_one(OptionList).size.height >= 2
