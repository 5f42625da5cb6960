"""Words before their turn, figures and cards during it: what shows at once, and what stays."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from growbox_tui.agent import events as e
from growbox_tui.app import GrowboxApp
from growbox_tui.refresh import Refresh
from growbox_tui.widgets.tool_card import ToolCard
from growbox_tui.widgets.user_message import UserMessage
from tests.tui.fake_session import FakeSession, FakeWorkbench, app_with, send, until
from tests.tui.test_chat import ready, shown

USAGE = e.UsageReported(1, 900, 20, 800, None, None, 1.0, 800, "")


def said(app: GrowboxApp) -> list[tuple[str, bool]]:
    """The user's messages on the screen, and whether each is muted."""
    return [
        (item.text, item.has_class("-waiting"))
        for item in app.chat.conversation.messages
        if isinstance(item, UserMessage)
    ]


async def test_words_show_at_once_and_plainly_when_their_turn_has_started() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: "why?" in shown(app) and session.busy)
        assert said(app) == [("why?", True)]
        assert app.router.figures.state == "recalling"
        message = app.chat.conversation.messages[-1]
        session.say(e.TurnStarted(1, "why?"))
        await until(pilot, lambda: said(app) == [("why?", False)])
        assert app.chat.conversation.messages[-1] is message
        session.end()


async def test_words_whose_turn_never_started_stay_and_can_be_sent_again() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.say(e.Failed("MemoryFileError", "The disk is full.", "Free some space."))
        session.end("failed", "The disk is full.")
        await until(pilot, lambda: "/retry sends" in shown(app))
        assert said(app) == [("why?", True)]
        await send(pilot, "/retry")
        await until(pilot, lambda: session.prompts == ["why?", "why?"])
        session.say(e.TurnStarted(2, "why?"))
        await until(pilot, lambda: said(app) == [("why?", True), ("why?", False)])
        await pilot.press("escape")
        await until(pilot, lambda: session.cancels == 1 and app.router.figures.state == "ready")
        assert app.chat.composer.text == ""


async def test_words_stopped_before_their_turn_started_go_back_to_the_composer() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        await pilot.press("escape")
        await until(pilot, lambda: app.chat.composer.text == "why?")
        await until(pilot, lambda: said(app) == [])


async def test_a_retry_after_steering_sends_what_began_the_turn() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "first")
        await until(pilot, lambda: session.busy)
        await send(pilot, "also this")
        await until(pilot, lambda: len(session.prompts) == 2)
        assert app.router.last_prompt == "first"
        session.end()


async def test_the_panel_counts_memories_while_the_turn_runs() -> None:
    bench = FakeWorkbench([session := FakeSession()])
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        bench.figures = replace(bench.figures, nodes=4_321, embedded=4_000)
        assert "4,321" not in shown(app)
        session.say(USAGE)
        await until(pilot, lambda: "4,321" in shown(app) and "4.0k (93 %)" in shown(app))
        assert session.busy
        session.end()


async def test_a_refresh_never_runs_twice_at_once_and_misses_nothing() -> None:
    told: list[str] = []
    asked = ["first"]
    inside = 0
    gate = asyncio.Event()

    async def job() -> None:
        nonlocal inside
        inside += 1
        assert inside == 1
        seen = asked[-1]
        await gate.wait()
        told.append(seen)
        inside -= 1

    refresh = Refresh(job)
    first = asyncio.create_task(refresh())
    await asyncio.sleep(0)
    for name in ("second", "third", "last"):
        asked.append(name)
        await refresh()
    gate.set()
    await first
    assert told == ["first", "last"]


async def test_a_refresh_that_failed_can_be_asked_for_again() -> None:
    runs = 0

    async def job() -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise OSError("gone")

    refresh = Refresh(job)
    with pytest.raises(OSError, match="gone"):
        await refresh()
    await refresh()
    assert runs == 2


async def test_a_replayed_call_says_what_it_was_asked_and_whether_it_failed() -> None:
    session = FakeSession(
        replay=(
            e.Replayed("tool", "12 passed", "shell", "pytest -k prune"),
            e.Replayed("tool", "no such file", "read_file", "src/nowhere.py", True),
            e.Replayed("tool", "one\ntwo", "list_files"),
        )
    )
    app, _ = app_with(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "src/nowhere.py" in shown(app))
        cards = list(app.chat.query(ToolCard))
        assert [card.title_words for card in cards] == ["pytest -k prune", "src/nowhere.py", "one"]
        assert [card.state for card in cards] == ["done", "error", "done"]


async def test_a_card_that_changes_twice_before_it_rests_has_its_last_height() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.ToolStarted("c", "shell", "make", ()))
        await until(pilot, lambda: len(app.chat.query(ToolCard)) == 1)
        card = app.chat.query_one(ToolCard)
        await until(pilot, lambda: card.size.height == 1)
        card.progress("one\n")
        app.screen._refresh_layout()
        card.progress("two\nthree\n")
        await until(pilot, lambda: card.size.height == 4)
        session.end()
