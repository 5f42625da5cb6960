"""What is told once and truly: ends, failures, figures, replays, and what a nap leaves."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from growbox_tui import refresh
from growbox_tui.agent import events as e
from growbox_tui.commands import cost_words
from growbox_tui.models.protocol import ModelError
from growbox_tui.widgets.assistant_message import AssistantMessage
from growbox_tui.widgets.markdown_rows import markdown_rows
from growbox_tui.widgets.safe_text import unmarked
from growbox_tui.widgets.tool_card import ToolCard
from growbox_tui.widgets.user_message import UserMessage
from tests.tui.fake_session import (
    FakeSession,
    FakeSettings,
    FakeWorkbench,
    app_with,
    detail,
    send,
    terminal,
    until,
)
from tests.tui.test_chat import notices, ready, shown
from tests.tui.test_waiting import said

PROMPT = e.PromptBuilt(1, 1, (e.SegmentView("tools", 900, "hit"),), 900, 900, "")


@pytest.mark.parametrize("reason", ["done", "failed", "repeating", "max_steps", "length"])
async def test_steering_that_did_not_arrive_goes_back_however_the_turn_ends(
    reason: e.EndReason,
) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "first")
        await until(pilot, lambda: said(app) == [("first", False)])
        await send(pilot, "also this")
        await until(pilot, lambda: len(session.prompts) == 2)
        session.end(reason)
        await until(pilot, lambda: app.chat.composer.text == "also this")
        await until(pilot, lambda: said(app) == [("first", False)])


async def test_a_failure_is_told_once_and_the_state_says_so_until_the_next_action() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.say(e.Failed("Unreachable", "Nobody answered", "start the model server"))
        session.end("failed", "Nobody answered")
        await until(pilot, lambda: app.router.figures.state == "failed")
        assert notices(app) == ["Nobody answered."]
        assert "/retry sends your last words again." in " ".join(shown(app).split())
        assert "start the model server. /retry" in " ".join(shown(app).split())
        await send(pilot, "/model fake/owl")
        await until(pilot, lambda: app.router.figures.state == "ready")


async def test_an_earlier_warning_does_not_hide_why_the_turn_failed() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.say(e.Notice("warning", "notes.bin was not attached."), PROMPT)
        session.end("failed", "the calls cannot be read")
        await until(pilot, lambda: app.router.figures.state == "failed")
        assert notices(app)[-1] == "The turn failed. The calls cannot be read."


async def test_a_reply_that_was_cut_for_its_length_is_told_of_once() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.say(e.Notice("warning", "The reply was cut. /continue goes on."))
        session.end("length")
        await until(pilot, lambda: app.router.figures.state == "ready")
        assert notices(app) == ["The reply was cut. /continue goes on."]


async def test_stopping_is_told_in_one_word() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.end("cancelled", "stopped by the user")
        await until(pilot, lambda: notices(app) == ["Stopped."])


async def test_words_that_were_cut_are_shown_once_and_the_same_when_resumed() -> None:
    app, session = app_with(
        FakeSession(replay=(e.Replayed("assistant", "It skips\n[cut off here]"),))
    )
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        session.say(e.MessageStarted(1), e.TextDelta("It skips"))
        session.say(e.Failed("Unreachable", "Nobody answered.", ""))
        session.say(e.MessageEnded("mem://1", "It skips", "cut"))
        session.end("failed", "Nobody answered.")
        await until(pilot, lambda: app.router.figures.state == "failed")
        texts = [
            (item.text, item.stop)
            for item in app.chat.conversation.messages
            if isinstance(item, AssistantMessage)
        ]
        assert texts == [("It skips", "cut"), ("It skips", "cut")]


async def test_a_nap_clears_the_conversation_and_the_bar() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 30)) as pilot:
        await ready(pilot, app)
        await send(pilot, "prune the orchard")
        await until(pilot, lambda: session.busy)
        session.say(PROMPT)
        session.end()
        await until(pilot, lambda: "tools 900" in shown(app))
        await pilot.press("f8")
        await until(pilot, lambda: "napped: the next prompt starts anew" in shown(app))
        await until(pilot, lambda: "prune the orchard" not in shown(app))
        assert "Napped." in shown(app)
        session.say(replace(PROMPT, request=2))
        await until(pilot, lambda: "tools 900" in shown(app))
        await send(pilot, "/new")
        await until(pilot, lambda: "no prompt sent yet" in shown(app))


async def test_a_new_conversation_keeps_the_model() -> None:
    bench = FakeWorkbench([session := FakeSession()])
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/model fake/owl")
        await until(pilot, lambda: session.model_name == "fake/owl")
        await send(pilot, "/new")
        await until(pilot, lambda: bench.models == ["", "fake/owl"])


async def test_requests_without_usage_are_counted_as_such() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.UsageReported(1, 900, 20, 800, None, None, 1.0, 800, ""))
        session.say(e.UsageReported(2, None, None, None, None, None, 1.0, 8, "it ended before"))
        await until(pilot, lambda: app.router.figures.requests == 2)
        assert "2 requests (of which 1 reported no usage)" in cost_words(app)


async def test_the_panel_follows_the_embedding_behind_the_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refresh, "LOOK_SECONDS", 0.01)
    bench = FakeWorkbench([session := FakeSession()])
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(120, 36)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why?")
        await until(pilot, lambda: session.busy)
        told: list[int] = []

        async def state() -> object:
            told.append(len(told))
            return replace(bench.figures, nodes=50, embedded=min(50, 10 * len(told)))

        monkeypatch.setattr(bench, "state", state)
        session.end()
        await until(pilot, lambda: "50 (100 %)" in shown(app))
        count = len(told)
        for _ in range(5):
            await pilot.pause(0.01)
        assert len(told) == count


async def test_embedding_that_stands_still_is_not_watched_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refresh, "LOOK_SECONDS", 0.0)
    looks = 0

    async def state() -> object:
        nonlocal looks
        looks += 1
        return replace(FakeWorkbench().figures, nodes=50, embedded=7)

    await refresh.watch_embedding(state)  # type: ignore[arg-type]
    assert looks == 2


async def test_leaving_without_a_session_is_a_failure_and_says_why_until_then() -> None:
    bench = FakeWorkbench([], failure=ModelError("No model answers.", "Start one."))
    app, _ = app_with(bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "No model answers." in shown(app))
        assert app.router.figures.state == "failed"
        await pilot.press("ctrl+q")
    assert app.return_code == 1


async def test_leaving_a_session_is_no_failure() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("ctrl+q")
    assert app.return_code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_closes_everything_and_leaves_with_its_code(number: signal.Signals) -> None:
    bench = FakeWorkbench([session := FakeSession()])
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        os.kill(os.getpid(), number)
        await until(pilot, lambda: app.return_code is not None)
    assert (app.return_code, bench.closed) == (128 + number, True)


async def test_a_broken_theme_is_told_of_once(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\nprimary = "no colour"\n')
    bench = FakeWorkbench([FakeSession()], settings=FakeSettings("mine", tmp_path))
    app, _ = app_with(bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        assert len(notices(app)) == 1
        assert "mine.toml, line 2" in notices(app)[0] and '"primary"' in notices(app)[0]


async def test_a_command_that_said_no_is_not_shown_as_a_success() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        for call, summary, error in (
            ("a", "exit 0", False),
            ("b", "exit 2", False),
            ("c", "", True),
        ):
            view = detail("", "shell", title="make", summary=summary)
            session.say(e.ToolEnded(call, "shell", error, view, 0.1, ""))
        refused = detail("", "text", title="shell", summary="refused")
        session.say(e.ToolEnded("d", "shell", True, refused, 0.1, ""))
        await until(pilot, lambda: len(app.chat.query(ToolCard)) == 4)
        states = [card.state for card in app.chat.query(ToolCard)]
        assert states == ["done", "unsuccessful", "error", "error"]
        row = next(row for row in shown(app).split("\n") if "refused" in row)
        assert row.count("shell") == 1


async def test_a_command_of_ones_own_that_was_stopped_leaves_nothing_running() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "!sleep 60")
        await until(pilot, lambda: session.commands == ["sleep 60"])
        session.say(e.ToolStarted("user1", "shell", "sleep 60", ("run sleep 60",)))
        await until(pilot, lambda: app.router.figures.state == "running shell")
        stopped = detail("[stopped by the user]", "shell", title="sleep 60", summary="stopped")
        session.say(e.ToolEnded("user1", "shell", True, stopped, 1.0, ""))
        session.end("cancelled")
        await until(pilot, lambda: app.router.figures.state == "ready")
        assert [card.state for card in app.chat.query(ToolCard)] == ["error"]


@pytest.mark.parametrize("key", ["x", "escape"])
async def test_a_card_in_focus_gives_what_is_typed_to_the_composer(key: str) -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.ToolEnded("a", "shell", False, detail("out"), 0.1, ""))
        await until(pilot, lambda: bool(app.chat.query(ToolCard)))
        app.chat.query_one(ToolCard).focus()
        await until(pilot, lambda: isinstance(app.focused, ToolCard))
        await pilot.press(key)
        assert app.focused is app.chat.composer
        assert app.chat.composer.text == ("x" if key == "x" else "")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("src/a.py", "@src/a.py "),
        ("my notes.md", '@"my notes.md" '),
        ("a(1).txt", '@"a(1).txt" '),
        ("it's", '@"it\'s" '),
    ],
)
async def test_a_completed_path_is_written_as_it_is_understood(path: str, words: str) -> None:
    bench = FakeWorkbench([FakeSession()], paths=(path,))
    app, _ = app_with(bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*"see @")
        await until(pilot, lambda: app.chat.completion.is_open)
        await pilot.press("tab")
        await until(pilot, lambda: app.chat.composer.text == f"see {words}")


async def test_a_quoted_path_is_completed_behind_its_blank() -> None:
    bench = FakeWorkbench([FakeSession()], paths=("my notes.md", "my nuts.md"))
    app, _ = app_with(bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press(*'see @"my no')
        await until(pilot, lambda: len(app.chat.completion.offers) == 1)
        await pilot.press("tab")
        await until(pilot, lambda: app.chat.composer.text == 'see @"my notes.md" ')


async def test_a_bare_at_offers_paths_as_soon_as_they_are_known() -> None:
    bench = FakeWorkbench([FakeSession()], paths=())
    app, _ = app_with(bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("@")
        assert not app.chat.completion.is_open
        bench.paths = ("README.md",)
        await until(pilot, lambda: app.chat.completion.is_open)


async def test_a_long_paste_is_folded_and_opens() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        text = "\n".join(f"line {number:03d}" for number in range(400))
        await terminal(pilot, f"\x1b[200~{text}\x1b[201~")
        await until(pilot, lambda: "[pasted 400 lines]" in shown(app))
        await pilot.press("enter")
        await until(pilot, lambda: session.prompts == [text])
        await until(pilot, lambda: "more lines · click it, or focus" in shown(app))
        assert "line 000" in shown(app) and "line 399" in shown(app)
        message = app.chat.query_one(UserMessage)
        assert message.region.height <= 14
        await pilot.press("ctrl+o")
        await until(pilot, lambda: app.chat.query_one(UserMessage).region.height >= 400)


async def test_a_plan_that_is_done_is_one_line_and_goes_with_its_turn() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "go")
        await until(pilot, lambda: session.busy)
        session.say(e.PlanChanged((e.PlanItem("look", "done"), e.PlanItem("mend", "doing"))))
        await until(pilot, lambda: app.chat.plan.region.height == 2)
        session.say(e.PlanChanged((e.PlanItem("look", "done"), e.PlanItem("mend", "done"))))
        await until(pilot, lambda: app.chat.plan.region.height == 1)
        assert "2 of 2 steps done" in shown(app)
        session.end()
        await until(pilot, lambda: not app.chat.plan.region)


async def test_a_plan_that_is_not_done_outlives_a_turn_that_was_stopped() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "go")
        await until(pilot, lambda: session.busy)
        session.say(e.PlanChanged((e.PlanItem("look", "done"), e.PlanItem("mend", "doing"))))
        session.end("cancelled")
        await until(pilot, lambda: app.router.figures.state == "ready")
        assert app.chat.plan.region.height == 2


async def test_a_list_stays_tight_while_what_follows_it_is_written() -> None:
    text = "Words.\n\n- one\n- two\n- three\n\nMore"
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        session.say(e.MessageStarted(1), *[e.TextDelta(char) for char in text])
        live = app.chat.conversation.live
        await until(pilot, lambda: live.text == text)
        live.draw()
        rows = [row.content.plain for row in live._page.rows(70)]
        assert rows == [row.content.plain for row in markdown_rows(text, 70)]


def test_a_label_has_no_signs_of_markdown() -> None:
    assert unmarked("## **Prune** late, see `graft.py`") == "Prune late, see graft.py"
    assert unmarked("- 2 * 3 = 6 and __init__") == "2 * 3 = 6 and __init__"
