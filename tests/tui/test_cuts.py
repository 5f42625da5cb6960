"""Lines: where they may be broken, and that a line which loses its end is found out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from growbox_tui.agent import events as e
from growbox_tui.tellings import turn_ended
from growbox_tui.widgets.line_breaks import broken, spans
from growbox_tui.widgets.page import Page, Row
from growbox_tui.widgets.tool_card import head_line, seconds_words
from tests.tui.cuts import cuts

MIXED = st.text("枝节点，。「」（）abc def  .,!é", max_size=40)


@given(MIXED, st.integers(2, 20))
def test_no_row_is_too_wide_and_only_spaces_are_lost(text: str, room: int) -> None:
    rows = spans(text, room)
    assert all(cell_len(text[start:end]) <= room for start, end in rows)
    position = 0
    for start, end in rows:
        assert not text[position:start].strip()
        position = max(position, end)
    assert not text[position:].strip()


@pytest.mark.parametrize(
    ("text", "room", "rows"),
    [
        ("我们在五月三日讨论过", 10, ["我们在五月", "三日讨论过"]),
        ("见 is_leaf() 的约定", 14, ["见 is_leaf()", "的约定"]),
        ("他说「好」。", 8, ["他说", "「好」。"]),
        ("枝节点，会跳过", 6, ["枝节", "点，会", "跳过"]),
        ("plain words only", 8, ["plain", "words", "only"]),
    ],
)
def test_a_row_ends_after_a_word_or_an_ideograph(text: str, room: int, rows: list[str]) -> None:
    assert [piece.plain.rstrip() for piece in broken(Content(text), room)] == rows


def test_how_a_call_went_is_kept_where_its_title_has_to_be_cut() -> None:
    row = head_line(("✗", ""), "shell", "make docs " * 20, "exit 2", "2 m 05 s", 60).plain
    assert row.endswith("…   exit 2   2 m 05 s")
    assert cell_len(row) == 60
    assert head_line(("●", ""), "shell", "ls", "exit 0", "14 s", 40).plain.endswith("14 s")


def test_times_are_told_in_the_unit_that_fits() -> None:
    assert [seconds_words(given) for given in (0.0004, 0.02, 0.31, 14.2, 125)] == [
        "1 ms", "20 ms", "0.3 s", "14 s", "2 m 05 s",
    ]  # fmt: skip


def test_the_end_of_a_turn_is_told_in_whole_sentences() -> None:
    failed = e.TurnEnded(1, "failed", "nobody answered")
    assert turn_ended(failed).text == "The turn failed. Nobody answered."
    stopped = turn_ended(e.TurnEnded(1, "cancelled", "stopped by the user"))
    assert (stopped.text, stopped.hint) == ("Stopped.", "")


class Wide(App[None]):
    """One page that breaks its lines too late, and one that does not."""

    def compose(self) -> ComposeResult:
        yield Static(Page(lambda width: [Row(Content("x" * (width + 1)))]), markup=False)
        yield Static(Page(lambda width: [Row(Content("y" * width))]), markup=False)
        yield Static("some words that break where they should " * 4, markup=False)


async def test_a_line_that_loses_its_end_is_found_out() -> None:
    app: Any = Wide()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        assert cuts(app) == [f"Static: {'x' * 41!r}"]
