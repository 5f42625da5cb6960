"""Approvals and questions: keys, focus, and what must not happen by accident."""

from __future__ import annotations

import pytest

from growbox_tui.agent import events as e
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.question_card import QuestionCard, chosen
from tests.tui.fake_session import DIFF, app_with, shell_ask, until
from tests.tui.test_chat import notices, ready, shown


@pytest.mark.parametrize(
    ("key", "choice"),
    [("y", "once"), ("1", "once"), ("s", "session"), ("2", "session"), ("a", "always")],
)
async def test_one_key_answers_and_focus_returns(key: str, choice: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await until(pilot, lambda: "run pytest -k prune" in shown(app))
        await pilot.press(key)
        await until(pilot, lambda: session.answers == [("a1", choice, "")])
        await until(pilot, lambda: app.focused is app.chat.composer)
        assert not app.chat.conversation.open_asks
        assert any("run pytest -k prune · " in text for text in notices(app))


async def test_no_can_say_why() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await pilot.press("n")
        await until(pilot, lambda: app.focused is not None and app.focused.id is None)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await pilot.press("n")
        await until(pilot, lambda: bool(app.chat.query("Input")))
        await pilot.press(*"yes", "enter")
        await until(pilot, lambda: session.answers == [("a1", "no", "yes")])


async def test_what_was_being_written_survives_and_is_no_answer() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"sa")
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        card = app.chat.query_one(ApprovalCard)
        assert not card.armed
        await pilot.press("y")
        assert session.answers == []
        await until(pilot, lambda: app.chat.composer.text == "say")
        await until(pilot, lambda: card.armed)
        await pilot.press("y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])
        assert app.chat.composer.text == "say"


async def test_other_keys_answer_nothing() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await pilot.press("x", "5", "enter", "space", "Y")
        assert session.answers == []


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
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await until(pilot, lambda: "+    if node.children_done" in shown(app))
        assert "write src/prune.py" in shown(app) and "y once" in shown(app)
        assert not app.chat.conversation.reading
        await pilot.press("a", "s")
        assert session.answers == []
        await pilot.press("y")
        await until(pilot, lambda: session.answers == [("a1", "once", "")])


async def test_two_questions_are_answered_one_after_the_other() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 40)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask("a1"), shell_ask("a2"))
        await until(pilot, lambda: len(app.chat.conversation.open_asks) == 2)
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
        await pilot.press("y")
        await until(pilot, lambda: len(app.chat.conversation.open_asks) == 1)
        assert isinstance(app.focused, ApprovalCard)
        await pilot.press("s")
        await until(pilot, lambda: session.answers == [("a1", "once", ""), ("a2", "session", "")])


async def test_a_turn_that_ends_takes_its_questions_with_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.busy)
        session.say(shell_ask())
        await until(pilot, lambda: isinstance(app.focused, ApprovalCard))
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
