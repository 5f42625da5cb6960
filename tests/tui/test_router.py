"""The router and the table of actions: every event shows, every command does."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from growbox_tui.actions import ACTIONS, by_command, by_name, commands, nearest_command
from growbox_tui.agent import events as e
from growbox_tui.branch import branch_of
from growbox_tui.session_figures import Figures
from tests.doubles.patience import FOR_EVER
from tests.tui.fake_session import FakeWorkbench, app_with, detail, send, shell_ask, specimen, until
from tests.tui.test_chat import notices, ready, shown

EVERY: tuple[e.Event, ...] = (
    *specimen(),
    e.SessionOpened("s", "p", "m/x", "found a key", False, 0, 3, None),
    e.Replayed("user", "hi"),
    e.ModelChanged("m/y", "you chose it", 10),
    e.Napped(1, 1, 1, 2),
    e.TurnStarted(1, "hi"),
    e.Steered("more"),
    e.Rebased(2, "the region grew", 4, 9),
    e.RulesChanged((e.RuleView(1, "use tabs", "stated", False),), "rule 1 is kept"),
    e.HandsArrived(("clock", "calendar")),
    e.Warmed(1, 19, 50_000, 0.01, 0.01),
    e.ThinkingDelta("hm"),
    e.Retrying(3, 2, "overloaded.", True),
    e.UsageReported(1, None, None, None, None, None, 1.0, 10, ""),
    shell_ask("a9"),
    e.ApprovalAnswered("a9", "no", "not now", "nobody"),
    e.QuestionAsked("q9", "which?", ()),
    e.QuestionAnswered("q9", "this"),
    e.PlanChanged((e.PlanItem("look", "doing"),)),
    e.Notice("warning", "careful"),
    e.Failed("Unreachable", "nobody answered", "start it"),
    e.ToolEnded("unknown", "shell", False, detail(), 1.0, ""),
    e.MessageEnded("", "", "end"),
    e.TurnEnded(1, "max_steps", "40 steps"),
)


async def test_every_event_is_shown_without_trouble() -> None:
    assert {type(event) for event in EVERY} == set(get_args(e.Event))
    app, session = app_with()
    async with app.run_test(size=(100, 50)) as pilot:
        await ready(pilot, app)
        nap = next(at for at, event in enumerate(EVERY) if isinstance(event, e.Napped))
        session.say(*EVERY[:nap])
        await until(pilot, lambda: any("m/y answers" in text for text in notices(app)))
        assert any("found a key" in text for text in notices(app))
        session.say(*EVERY[nap:])
        await until(pilot, lambda: any("40 steps" in text for text in notices(app)))
        told = "\n".join(notices(app))
        for words in (
            "Napped.",
            "the region grew",
            "overloaded.",
            "rule 1 is kept.",
            "2 tools more can be called from now on: clock, calendar.",
        ):
            assert words in told
        assert "refused, nobody was there to ask: not now" in told
        assert not app.chat.conversation.open_asks


def test_what_was_not_reported_is_not_zero() -> None:
    figures = Figures(used=500).with_usage(
        e.UsageReported(1, None, None, None, None, None, 1.0, 10, "")
    )
    assert (figures.used, figures.cache_share) == (500, None)
    reported = figures.with_usage(e.UsageReported(2, 1_000, 5, 0, None, None, 1.0, 10, ""))
    assert (reported.used, reported.cache_share, reported.requests) == (1_000, 0.0, 2)


def test_each_action_has_one_name_one_key_and_one_command() -> None:
    keys = [key for action in ACTIONS for key in action.key.split(",") if key]
    for things in ([a.name for a in ACTIONS], keys, [a.command for a in commands()]):
        assert len(things) == len(set(things))
    assert not {"ctrl+m", "ctrl+h", "ctrl+i", "ctrl+z"} & set(keys)
    with pytest.raises(KeyError):
        by_name("nothing")
    for word in ("help", "model", "new", "resume", "nap", "memory", "cost", "theme", "about"):
        assert by_command(f"/{word}")


def test_a_misspelt_command_is_led_to_the_nearest() -> None:
    assert nearest_command("/hlep") == "/help"
    assert nearest_command("/sessions") in {action.command for action in commands()}
    assert nearest_command("/zzzz") == "/help"


async def test_an_unknown_command_is_told_and_stays_to_be_mended() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/modle x")
        await until(pilot, lambda: "There is no command /modle." in notices(app))
        assert "/model?" in shown(app)
        assert app.chat.composer.text == "/modle x"
        assert session.prompts == []


async def test_a_path_at_the_start_is_no_command() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/etc/hosts")
        await until(pilot, lambda: session.prompts == ["/etc/hosts"])
        session.end()


async def test_commands_do_what_they_say() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/nap")
        await until(pilot, lambda: session.naps == 1)
        await until(pilot, lambda: "all 120 memories" in shown(app))
        await send(pilot, "/model fake/owl")
        await until(pilot, lambda: session.model_name == "fake/owl")
        await send(pilot, "/cost")
        await until(pilot, lambda: any("$0.0123" in text for text in notices(app)))
        await send(pilot, "/theme moss")
        await until(pilot, lambda: app.theme == "moss")
        assert app.workbench.saved == [("theme", "moss")]  # type: ignore[attr-defined]
        await send(pilot, "/theme mos")
        await until(pilot, lambda: "There is no theme 'mos'." in notices(app))
        await send(pilot, "/new")
        await until(pilot, lambda: session.closed and app.session not in (None, session))
        await until(pilot, lambda: not notices(app))


@pytest.mark.parametrize(
    ("keys", "screen"),
    [
        ("f1", "HelpScreen"),
        ("f2", "MemoryScreen"),
        ("ctrl+r", "SessionsScreen"),
        ("ctrl+t", "ThemeScreen"),
        ("ctrl+p", "CommandPalette"),
        ("/about", "AboutScreen"),
        ("/model", "ModelsScreen"),
    ],
)
async def test_keys_open_their_screens_and_escape_returns(keys: str, screen: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        if keys[0] == "/":
            await send(pilot, keys)
        else:
            await pilot.press(keys)
        await until(pilot, lambda: type(app.screen).__name__ == screen)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)
        assert app.focused is app.chat.composer
        assert session.cancels == 0


async def test_the_palette_finds_an_action_and_does_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: app.screen is not app.chat)
        await pilot.press(*"/nap")
        await until(pilot, lambda: "Clear the conversation" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: session.naps == 1)


async def test_choosing_an_earlier_session_opens_it() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "prune late" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: session.closed)
        bench = app.workbench
        assert isinstance(bench, FakeWorkbench) and bench.opened == [None, "old"]


async def test_a_script_of_prompts_is_played_one_turn_after_the_other() -> None:
    app, session = app_with(prompts=("one", "two"))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: session.prompts == ["one"])
        session.end()
        await until(pilot, lambda: session.prompts == ["one", "two"])
        session.end()


async def test_ctrl_c_stops_then_empties_then_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("growbox_tui.app.QUIT_SECONDS", FOR_EVER)
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("a", "enter")
        await until(pilot, lambda: session.busy)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: session.cancels == 1)
        await pilot.press("b", "ctrl+c")
        assert app.chat.composer.text == ""
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: not app.is_running)


def test_the_branch_is_read_without_git(tmp_path: Path) -> None:
    inner = tmp_path / "src"
    inner.mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/grow/late\n", "utf-8")
    assert branch_of(inner) == "grow/late"
    (tmp_path / ".git" / "HEAD").write_text("0123456789abcdef\n", "utf-8")
    assert branch_of(inner) == "01234567"


async def test_the_status_line_tells_the_users_own_limit_where_it_is_the_smaller() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        session.say(e.SessionOpened("s", "p", "m/x", "", False, 0, 3, 200_000, 64_000))
        await until(pilot, lambda: app.router.figures.context == 64_000)
        session.say(e.ModelChanged("m/y", "you chose it", 8_000, 8_000))
        await until(pilot, lambda: app.router.figures.context == 8_000)


async def test_a_resumed_conversation_does_not_claim_that_nothing_was_ever_sent() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        session.say(e.SessionOpened("s", "p", "m/x", "", True, 4, 3))
        await until(pilot, lambda: "resumed: nothing has been sent since then" in shown(app))
        assert "no prompt sent yet" not in shown(app)
