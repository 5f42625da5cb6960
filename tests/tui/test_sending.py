"""Sending: what enter does, what the state and the cost say, and where refused words go."""

from __future__ import annotations

import pytest
from textual.content import Content

from growbox_tui.agent import events as e
from growbox_tui.models.protocol import ModelError
from growbox_tui.widgets.composer import chip_for
from growbox_tui.widgets.status_line import StatusLine
from growbox_tui.widgets.user_message import OPEN_WORDS, UserMessage
from tests.tui.fake_session import (
    FakeSession,
    FakeWorkbench,
    app_with,
    send,
    shell_ask,
    specimen,
    until,
)
from tests.tui.test_chat import notices, ready, shown
from tests.tui.test_waiting import USAGE, said


async def test_enter_on_a_mention_that_is_complete_sends_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"@README.md")
        await until(pilot, lambda: app.chat.composer.completing)
        await pilot.press("enter")
        await until(pilot, lambda: session.prompts == ["@README.md"])
        session.end()


async def test_enter_on_a_mention_that_is_begun_completes_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"@READ")
        await until(pilot, lambda: app.chat.composer.completing)
        await pilot.press("enter")
        await until(pilot, lambda: app.chat.composer.text == "@README.md ")
        assert session.prompts == []


async def test_enter_sends_when_the_list_closed_only_after_the_key() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        app.chat.composer.insert("/rules add be brief")
        await until(pilot, lambda: not app.chat.composer.completing)
        app.chat.composer.completing = True  # As a burst of keys finds it.
        await pilot.press("enter")
        await until(pilot, lambda: session.wishes == [("add", "be brief")])


@pytest.mark.parametrize(("choice", "state"), [("once", "running shell"), ("no", "thinking")])
async def test_after_an_answer_the_state_says_what_runs(choice: str, state: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask("a1"), shell_ask("a2"))
        await until(pilot, lambda: app.router.figures.state == "waiting for you")
        session.answer("a1", choice)
        await until(pilot, lambda: len(app.asks.cards()) == 1)
        assert app.router.figures.state == "waiting for you"
        session.answer("a2", choice)
        await until(pilot, lambda: app.router.figures.state == state)


@pytest.mark.parametrize(("cost", "words"), [(None, "cost unknown"), (0.0, ""), (0.02, "$0.02")])
def test_a_cost_that_is_not_known_is_never_nothing(cost: float | None, words: str) -> None:
    line = StatusLine()
    line.update_figures("fake/owl", cost, 100, 1_000, None, "ready")
    figures = line._figures(80)
    assert isinstance(figures, Content)
    assert words in figures.plain and "$0.00" not in figures.plain


async def test_a_model_that_is_refused_leaves_the_state_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, session = app_with()

    async def refuse(name: str) -> None:
        raise ModelError(f"There is no model {name!r}.", "")

    monkeypatch.setattr(session, "use_model", refuse)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/model fake/nobody")
        await until(pilot, lambda: "There is no model" in shown(app))
        assert app.router.figures.state == "ready"


async def test_words_for_a_session_that_is_refused_go_back_to_the_composer() -> None:
    bench = FakeWorkbench([session := FakeSession()])
    bench.failure = ModelError("The session is open elsewhere.", "/new begins another.")
    app, _ = app_with(session, bench=bench, prompts=["hello"])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "open elsewhere" in shown(app))
        assert app.chat.composer.text == "hello" and said(app) == []
        app.chat.composer.text = ""
        await send(pilot, "/new")
        await until(pilot, lambda: app.session is session)
        await send(pilot, "other")
        await until(pilot, lambda: session.prompts == ["other"])
        session.end()


async def test_a_long_message_opens_by_ctrl_o_or_a_click_as_it_says() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 60)) as pilot:
        await ready(pilot, app)
        await send(pilot, "\n".join(f"row-{number:02d}" for number in range(30)) + "\n")
        await until(pilot, lambda: session.busy and f"… 18 more lines · {OPEN_WORDS}" in shown(app))
        session.say(specimen()[0])
        await until(pilot, lambda: "recall" in shown(app))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "row-15" in shown(app))
        await pilot.click(app.chat.query_one(UserMessage))
        await until(pilot, lambda: "row-15" not in shown(app))
        session.say(e.ToolStarted("c", "shell", "ls", ()), USAGE)
        session.end()


def test_a_final_newline_is_no_line_of_its_own() -> None:
    assert chip_for("a\n" * 60, {}) == "[pasted 60 lines]"
    assert chip_for("a\n" * 60 + "b", {}) == "[pasted 61 lines]"


async def test_the_cost_before_the_first_request_is_no_price() -> None:
    app, session = app_with(FakeSession(cost=0.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/cost")
        await until(pilot, lambda: any("nothing spent yet" in text for text in notices(app)))
        session.cost = None
        session.say(USAGE)
        await until(pilot, lambda: "cost unknown" in shown(app))
        await send(pilot, "/cost")
        await until(pilot, lambda: any("the price is not known" in text for text in notices(app)))
