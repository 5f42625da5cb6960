from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from growbox_tui.agent import events
from growbox_tui.widgets.figures import (
    HEAT,
    count,
    fit,
    fit_left,
    money,
    pad,
    pad_left,
    percent,
    short_path,
    size,
    when,
)
from growbox_tui.widgets.memory_panel import MemoryPanel, ways_found
from growbox_tui.widgets.plan_list import MOST, PlanList, visible
from growbox_tui.widgets.status_line import GAUGE, StatusLine, gauge, is_moving
from growbox_tui.widgets.title_line import TitleLine
from tests.tui.specimens import ITEMS, PLAN, RECALLED, STATE, Specimen, rows, shown

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
WIDTHS = SHARED / "cases" / "growbox-anchor-cases" / "width_cases.jsonl"
CASES = (
    [json.loads(line) for line in WIDTHS.read_text(encoding="utf-8").splitlines() if line]
    if WIDTHS.exists()
    else []
)
SIGNS = st.sampled_from([*"abc /.", "你", "，", "한", "👍🏽", "❤️", "é", "\u3000"])
WORDS = st.lists(SIGNS, max_size=30).map("".join)
NOW = datetime(2026, 5, 3, 15, 0, tzinfo=UTC)

if CASES:

    @pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
    def test_other_scripts_take_the_cells_that_they_take(case: dict[str, str | int]) -> None:
        text = str(case["text"])
        assert cell_len(text) == case["cells"]
        assert cell_len(pad(text, 12)) == 12
        assert cell_len(pad_left(text, 12)) == 12


@given(WORDS, st.integers(0, 24))
def test_what_is_fitted_never_outgrows_its_cells(text: str, cells: int) -> None:
    for cut in (fit(text, cells), fit_left(text, cells), short_path(text, "/home/ada", cells)):
        assert cell_len(cut) <= cells
    assert cell_len(pad(text, cells)) == cells == cell_len(pad_left(text, cells))


def test_what_fits_is_left_as_it_is() -> None:
    assert fit("枝节点", 6) == "枝节点"
    assert fit("枝节点", 5) == "枝..."
    assert fit_left("mem://0123456789", 9) == "...456789"


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (999, "999"), (9_100, "9.1k"), (41_000, "41.0k"), (128_000, "128k"),
     (999_949, "1000k"), (999_950, "1.0M"), (1_250_000, "1.2M")],
)  # fmt: skip
def test_tokens_are_written_short(number: int, words: str) -> None:
    assert count(number) == words


def test_an_unknown_cost_is_not_free() -> None:
    assert money(None) == "cost unknown"
    assert (money(0.0), money(0.004), money(1234.5)) == ("$0.00", "<$0.01", "$1,234.50")


def test_only_all_is_a_hundred_percent_and_only_none_is_zero() -> None:
    assert [percent(share) for share in (0, 0.001, 0.873, 0.999, 1)] == [
        "0 %", "1 %", "87 %", "99 %", "100 %",
    ]  # fmt: skip


def test_bytes_are_written_short() -> None:
    assert [size(number) for number in (512, 4300, 48_234_496)] == ["512 B", "4.2 KiB", "46.0 MiB"]


def test_times_are_told_where_the_reader_is() -> None:
    east = timezone(timedelta(hours=8))
    assert when("2026-05-03 14:02", NOW, UTC) == "14:02"
    assert when("2026-05-02 22:30", NOW, east) == "06:30"
    assert when("2026-04-28 09:00", NOW, UTC) == "28 Apr"
    assert when("2024-04-28 09:00", NOW, UTC) == "2024"
    assert when("sometime", NOW, UTC) == "sometime"


def test_a_path_keeps_its_end() -> None:
    assert short_path("/home/ada/src/orchard", "/home/ada", 40) == "~/src/orchard"
    assert short_path("/home/ada/src/very/deep/orchard", "/home/ada", 16) == ".../deep/orchard"
    assert short_path("/home/adam/x", "/home/ada", 40) == "/home/adam/x"


# ---- status line -----------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["thinking", "Writing", "running shell", "retrying in 4 s"])
def test_work_under_way_moves(state: str) -> None:
    assert is_moving(state)


@pytest.mark.parametrize("state", ["", "ready", "Idle", "stopped", "failed", "waiting for you"])
def test_rest_stands_still(state: str) -> None:
    assert not is_moving(state)


@given(st.integers(0, 10**7), st.integers(1, 10**7))
def test_the_gauge_is_empty_only_at_nothing_and_full_only_at_all(used: int, context: int) -> None:
    cells = gauge(used, context)
    assert (cells == 0) == (used == 0)
    assert (cells == GAUGE) == (used >= context)


async def test_the_throbber_turns_while_thinking_and_stops_at_rest() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        line = app.query_one(StatusLine)
        assert line.moving
        line.update_figures("openai/gpt-5-mini", None, None, None, None, "ready")
        await pilot.pause()
        assert not line.moving
        assert line._timer is not None and not line._timer._active.is_set()
        assert rows(app)[-1].startswith(" ready")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
async def test_status_says_model_cost_context_and_cache(width: int) -> None:
    app = Specimen()
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        line = rows(app)[-1]
        for words in ("thinking", "claude-sonnet-4-5", "$0.41", "57.1k / 200k"):
            assert words in line
        assert ("cache 87 %" in line) == (width > 60)


async def test_status_does_not_turn_what_it_does_not_know_into_zero() -> None:
    app = Specimen()
    async with app.run_test(size=(120, 24)) as pilot:
        app.query_one(StatusLine).update_figures("m", None, 1_200, None, None, "ready")
        await pilot.pause()
        line = rows(app)[-1]
        assert "cost unknown" in line
        assert "1.2k tokens" in line
        assert "cache not reported" in line


async def test_before_the_first_prompt_status_names_the_model_and_no_figures() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(StatusLine).update_figures("a/b", None, None, 8_000, None, "ready")
        await pilot.pause()
        assert rows(app)[-1].split() == ["ready", "a/b"]


# ---- title line ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [60, 80, 200])
async def test_title_says_folder_branch_and_that_it_is_a_demo(width: int) -> None:
    app = Specimen()
    async with app.run_test(size=(width, 24)) as pilot:
        await pilot.pause()
        line = rows(app)[0]
        assert line.startswith(" growbox  /home/ada/src/orchard")
        assert "main*" in line
        assert line.rstrip().endswith("DEMO")


async def test_a_long_folder_and_branch_are_shortened_and_whole_in_the_tooltip() -> None:
    app = Specimen()
    project = "/srv/" + "很长的名字/" * 12 + "orchard"
    async with app.run_test(size=(80, 24)) as pilot:
        title = app.query_one(TitleLine)
        title.show(project, "feature/" + "x" * 60, "openai/gpt-5-mini", False)
        await pilot.pause()
        line = rows(app)[0]
        assert "orchard" in line and cell_len(line) == 80
        assert project in str(title.tooltip)


# ---- memory panel ----------------------------------------------------------------------------


async def test_the_panel_lists_the_window_hottest_first_and_counts_the_rest() -> None:
    app = Specimen()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        text = shown(app)
        assert "In the window" in text
        assert text.index("graft.py children_done") < text.index("branch naming")
        assert "more (f2)" in text
        assert "3 memories in 21 ms" in text
        assert "2 text, 2 vector, 1 time" in text
        assert "12,431" in text and "46.0 MiB" in text


async def test_the_panel_shows_heat_by_glyph() -> None:
    app = Specimen()
    async with app.run_test(size=(120, 60)) as pilot:
        await pilot.pause()
        assert all(glyph in shown(app) for glyph in HEAT)
        assert "more (f2)" not in shown(app)


async def test_an_empty_panel_says_so_in_words() -> None:
    app = Specimen(filled=False)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        text = shown(app)
        assert "nothing remembered stands before" in text
        assert "nothing recalled yet" in text
        assert "the memory file is not open yet" in text


async def test_a_recall_that_could_not_try_all_ways_says_so() -> None:
    app = Specimen()
    async with app.run_test(size=(120, 30)) as pilot:
        app.query_one(MemoryPanel).recalled(replace(RECALLED, complete=False))
        await pilot.pause()
        assert "not all ways could be tried" in shown(app)


def test_a_way_that_found_nothing_is_counted_as_zero() -> None:
    assert ways_found(replace(RECALLED, hits=())) == "0 text, 0 vector, 0 time"


async def test_labels_from_outside_cannot_bring_sequences_or_markup_to_the_screen() -> None:
    bad = replace(ITEMS[0], label="\x1b]0;owned\x07[bold]x[/]\u202eevil\nnext")
    app = Specimen()
    async with app.run_test(size=(120, 30)) as pilot:
        app.query_one(MemoryPanel).window(events.WindowChanged((bad,)))
        await pilot.pause()
        text = shown(app)
        assert "[bold]x[/]" in text
        assert not set(text) & {"\x1b", "\x07", "\u202e"}


# ---- plan ------------------------------------------------------------------------------------


async def test_the_plan_shows_each_step_with_its_state_and_hides_when_empty() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        plan = app.query_one(PlanList)
        assert plan.size.height == len(PLAN)
        assert "\u2713 Find where" in shown(app)
        assert "\u25b8 Write a failing test for 枝节点" in shown(app)
        plan.show(())
        await pilot.pause()
        assert not plan.display


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_long_plan_keeps_the_current_step_in_view(done: int, to_come: int) -> None:
    items = [events.PlanItem(str(n), "done") for n in range(done)]
    items += [events.PlanItem(str(done + n), "open") for n in range(to_come)]
    shown_steps = visible(items, MOST)
    assert len(shown_steps) <= MOST
    if to_come:
        assert done in shown_steps


# ---- the whole -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_fixed_chrome_has_no_sign_of_ambiguous_width(size: tuple[int, int]) -> None:
    app = Specimen()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        chrome = set("".join([*rows(app)[:3], rows(app)[-1]]))
        assert {sign for sign in chrome if unicodedata.east_asian_width(sign) == "A"} == set()


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_the_chrome_renders_to_an_svg_as_wide_as_the_screen(size: tuple[int, int]) -> None:
    app = Specimen()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert all(cell_len(row) == size[0] for row in rows(app))
        svg = app.export_screenshot()
        assert "region" in svg and "growbox" in svg


async def test_themes_change_live_without_anything_being_told_again() -> None:
    app = Specimen("growbox-dark")
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        before = app.export_screenshot()
        app.theme = "paper"
        await pilot.pause()
        after = app.export_screenshot()
        dark, paper = app.get_theme("growbox-dark"), app.get_theme("paper")
        assert dark is not None and paper is not None
        for theme, there, gone in ((dark, before, after), (paper, after, before)):
            assert str(theme.background).lower() in there.lower()
            assert str(theme.background).lower() not in gone.lower()
            assert theme.variables["prefix-hit"].lower() in there.lower()
            assert theme.variables["prefix-hit"].lower() not in gone.lower()


def test_figures_of_memory_are_right_aligned_whatever_their_length() -> None:
    from growbox_tui.widgets.memory_panel import state_lines

    for state in (STATE, replace(STATE, nodes=3, embedded=0, bytes=10)):
        assert {line.cell_length for line in state_lines(state, 32)} == {32}
