"""Approvals and questions: keys, focus, and what must not happen by accident."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from growbox_tui import asks
from growbox_tui.agent import events as e
from growbox_tui.app import GrowboxApp
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.question_card import QuestionCard, chosen
from tests.doubles.patience import FOR_EVER
from tests.tui.fake_session import (
    DIFF,
    FakeSession,
    app_with,
    send,
    shell_ask,
    takes_answers,
    terminal,
    until,
)
from tests.tui.test_chat import long_replay, notices, ready, shown


async def answerable(pilot: Pilot[Any], app: GrowboxApp) -> None:
    """Wait until an approval has the focus and its keys are answers."""
    await until(pilot, lambda: takes_answers(app))


@pytest.fixture
def never_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The composer counts as in use, however long the machine takes."""
    monkeypatch.setattr(asks, "QUIET_SECONDS", FOR_EVER)
    monkeypatch.setattr(asks, "SENT_SECONDS", FOR_EVER)


@pytest.mark.parametrize(
    ("key", "choice"),
    [("y", "once"), ("1", "once"), ("s", "session"), ("2", "session"), ("a", "always")],
)
async def test_one_key_answers_and_focus_returns(key: str, choice: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await until(pilot, lambda: "run pytest -k prune" in shown(app))
        await pilot.press(key)
        if choice != "once":
            await until(pilot, lambda: "enter: " in shown(app))
            await pilot.press("enter")
        await until(pilot, lambda: session.answers == [("a1", choice, "")])
        await until(pilot, lambda: app.focused is app.chat.composer)
        assert not app.chat.conversation.open_asks
        assert any("run pytest -k prune · " in text for text in notices(app))


async def test_no_can_say_why() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: bool(app.chat.query("Input:focus")))
        await pilot.press(*"yes", "enter")
        await until(pilot, lambda: session.answers == [("a1", "no", "yes")])


async def test_what_was_being_written_goes_on_and_is_no_answer() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"sa")
        session.say(shell_ask())
        await until(pilot, lambda: "tab or ↑ to answer" in shown(app))
        await pilot.press(*"y yes always")
        assert app.focused is app.chat.composer
        assert app.chat.composer.text == "say yes always"
        assert session.answers == []


async def test_a_draft_keeps_the_focus_however_long_it_rests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asks, "QUIET_SECONDS", 0.0)
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("h")
        session.say(shell_ask())
        await until(pilot, lambda: "tab or ↑ to answer" in shown(app))
        for _ in range(30):
            await pilot.pause(asks.LOOK_SECONDS / 10)
            assert app.focused is app.chat.composer
        await pilot.press("backspace")
        await answerable(pilot, app)


async def test_a_key_just_pressed_keeps_the_focus_in_the_composer(never_quiet: None) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "go on")
        await until(pilot, lambda: session.busy)
        session.say(shell_ask())
        await until(pilot, lambda: "tab or ↑ to answer" in shown(app))
        await pilot.press("y")
        assert app.chat.composer.text == "y"
        assert session.answers == []


@pytest.mark.parametrize("key", ["tab", "up"])
async def test_tab_and_up_turn_to_the_question_and_the_draft_stays(key: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"and")
        session.say(shell_ask())
        await until(pilot, lambda: "tab or ↑ to answer" in shown(app))
        await pilot.press(key, "y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])
        await until(pilot, lambda: app.focused is app.chat.composer)
        assert app.chat.composer.text == "and"


async def test_the_first_keys_after_a_card_took_the_focus_are_prose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asks, "ARM_SECONDS", FOR_EVER)
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        card = app.focused
        assert isinstance(card, ApprovalCard) and not card.armed
        await pilot.press("a", "s")
        assert app.focused is app.chat.composer and app.chat.composer.text == "as"
        assert session.answers == []


async def test_keys_that_come_in_a_burst_are_prose() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await terminal(pilot, "always allow nothing\r")
        await until(pilot, lambda: session.prompts == ["always allow nothing"])
        assert session.answers == []


async def test_a_burst_of_one_answer_and_enter_sends_nothing() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await terminal(pilot, "y\r")
        await until(pilot, lambda: app.chat.composer.text == "y")
        assert session.answers == [] and session.prompts == []


async def test_a_paste_is_never_an_answer() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await terminal(pilot, "\x1b[200~y\x1b[201~")
        await until(pilot, lambda: app.chat.composer.text == "y")
        assert app.focused is app.chat.composer
        assert session.answers == []


async def test_a_letter_that_is_no_answer_goes_back_to_the_composer() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await pilot.press("w", "a", "y")
        assert app.chat.composer.text == "way"
        assert app.focused is app.chat.composer
        assert session.answers == []


async def test_an_answer_counts_only_while_its_keys_are_in_view() -> None:
    app, session = app_with(FakeSession(replay=long_replay(40)))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await pilot.press("pageup", "pageup")
        await until(pilot, lambda: "y once" not in shown(app))
        assert isinstance(app.focused, ApprovalCard)
        await pilot.press("y")
        await until(pilot, lambda: "y once" in shown(app))
        assert session.answers == []
        await pilot.press("y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])


async def test_a_window_that_was_too_small_gives_keys_and_words_back() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"dra")
        await pilot.resize_terminal(59, 14)
        await until(pilot, lambda: "too small" in shown(app))
        await pilot.press("f")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "> draf" in shown(app))
        await pilot.press("t")
        assert app.chat.composer.text == "draft"
        session.say(shell_ask())
        await until(pilot, lambda: "tab or ↑ to answer" in shown(app))
        await pilot.press("tab")
        await pilot.resize_terminal(59, 14)
        await until(pilot, lambda: "too small" in shown(app))
        await pilot.press("y")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "y once" in shown(app))
        assert isinstance(app.focused, ApprovalCard) and session.answers == []
        await pilot.press("y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])


def command_ask(command: str) -> e.ApprovalAsked:
    view = e.DetailView("shell", "ls …", "", command, "bash")
    return e.ApprovalAsked(
        "a1", "c1", "shell", (f"run {command}",), view, shell_ask().choices
    )  # fmt: skip


async def test_a_command_of_many_lines_is_shown_in_its_lines() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(command_ask("# tidy up\nls\nrm -r src\nprintf '\x1b[8mhidden\x1b[0m'"))
        await answerable(pilot, app)
        await until(pilot, lambda: "rm -r src" in shown(app))
        rows = [row.strip(" ▌┃█▊") for row in shown(app).split("\n")]
        assert "# tidy up" in rows and "rm -r src" in rows
        assert "run # tidy up … (4 lines)" in rows
        assert "␛[8mhidden" in shown(app)
        await pilot.press("y")
        await until(pilot, lambda: any("(4 lines) · allowed" in text for text in notices(app)))


async def test_a_long_command_shows_its_ends_and_opens_whole() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 60)) as pilot:
        await ready(pilot, app)
        session.say(command_ask("\n".join(f"echo step-{number:02d}" for number in range(40))))
        await answerable(pilot, app)
        await until(pilot, lambda: "more lines · ctrl+o shows all" in shown(app))
        assert "step-00" in shown(app) and "step-39" in shown(app)
        assert "step-20" not in shown(app) and "y once" in shown(app)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "step-20" in shown(app))


async def test_one_endless_line_of_a_command_leaves_the_keys_in_view() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(command_ask("echo " + "x" * 5_000 + " && rm -r src"))
        await answerable(pilot, app)
        await until(pilot, lambda: "&& rm -r src" in shown(app))
        assert "y once" in shown(app) and "shell asks to" in shown(app)


async def test_the_lowest_window_shows_what_an_edit_changes() -> None:
    app, session = app_with()
    async with app.run_test(size=(60, 15)) as pilot:
        await ready(pilot, app)
        choices = shell_ask().choices
        preview = e.DetailView("diff", "src/prune.py", "", DIFF)
        asked = e.ApprovalAsked("a1", "c", "edit_file", ("write src/prune.py",), preview, choices)
        session.say(asked)
        await answerable(pilot, app)
        for words in ("-    if node.is_leaf()", "write src/prune.py", "y once"):
            await until(pilot, lambda words=words: words in shown(app))
        await pilot.press("n")
        await until(pilot, lambda: "Why not? enter sends, also empty; esc goes back" in shown(app))


async def test_a_reason_that_was_left_is_still_there() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await pilot.press("n")
        await until(pilot, lambda: bool(app.chat.query("Input:focus")))
        await until(pilot, lambda: "to answer" not in shown(app))
        await pilot.press(*"not now", "escape")
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        assert session.answers == []
        await pilot.press("n")
        await until(pilot, lambda: bool(app.chat.query("Input:focus")))
        await pilot.press("enter")
        await until(pilot, lambda: session.answers == [("a1", "no", "not now")])


async def test_the_footer_names_the_keys_of_the_moment(never_quiet: None) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)

        def last() -> str:
            return shown(app).split("\n")[-1]

        assert "⏎ Send" in last() and "^q Quit" in last() and "esc" not in last()
        assert last().rstrip().endswith("^p More")
        await send(pilot, "go")
        await until(pilot, lambda: "esc Stop" in last() and "^q Quit" in last())
        session.say(shell_ask())
        await until(pilot, lambda: "tab Answer" in last())
        await pilot.press("tab")
        await until(pilot, lambda: "y Once" in last() and "n No" in last())
        session.end()
        await until(pilot, lambda: "⏎ Send" in last())


async def test_only_the_choices_that_are_offered_have_keys() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        asked = e.ApprovalAsked(
            "a1",
            "c",
            "edit_file",
            ("write src/prune.py",),
            e.DetailView("diff", "src/prune.py", "", DIFF),
            (e.Choice("once", "once"), e.Choice("no", "no")),
        )
        session.say(asked)
        await answerable(pilot, app)
        await until(pilot, lambda: "+    if node.children_done" in shown(app))
        assert "write src/prune.py" in shown(app) and "y once" in shown(app)
        assert not app.chat.conversation.reading
        await pilot.press("y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])


async def test_two_questions_are_answered_one_after_the_other() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 40)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask("a1"), shell_ask("a2"))
        await until(pilot, lambda: len(app.chat.conversation.open_asks) == 2)
        await answerable(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: len(app.chat.conversation.open_asks) == 1)
        await answerable(pilot, app)
        await pilot.press("s")
        await until(pilot, lambda: "enter: for this session" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: session.answers == [("a1", "once", ""), ("a2", "session", "")])


async def test_a_turn_that_ends_takes_its_questions_with_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.busy)
        session.say(shell_ask())
        await pilot.press("tab", "escape")
        assert app.focused is app.chat.composer and session.cancels == 0
        await pilot.press("escape")
        await until(pilot, lambda: session.cancels == 1)
        await until(pilot, lambda: app.focused is app.chat.composer)
        assert not app.chat.conversation.open_asks


async def test_a_question_takes_a_number_or_words() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        for keys, answer in (("2", "修剪"), ("7", "7"), ("dev", "dev")):
            session.answers.clear()
            session.say(e.QuestionAsked("q1", "Which branch?", ("main", "修剪")))
            await until(pilot, lambda: bool(app.chat.query(QuestionCard)))
            await until(pilot, lambda: app.focused is app.chat.query_one("QuestionCard Input"))
            await pilot.press("enter", *keys, "enter")
            await until(pilot, lambda answer=answer: session.answers == [("q1", answer, "")])
            await until(pilot, lambda: app.focused is app.chat.composer)


def test_a_number_out_of_range_is_an_answer_of_its_own() -> None:
    assert chosen(("a", "b"), " 1 ") == "a"
    assert chosen(("a", "b"), "0") == "0"
    assert chosen((), "3") == "3"
    assert chosen(("a",), "  ") == ""
