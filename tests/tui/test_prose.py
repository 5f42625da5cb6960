"""Prose on a card: what is written at any speed never approves, and what is meant does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from textual._time import get_time
from textual.events import Key
from textual.pilot import Pilot

from growbox_tui import asks
from growbox_tui.app import GrowboxApp
from growbox_tui.widgets.approval_card import ApprovalCard
from tests.tui.fake_session import app_with, shell_ask, terminal, until
from tests.tui.test_approval import answerable
from tests.tui.test_chat import ready, shown

PROSE = (
    "yes but",
    "no way",
    "sure",
    "always",
    "a test",
    "s",
    "y you",
    "1 more",
)
HELD = "allowing … enter now · any other key keeps typing"


@dataclass
class Timer:
    due: float
    call: Callable[[], object]
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True


@dataclass
class Clock:
    """Takes the place of the screen's timers; time goes on when a test says so."""

    now: float = field(default_factory=get_time)
    timers: list[Timer] = field(default_factory=list)

    def set_timer(self, delay: float, call: Callable[[], object], **_: Any) -> Timer:
        self.timers.append(Timer(self.now + delay, call))
        return self.timers[-1]

    def go(self, seconds: float) -> None:
        self.now += seconds
        due = [timer for timer in self.timers if timer.due <= self.now and not timer.stopped]
        self.timers = [timer for timer in self.timers if timer.due > self.now]
        for timer in due:
            timer.call()

    async def type(self, pilot: Pilot[Any], text: str, gap: float) -> None:
        """One key after the other, each ``gap`` seconds after the one before."""
        for number, character in enumerate(text):
            if number:
                self.go(gap)
                await pilot.pause()
            name = {" ": "space", "\r": "enter"}.get(character, character)
            key = Key(name, character)
            key.time = self.now
            assert pilot.app._driver is not None
            pilot.app._driver.send_message(key)
            await pilot.pause()


def clocked(app: GrowboxApp, monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(app.chat, "set_timer", clock.set_timer)
    return clock


@pytest.mark.parametrize("gap", [0.15, 0.25, 0.55])
async def test_prose_never_approves_at_any_speed_of_writing(
    gap: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asks, "ARM_SECONDS", 0.0)
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await answerable(pilot, app)
        card = app.chat.query_one(ApprovalCard)
        for prose in PROSE:
            app.chat.composer.text = ""
            app.asks._take(card)
            await answerable(pilot, app)
            assert app.focused is card
            await clock.type(pilot, prose, gap)
            if len(prose) > 1:
                assert app.chat.composer.text == prose
                assert app.focused is app.chat.composer
            clock.go(5.0)
            await pilot.pause()
            assert session.answers == []
            app.chat.set_focus(app.chat.composer)


async def test_a_letter_alone_answers_after_the_hold_and_says_so_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await answerable(pilot, app)
        await clock.type(pilot, "y", 0)
        await until(pilot, lambda: HELD in shown(app))
        clock.go(asks.BURST_SECONDS - 0.01)
        await pilot.pause()
        assert session.answers == []
        clock.go(0.02)
        await until(pilot, lambda: session.answers == [("a1", "once", "")])


async def test_a_key_that_the_app_has_not_looked_at_when_the_time_is_over_still_makes_prose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await answerable(pilot, app)
        await clock.type(pilot, "y", 0)
        await until(pilot, lambda: HELD in shown(app))
        app.post_message(Key("e", "e"))
        clock.go(asks.BURST_SECONDS)
        await until(pilot, lambda: app.chat.composer.text == "ye")
        assert session.answers == []


async def test_enter_after_the_letter_confirms_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await answerable(pilot, app)
        await clock.type(pilot, "y\r", 0.1)
        await until(pilot, lambda: session.answers == [("a1", "once", "")])
        assert session.prompts == [] and app.chat.composer.text == ""


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(
    ("key", "choice", "words"),
    [
        ("s", "session", "enter: for this session"),
        ("2", "session", "enter: for this session"),
        ("a", "always", "enter: always for this exact command"),
    ],
)
async def test_a_wider_grant_waits_for_enter_however_long(
    key: str, choice: str, words: str, turned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await until(pilot, lambda: bool(app.asks.cards()))
        if turned:
            await pilot.press("tab")
        await answerable(pilot, app)
        await clock.type(pilot, key, 0)
        await until(pilot, lambda: words in shown(app))
        clock.go(60.0)
        await pilot.pause()
        assert session.answers == []
        await pilot.press("escape")
        await until(pilot, lambda: words not in shown(app))
        assert isinstance(app.focused, ApprovalCard) and session.answers == []
        await pilot.press("enter")
        assert session.answers == []
        await clock.type(pilot, f"{key}\r", 3.0)
        await until(pilot, lambda: session.answers == [("a1", choice, "")])


async def test_who_turned_to_the_card_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clocked(app, monkeypatch)
        for ask, way in (("a1", "tab"), ("a2", "up"), ("a3", "click")):
            session.say(shell_ask(ask))
            await until(pilot, lambda: bool(app.asks.cards()))
            await until(pilot, lambda: "y once" in shown(app))
            if way == "click":
                await pilot.press("x")
                await pilot.click(app.chat.query_one(ApprovalCard))
            else:
                await pilot.press(way)
            await pilot.press("y")
            await until(pilot, lambda ask=ask: session.answers[-1:] == [(ask, "once", "")])
            await until(pilot, lambda: not app.asks.cards())


async def test_a_held_grant_is_dropped_when_the_user_clicks_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        clock = clocked(app, monkeypatch)
        session.say(shell_ask())
        await answerable(pilot, app)
        await clock.type(pilot, "s", 0)
        await pilot.click(app.chat.composer)
        await until(pilot, lambda: app.focused is app.chat.composer)
        await pilot.press("enter")
        assert session.answers == []


async def test_a_letter_and_an_enter_in_one_piece_are_no_answer() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(shell_ask())
        await answerable(pilot, app)
        await terminal(pilot, "a\r")
        await until(pilot, lambda: app.chat.composer.text == "a")
        assert session.answers == [] and session.prompts == []
