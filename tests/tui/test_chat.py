"""The chat screen: streaming, scrolling, resizing, commands, cards and hostile text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.geometry import Offset
from textual.pilot import Pilot

from growbox_tui.agent import events as e
from growbox_tui.app import GrowboxApp
from growbox_tui.models.protocol import ModelError
from growbox_tui.widgets.assistant_message import AssistantMessage
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.recall_card import RecallCard
from growbox_tui.widgets.tool_card import ToolCard
from growbox_tui.widgets.user_message import UserMessage
from tests.tui.fake_session import (
    ANSWER,
    DIFF,
    FakeSession,
    FakeWorkbench,
    app_with,
    detail,
    send,
    specimen,
    until,
)


def shown(app: GrowboxApp) -> str:
    """All that is on the screen, as text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


def notices(app: GrowboxApp) -> list[str]:
    return [item.text for item in app.chat.conversation.messages if isinstance(item, Notice)]


async def ready(pilot: Pilot[Any], app: GrowboxApp) -> None:
    await until(pilot, lambda: app.session is not None and app.router.figures.model)


def long_replay(count: int) -> tuple[e.Event, ...]:
    return tuple(
        e.Replayed("user" if index % 2 == 0 else "assistant", f"message {index}\n\n- a\n- b")
        for index in range(count)
    )


async def test_a_turn_is_shown_from_the_words_to_the_answer() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 40)) as pilot:
        await ready(pilot, app)
        await send(pilot, "why")
        await until(pilot, lambda: session.busy)
        session.say(*specimen())
        session.say(e.MessageEnded("mem://9", ANSWER, "end"))
        session.end()
        await until(pilot, lambda: app.router.figures.state == "ready")
        await until(pilot, lambda: "counts pending children" in shown(app))
        kinds = [type(item) for item in app.chat.conversation.messages]
        assert kinds == [UserMessage, RecallCard, ToolCard, ToolCard, ToolCard, AssistantMessage]
        assert session.prompts == ["why"]


async def test_streaming_into_a_long_history_adds_no_widgets() -> None:
    session = FakeSession(replay=long_replay(200))
    app, _ = app_with(session)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: len(app.chat.conversation.messages) == 200)
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.busy)
        session.say(e.MessageStarted(1))
        await until(pilot, lambda: len(app.chat.conversation.messages) == 201)
        before = len(list(app.chat.walk_children()))
        live = app.chat.conversation.live
        for index in range(100):
            session.say(e.TextDelta(f"word {index} **bold**\n\n"))
        await until(pilot, lambda: "word 99" in live.text and live.updates)
        assert len(list(app.chat.walk_children())) == before
        assert all(not item.children for item in app.chat.conversation.messages)
        assert live.updates <= 20


async def test_only_the_newest_messages_stay_mounted_and_the_older_come_back() -> None:
    session = FakeSession(replay=long_replay(420))
    app, _ = app_with(session)
    async with app.run_test(size=(100, 30)) as pilot:
        talk = app.chat.conversation
        await until(pilot, lambda: talk.earlier + len(talk.messages) == 420 and talk.earlier)
        assert len(talk.messages) < 260
        before = talk.earlier
        assert before > 160
        await until(pilot, lambda: talk.scroll_offset.y == talk.max_scroll_y > 900)
        talk.scroll_to(y=0, animate=False)
        await until(pilot, lambda: talk.earlier == before - 50)
        await until(pilot, lambda: talk.scroll_offset.y > 50)
        assert talk.earlier + len(talk.messages) == 420


async def test_reading_further_up_is_not_moved_by_new_output() -> None:
    session = FakeSession(replay=long_replay(60))
    app, _ = app_with(session)
    async with app.run_test(size=(80, 24)) as pilot:
        talk = app.chat.conversation
        await until(pilot, lambda: len(talk.messages) == 60)
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.busy and len(talk.messages) == 61)
        await until(pilot, lambda: talk.scroll_offset.y == talk.max_scroll_y)
        await pilot.press("pageup", "pageup", "pageup")
        await until(pilot, lambda: talk.reading)
        at = talk.scroll_offset.y
        session.say(e.MessageStarted(1), e.TextDelta("token\n\n" * 100))
        await until(pilot, lambda: talk.news and app.chat.below.display)
        await until(pilot, lambda: "New output below" in shown(app))
        assert talk.scroll_offset.y == at
        await pilot.press("ctrl+end")
        await until(pilot, lambda: talk.scroll_offset.y == talk.max_scroll_y)
        assert not app.chat.below.display


async def test_typing_goes_on_while_an_answer_streams() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("x", "enter")
        await until(pilot, lambda: session.busy)
        session.say(e.MessageStarted(1))
        for char in "你好 world":
            session.say(e.TextDelta("word " * 20))
            await pilot.press("space" if char == " " else char)
        assert app.chat.composer.text == "你好 world"
        session.end()
        await until(pilot, lambda: "— cut here" in shown(app))


async def test_words_sent_while_a_turn_runs_wait_until_they_are_taken() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("a", "enter")
        await until(pilot, lambda: session.busy)
        await pilot.press("b", "enter")
        await until(pilot, lambda: session.prompts == ["a", "b"])
        waiting = [item for item in app.chat.conversation.messages if item.has_class("-waiting")]
        assert len(waiting) == 1
        session.say(e.Steered("b"))
        await until(pilot, lambda: not app.chat.query(".-waiting"))
        texts = [i.text for i in app.chat.conversation.messages if isinstance(i, UserMessage)]
        assert texts == ["a", "b"]
        session.end()


async def test_words_that_waited_go_back_to_the_composer_when_the_turn_is_stopped() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await pilot.press("a", "enter")
        await until(pilot, lambda: session.busy)
        await pilot.press("b", "enter", "c")
        await pilot.press("escape")
        await until(pilot, lambda: session.cancels == 1)
        await until(pilot, lambda: app.chat.composer.text == "b\nc")
        assert "Stopped." in notices(app)


async def test_what_is_sent_before_the_session_is_open_is_sent_when_it_opens() -> None:
    bench = FakeWorkbench([session := FakeSession()], gate=asyncio.Event())
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("h", "i", "enter", "x")
        await until(pilot, lambda: "hi" in shown(app))
        assert session.prompts == []
        assert bench.gate is not None
        bench.gate.set()
        await until(pilot, lambda: session.prompts == ["hi"])
        await until(pilot, lambda: not app.chat.query(".-waiting"))
        assert app.chat.composer.text == "x"
        session.end()


async def test_a_session_that_does_not_open_is_told_and_tried_again() -> None:
    bench = FakeWorkbench([session := FakeSession()])
    bench.failure = ModelError("nobody answered at 127.0.0.1:9", "start the server")
    app, _ = app_with(session, bench=bench)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "nobody answered" in shown(app) and "start the" in shown(app))
        await pilot.press("h", "enter")
        await until(pilot, lambda: session.prompts == ["h"])
        session.end()


async def test_a_resumed_conversation_is_drawn_again() -> None:
    session = FakeSession(
        replay=(
            e.Replayed("user", "prune when?"),
            e.Replayed("tool", "one\ntwo", "read_file"),
            e.Replayed("assistant", "prune **late**"),
        )
    )
    app, _ = app_with(session, resume="last")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "prune late" in shown(app))
        assert app.workbench.opened == ["last"]  # type: ignore[attr-defined]
        await pilot.press("up")
        assert app.chat.composer.text == "prune when?"


@pytest.mark.parametrize("width", [80, 200])
async def test_the_screen_after_resizing_equals_a_fresh_one(width: int) -> None:
    async def drawn(sizes: list[int]) -> str:
        session = FakeSession(
            replay=(e.Replayed("user", "修剪" * 30), e.Replayed("assistant", ANSWER))
        )
        app, _ = app_with(session)
        async with app.run_test(size=(sizes[0], 40)) as pilot:
            await until(pilot, lambda: "It skips them" in shown(app))
            for size in sizes[1:]:
                await pilot.resize_terminal(size, 40)
                await pilot.pause()
            await until(pilot, lambda: app.chat.conversation.size.width > 0)
            await pilot.pause()
            return shown(app)

    assert await drawn([80, 200, 80, width]) == await drawn([width])


async def test_the_memory_panel_folds_away_below_110_columns() -> None:
    app, _ = app_with()
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot, app)
        assert app.chat.memory_panel.display
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: not app.chat.memory_panel.display)


@pytest.mark.parametrize("size", [(59, 24), (80, 14)])
async def test_a_window_that_is_too_small_says_so(size: tuple[int, int]) -> None:
    app, _ = app_with()
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "too small" in shown(app))
        assert "Ask, or / for commands" not in shown(app)


async def test_a_card_opens_to_its_diff_and_closes() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        session.say(e.ToolStarted("c", "edit_file", "src/prune.py", ()))
        await until(pilot, lambda: "◐ edit_file" in shown(app))
        session.say(e.ToolEnded("c", "edit_file", False, detail(DIFF, "diff"), 0.5, "mem://7"))
        await until(pilot, lambda: "● edit_file" in shown(app))
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "+    if node.children_done" in shown(app))
        assert "mem://7" in shown(app)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: "children_done" not in shown(app))


async def test_a_card_in_focus_opens_with_enter_and_with_a_click() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        session.say(specimen()[0])
        await until(pilot, lambda: "1 memory" in shown(app))
        card = app.chat.query_one(RecallCard)
        card.focus()
        await pilot.press("enter")
        await until(pilot, lambda: "mem://01J" in shown(app) and "2026-05-03 14:02" in shown(app))
        await pilot.click(RecallCard)
        await until(pilot, lambda: "mem://01J" not in shown(app))


async def test_long_output_is_bounded_and_says_where_the_whole_is() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        body = "\n".join(f"line {number}" for number in range(5_000))
        session.say(e.ToolEnded("c", "shell", True, detail(body, "shell"), 75, "mem://8"))
        await until(pilot, lambda: "✗ shell" in shown(app) and "1 m 15 s" in shown(app))
        await pilot.press("ctrl+o")
        card = app.chat.query_one(ToolCard)
        await until(pilot, lambda: card.size.height > 100)
        assert card.size.height < 260


HOSTILE = (
    "a\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ "
    "\u202ereversed\u202c [red]tag[/red] [@click=app.quit]x[/] \x00\x07\x9b2J \ud800"
)


async def test_hostile_text_reaches_the_terminal_as_plain_signs() -> None:
    app, session = app_with()
    async with app.run_test(size=(160, 40)) as pilot:
        await ready(pilot, app)
        session.say(
            e.TurnStarted(1, HOSTILE),
            e.ToolStarted("c", HOSTILE, HOSTILE, (HOSTILE,)),
            e.ToolProgress("c", HOSTILE),
            e.Notice("info", HOSTILE),
            e.MessageStarted(1),
            e.TextDelta(HOSTILE),
        )
        await until(pilot, lambda: app.chat.conversation.live.updates)
        session.say(
            e.MessageEnded("", f"{HOSTILE}\n\n```sh\n{HOSTILE}\n```", "end"),
            e.QuestionAsked("q", HOSTILE, (HOSTILE,)),
        )
        await until(pilot, lambda: app.chat.conversation.open_asks)
        await pilot.pause()
        text = shown(app)
        assert "[red]tag[/red]" in text and "⟨U+202E⟩" in text
        for char in "\x1b\x00\x07\x9b\u202e\ud800":
            assert char not in text
        assert "owned" not in text


async def test_each_end_of_a_turn_is_told_with_what_to_do() -> None:
    app, session = app_with()
    async with app.run_test(size=(100, 30)) as pilot:
        await ready(pilot, app)
        await pilot.press("a", "enter")
        await until(pilot, lambda: session.busy)
        session.end("length")
        await until(pilot, lambda: "/continue goes on." in shown(app))
        await send(pilot, "/continue")
        await until(pilot, lambda: session.prompts == ["a", "continue"])
        session.end("failed", "the server hung up")
        await until(pilot, lambda: "/retry sends" in shown(app) and "hung up" in shown(app))
        await send(pilot, "/retry")
        await until(pilot, lambda: session.prompts == ["a", "continue", "continue"])
        session.end()


async def test_leaving_lets_go_of_the_workbench() -> None:
    app, _ = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "/quit")
        await until(pilot, lambda: not app.is_running)
    assert app.workbench.closed  # type: ignore[attr-defined]


async def test_copying_gives_the_words_without_our_line_breaks() -> None:
    text = "ab汉字cd " + "修剪枝节点" * 20 + " and the end"
    session = FakeSession(replay=(e.Replayed("assistant", text), e.Replayed("user", text)))
    app, _ = app_with(session)
    async with app.run_test(size=(70, 24)) as pilot:
        for kind in (AssistantMessage, UserMessage):
            await until(pilot, lambda kind=kind: bool(app.chat.query(kind)))
            message = app.chat.query_one(kind)
            await until(pilot, lambda message=message: message.content_size.height >= 3)
            inner = message.content_region.offset - message.region.offset
            await pilot.mouse_down(kind, offset=inner)
            await pilot.hover(kind, offset=inner + Offset(10, message.content_size.height - 1))
            await pilot.mouse_up(kind, offset=inner + Offset(40, message.content_size.height - 1))
            await until(pilot, lambda: bool(app.screen.get_selected_text()))
            chosen = app.screen.get_selected_text()
            assert chosen is not None and text.startswith(chosen) and len(chosen) > 90
            app.screen.clear_selection()


async def test_a_session_that_cannot_be_opened_leaves_the_one_that_is() -> None:
    app, session = app_with()
    async with app.run_test(size=(80, 24)) as pilot:
        await ready(pilot, app)
        await send(pilot, "first words")
        await until(pilot, lambda: session.prompts == ["first words"])
        app.workbench.failure = ModelError("There is no session 'typo'.", "")
        await send(pilot, "/resume typo")
        await until(pilot, lambda: "no session" in shown(app))
        assert app.session is session
        assert "first words" in shown(app)
        await send(pilot, "and more")
        await until(pilot, lambda: session.prompts == ["first words", "and more"])
