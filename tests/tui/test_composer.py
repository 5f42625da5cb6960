"""The composer: graphemes, pastes, history, completion, and where the cursor is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.geometry import Offset

from growbox_tui.agent import events as e
from growbox_tui.widgets.composer import Composer, Draft, chip_for
from growbox_tui.widgets.graphemes import boundary, end_of, start_of
from growbox_tui.widgets.safe_text import safe, typed
from tests.tui.fake_session import app_with, terminal, until

CASES = (
    Path(__file__).resolve().parents[2].parent
    / "shared/cases/growbox-anchor-cases/grapheme_edit_cases.jsonl"
)
FAMILY, THUMB, ACUTE, FLAGS = "👨‍👩‍👧", "👍🏽", "e\u0301", "🇫🇷🇩🇪"


class Desk(App[None]):
    """A composer alone."""

    def __init__(self) -> None:
        super().__init__()
        self.composer = Composer()
        self.sent: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.composer

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.sent.append(event.text)


async def paste(pilot: Any, desk: Any, composer: Composer, text: str) -> None:
    composer.post_message(Paste(text))
    await pilot.pause()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a{FAMILY}", "a"),
        (f"a{THUMB}", "a"),
        (f"caf{ACUTE}", "caf"),
        (FLAGS, "🇫🇷"),
        ("1️⃣", ""),
        ("각", ""),
        ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", ""),
        ("你好", "你"),
    ],
)
async def test_backspace_takes_one_whole_grapheme(text: str, left: str) -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        desk.composer.put(Draft(text))
        await pilot.press("backspace")
        assert desk.composer.text == left


async def test_delete_and_the_arrows_go_by_whole_graphemes() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        desk.composer.put(Draft(f"{FAMILY}{THUMB}x"))
        await pilot.press("left", "left")
        assert desk.composer.cursor_location == (0, len(FAMILY))
        await pilot.press("delete")
        assert desk.composer.text == f"{FAMILY}x"
        await pilot.press("home", "right")
        assert desk.composer.cursor_location == (0, len(FAMILY))


async def test_the_cursor_never_rests_inside_a_grapheme() -> None:
    desk = Desk()
    async with desk.run_test():
        desk.composer.put(Draft(f"a{FAMILY}b"))
        desk.composer.move_cursor((0, 3))
        assert desk.composer.cursor_location == (0, 1 + len(FAMILY))


async def test_every_cut_of_mixed_text_is_survived() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        text = f"中文 {FAMILY} ab{ACUTE}{FLAGS}"
        for column in range(len(text) + 1):
            for cut in ("left", "right", "word_left", "word_right", "to_start_of_line"):
                desk.composer.put(Draft(text))
                desk.composer.move_cursor((0, column))
                getattr(desk.composer, f"action_delete_{cut}")()
                assert len(desk.composer.text) <= len(text)
        await pilot.pause()


@given(st.text(alphabet="ab你👨👩\u200d\u0301🏽🇫🇷각1️⃣", max_size=12))
def test_graphemes_cover_a_text_without_gaps(text: str) -> None:
    forth = [0]
    while forth[-1] < len(text):
        forth.append(end_of(text, forth[-1]))
    back = [len(text)]
    while back[-1] > 0:
        back.append(start_of(text, back[-1]))
    assert forth == back[::-1]
    assert all(boundary(text, index) == index for index in forth)


async def test_the_terminal_cursor_stands_after_wide_characters() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        composer = app.chat.composer
        await until(pilot, lambda: app.cursor_position == composer.region.offset)
        start = composer.cursor_screen_offset
        await terminal(pilot, "你好，a世界")
        await until(pilot, lambda: app.cursor_position == start + Offset(11, 0))
        assert composer.text == "你好，a世界"
        await pilot.press("ctrl+j")
        await until(pilot, lambda: composer.size.height == 2)
        await pilot.press("backspace")
        await until(pilot, lambda: composer.size.height == 1)
        await until(pilot, lambda: app.cursor_position == start + Offset(11, 0))
        await pilot.resize_terminal(80, 30)
        await until(pilot, lambda: app.cursor_position == start + Offset(11, 6))


async def test_the_terminal_cursor_stays_while_an_answer_streams() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.session is not None)
        await terminal(pilot, "你好")
        at = app.cursor_position
        session.say(e.MessageStarted(1), e.TextDelta("word\n\n" * 50))
        await until(pilot, lambda: app.chat.conversation.live.updates)
        assert app.cursor_position == at


async def test_a_burst_of_characters_from_an_input_method_arrives_whole() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        await terminal(pilot, "你好，世界、")
        assert desk.composer.text == "你好，世界、"


async def test_a_broken_mouse_report_is_not_text() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        await terminal(pilot, "ab")
        await terminal(pilot, "\x1b[<0;NaN;NaNM")
        await terminal(pilot, "\x1b[<35;NaN;12m")
        await terminal(pilot, "M[<1;2;3M")
        assert desk.composer.text.startswith("ab") and "NaN" not in desk.composer.text


async def test_a_paste_keeps_its_lines_and_never_sends() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        await paste(pilot, desk, desk.composer, "第一行\r\n第二行\rthird\x1b[31m\x00")
        assert desk.composer.text == "第一行\n第二行\nthird"
        assert desk.sent == []


async def test_a_big_paste_is_a_chip_and_is_sent_whole() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        text = "\n".join(f"line {number}" for number in range(10_000))
        await pilot.press("a", "space")
        await paste(pilot, desk, desk.composer, text)
        await paste(pilot, desk, desk.composer, "你" * 200_000)
        assert desk.composer.text == "a [pasted 10000 lines][pasted 200000 characters]"
        await pilot.press("backspace")
        assert desk.composer.text == "a [pasted 10000 lines]"
        await pilot.press("enter")
        assert desk.sent == ["a " + text]
        await pilot.press("up", "enter")
        assert desk.sent == ["a " + text] * 2


def test_a_chip_is_never_taken_for_another() -> None:
    first = chip_for("a\nb", {})
    second = chip_for("c\nd", {first: "a\nb"})
    assert Draft(f"{first} {second}", {first: "a\nb", second: first}).expanded() == f"a\nb {first}"


async def test_enter_sends_and_the_other_enters_begin_a_line() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c", "enter")
        assert desk.sent == ["a\nb\nc"]
        assert desk.composer.text == ""
        await pilot.press("enter", "space", "enter")
        assert len(desk.sent) == 1


async def test_up_and_down_go_through_what_was_said_and_back_to_what_was_not() -> None:
    desk = Desk()
    async with desk.run_test() as pilot:
        for word in ("one", "two"):
            await pilot.press(*word, "enter")
        await pilot.press("d", "up")
        assert desk.composer.text == "two"
        await pilot.press("up")
        assert desk.composer.text == "one"
        await pilot.press("up", "down", "down")
        assert desk.composer.text == "d"


async def test_it_grows_to_ten_rows_and_no_further() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 30)) as pilot:
        assert app.chat.composer.size.height == 1
        app.chat.composer.put(Draft("a\n" * 4))
        await until(pilot, lambda: app.chat.composer.size.height == 5)
        app.chat.composer.put(Draft("a\n" * 20))
        await until(pilot, lambda: app.chat.composer.size.height == 10)


@pytest.mark.parametrize("text", ["、help", "／help", " /help", "a/help"])
async def test_only_a_slash_at_the_very_start_opens_the_commands(text: str) -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await terminal(pilot, text)
        assert app.chat.composer.text == text
        assert not app.chat.completion.display


async def test_files_are_completed_where_the_cursor_is() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"see", "space", *"@修")
        await until(pilot, lambda: app.chat.completion.display)
        await pilot.press("tab")
        assert app.chat.composer.text == "see @src/修剪.py "
        await pilot.press("@")
        await until(pilot, lambda: len(app.chat.completion.offers) == 3)
        await pilot.press("down", "enter")
        assert app.chat.composer.text == "see @src/修剪.py @src/prune.py "
        await pilot.press("@")
        await until(pilot, lambda: app.chat.completion.display)
        await pilot.press("escape")
        await until(pilot, lambda: not app.chat.completion.display)
        assert app.chat.composer.text.endswith("@")


async def test_a_bang_is_a_command_for_the_shell() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.session is not None)
        await pilot.press("!", *"ls")
        await until(pilot, lambda: app.chat.has_class("-shell"))
        await pilot.press("enter")
        await until(pilot, lambda: session.commands == ["ls"])
        assert session.prompts == []


@given(st.text(max_size=200))
def test_safe_text_holds_no_control_bytes(text: str) -> None:
    for result in (safe(text), typed(text)):
        assert not [char for char in result if ord(char) < 32 and char not in "\n\t"]
        assert "\x7f" not in result and "\x1b" not in result and "\u202e" not in result
        result.encode("utf-8")


if CASES.exists():

    @pytest.mark.parametrize(
        "case",
        [json.loads(line) for line in CASES.read_text("utf-8").splitlines()],
        ids=lambda c: c["id"],
    )
    async def test_the_collected_cases_of_editing_hold(case: dict[str, Any]) -> None:
        app, session = app_with()
        async with app.run_test(size=(80, 24)) as pilot:
            composer = app.chat.composer
            start = composer.cursor_screen_offset
            if case.get("event") == "bracketed_paste":
                await paste(pilot, app, composer, case["text"])
            else:
                composer.put(Draft(case["text"]))
                await pilot.press(*case.get("keys", []))
            await pilot.pause()
            if "expected" in case:
                assert composer.text == case["expected"]
            if "cursor_cells" in case:
                assert app.cursor_position.x - start.x == case["cursor_cells"]
            if "expect_command_menu" in case:
                assert app.chat.completion.display == case["expect_command_menu"]
            assert session.prompts == []
