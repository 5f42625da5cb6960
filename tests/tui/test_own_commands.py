"""Commands of the user's own and naps: what they show, and words that are sent meanwhile."""

from __future__ import annotations

from growbox_tui.agent import events as e
from growbox_tui.widgets.tool_card import OUTPUT_LINES, ToolCard
from tests.tui.fake_session import FakeSession, app_with, detail, send, until
from tests.tui.test_chat import notices, ready, shown
from tests.tui.test_waiting import said


async def test_words_sent_during_a_command_wait_for_their_own_turn() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        session.begin_aside()
        await send(pilot, "and why?")
        await send(pilot, "also this")
        await until(pilot, lambda: len(session.prompts) == 2)
        session.end_aside(e.TurnEnded(1, "done"))
        await until(pilot, lambda: app.router.figures.state == "recalling")
        assert said(app) == [("and why?", True), ("also this", True)]
        assert app.chat.composer.text == "" and app.router.last_prompt == "and why?"
        session.say(e.TurnStarted(2, "and why?"))
        await until(pilot, lambda: ("and why?", False) in said(app))
        session.say(e.TurnEnded(2, "done"))
        await until(pilot, lambda: app.chat.composer.text == "also this")


async def test_words_sent_during_a_nap_are_still_shown_after_it() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        session.begin_aside()
        await send(pilot, "what next?")
        await until(pilot, lambda: said(app) == [("what next?", True)])
        session.end_aside(e.Napped(3, 5, 120, 2))
        await until(pilot, lambda: any("Napped." in text for text in notices(app)))
        await until(pilot, lambda: said(app) == [("what next?", True)])
        session.say(e.TurnStarted(2, "what next?"))
        await until(pilot, lambda: said(app) == [("what next?", False)])
        assert app.chat.composer.text == ""


async def test_keys_do_not_offer_to_stop_a_nap_that_was_told_of() -> None:
    app, session = app_with(FakeSession(silent=True))
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        session.begin_aside()
        app.router.state("napping")
        await until(pilot, lambda: "esc Stop" in shown(app))
        session.say(e.Napped(3, 5, 120, 2))  # The session is busy behind it for a while yet.
        await until(pilot, lambda: "Napped." in shown(app))
        await until(pilot, lambda: "esc Stop" not in shown(app))


async def test_the_output_of_ones_own_command_opens_by_itself_within_bounds() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 50)) as pilot:
        await ready(pilot, app)
        body = "\n".join(f"line-{number:03d}" for number in range(100))
        session.say(
            e.ToolStarted("user1", "shell", "seq", ("run seq",)),
            e.ToolEnded("user1", "shell", False, detail(body, "shell", summary="exit 0"), 0.1, ""),
            e.TurnEnded(1, "done"),
        )
        await until(pilot, lambda: "line-000" in shown(app) and "line-099" in shown(app))
        assert shown(app).count("line-") == OUTPUT_LINES
        await pilot.press("ctrl+o")
        await until(pilot, lambda: app.chat.query_one(ToolCard).size.height > 100)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "line-" not in shown(app))


async def test_a_command_of_the_models_stays_closed() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "go")
        await until(pilot, lambda: session.busy)
        session.say(
            e.ToolStarted("c1", "shell", "seq", ("run seq",)),
            e.ToolEnded("c1", "shell", False, detail("hidden-words", "shell"), 0.1, ""),
            e.Notice("info", "after it"),
        )
        await until(pilot, lambda: "after it" in shown(app))
        assert "hidden-words" not in shown(app)
        session.end()


async def test_grants_are_listed_and_forgotten() -> None:
    app, session = app_with(FakeSession(granted=["pytest -q", "make"]))
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/grants")
        await until(pilot, lambda: "pytest -q" in shown(app) and "/grants clear" in shown(app))
        await send(pilot, "/grants clear")
        await until(pilot, lambda: session.granted == [])
        await until(pilot, lambda: "is asked for again" in shown(app))
        await send(pilot, "/grants")
        await until(pilot, lambda: "No command is always allowed" in shown(app))
        await send(pilot, "/grants all")
        await until(pilot, lambda: "/grants all means nothing" in shown(app))
