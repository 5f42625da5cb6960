"""Scenes: every state of the screen that is worth a picture, played through the fake session.

Each scene is brought to a standstill: the clock, the version, the throbber and the cursor are
pinned (`stand_still`), so that a scene draws the same cells in every run and on every machine.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot

from growbox_tui.agent import events as e
from growbox_tui.app import GrowboxApp
from growbox_tui.widgets.composer import Draft
from growbox_tui.widgets.recall_card import RecallCard
from growbox_tui.widgets.tool_card import ToolCard
from tests.doubles.patience import FOR_EVER
from tests.tui import happenings as h
from tests.tui import maps as m
from tests.tui import specimens as s
from tests.tui.fake_session import (
    ANSWER,
    FakeSession,
    FakeSettings,
    FakeWorkbench,
    send,
    shell_ask,
    takes_answers,
    until,
)
from tests.tui.stories import RULES, STORY

CLOCKS = ("memory", "pointer", "recall", "sessions", "cache", "pins")
"""The screens that look at the clock."""
NARROW, WIDE, FULL = (80, 24), (120, 36), (200, 50)
QUESTION = "Look at @src/prune.py: why does the pruning job skip branch nodes?"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a scene plays on."""

    pilot: Pilot[Any]
    app: GrowboxApp
    session: FakeSession

    async def ask(self, words: str = QUESTION) -> None:
        """Send words and wait until their turn runs."""
        await send(self.pilot, words)
        await until(self.pilot, lambda: self.session.busy and not self.app.query(".-waiting"))

    async def open_cards(self, count: int) -> None:
        """Open every card of the conversation, once ``count`` of them are there."""
        await until(self.pilot, lambda: len(self.cards()) == count)
        for card in self.cards():
            card.action_turn()

    def cards(self) -> list[ToolCard | RecallCard]:
        return [*self.app.chat.query(RecallCard), *self.app.chat.query(ToolCard)]


@dataclass(frozen=True, slots=True)
class Scene:
    """A size, what is played, and words that are on the screen when it has come to its end."""

    size: tuple[int, int]
    play: Callable[[Stage], Awaitable[None]]
    shows: str
    replay: tuple[e.Event, ...] = ()


class StoppedClock(datetime):
    """The time at which all scenes play."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return s.NOW.astimezone(tz)


def stand_still(patch: pytest.MonkeyPatch) -> None:
    """Pin what differs between runs and machines and is not pinned for all tests."""
    for room in ("widgets.memory_panel", *(f"screens.{page}" for page in CLOCKS)):
        patch.setattr(f"growbox_tui.{room}.datetime", StoppedClock)
    patch.setattr("growbox_tui.screens.about.__version__", "1.2.3")
    patch.setattr("growbox_tui.widgets.status_line.FRAMES", "⠹")
    patch.setattr("growbox_tui.app.branch_of", lambda _: "main")
    # A blink that is due when blinking ends may still come after it.
    patch.setattr("textual.widgets.TextArea._toggle_cursor_blink_visible", lambda _: None)
    patch.setattr("textual.widgets.Input._toggle_cursor", lambda _: None)
    patch.setenv("HOME", "/home/ada")
    patch.setenv("TEXTUAL_ANIMATIONS", "none")


def app_for(scene: Scene, theme: str = "growbox-dark") -> GrowboxApp:
    """The program at the place where a scene begins."""
    session = FakeSession(
        project=Path("/home/ada/src/orchard"),
        model_name=s.MODELS[0],
        replay=scene.replay,
        cost=0.41,
        story=STORY,
        stated=RULES,
        known=m.MAP,
        found=[m.CLIMBED, m.READ],
        explained=m.CLIMBED,
    )
    bench = FakeWorkbench(
        [session],
        project=session.project,
        settings=FakeSettings(theme),
        listed=tuple(s.SESSIONS),
        names=tuple(s.MODELS),
        figures=s.STATE,
    )
    return GrowboxApp(cast(Any, bench))


async def play(scene: Scene, pilot: Pilot[Any]) -> None:
    """Play a scene to its end, where nothing moves any more."""
    app = cast(GrowboxApp, pilot.app)
    await until(pilot, lambda: app.session is not None and app.router.figures.model)
    await scene.play(Stage(pilot, app, cast(FakeSession, app.session)))
    await until(pilot, lambda: scene.shows in s.shown(app))
    for widget in app.screen.walk_children():
        if hasattr(widget, "cursor_blink"):
            widget.cursor_blink = False
    await standstill(pilot)


async def standstill(pilot: Pilot[Any], frames: int = 6) -> None:
    """Wait until words and colours of all screens, covered ones too, stay for some frames."""
    before: object = None
    same = 0
    end = time.monotonic() + FOR_EVER
    while time.monotonic() < end:
        await pilot.pause(0.02)
        now = [screen._compositor.render_strips() for screen in pilot.app.screen_stack]
        same = same + 1 if now == before else 0
        if same == frames:
            return
        before = now
    raise AssertionError("it never stood still")


async def new(stage: Stage) -> None:
    pass


async def conversation(stage: Stage) -> None:
    await stage.ask()
    stage.session.say(*h.turn())
    await until(stage.pilot, lambda: stage.app.chat.conversation.live.updates)


async def finished(stage: Stage) -> None:
    await conversation(stage)
    stage.session.say(*h.ran("run", "exit 0"), e.MessageEnded(h.WHERE, ANSWER, "end"), h.USAGE)
    stage.session.end()
    await until(stage.pilot, lambda: stage.app.router.figures.state == "ready")


async def chinese(stage: Stage) -> None:
    await stage.ask("请看 @src/修剪.py 为什么剪枝任务会跳过枝节点？")
    stage.session.say(s.RECALLED, h.PROMPT, *h.WRITE, e.MessageStarted(1))
    stage.session.say(e.MessageEnded(h.WHERE, h.ZH, "end"))
    stage.session.end()


async def broken_prefix(stage: Stage) -> None:
    await stage.ask()
    cause = "message 4 differs: the tools were sorted another way"
    stage.session.say(
        s.RECALLED,
        e.PromptBuilt(3, 2, s.SEGMENTS, 57_100, 12_000, cause),
        e.UsageReported(3, None, None, None, None, None, 2.0, 12_000, ""),
        e.MessageStarted(3),
        e.ThinkingDelta("The pruning job reads the tree twice, so the second reading sees nodes "),
        e.ThinkingDelta("that the first one has closed; let me look at both."),
    )


def cards(*events: e.Event, opened: int = 0) -> Callable[[Stage], Awaitable[None]]:
    """These events; then ``opened`` cards, all that there are, are opened."""

    async def played(stage: Stage) -> None:
        await stage.ask()
        stage.session.say(*events)
        if opened:
            await stage.open_cards(opened)

    return played


def asked(event: e.ApprovalAsked | e.QuestionAsked) -> Callable[[Stage], Awaitable[None]]:
    """Something waits for the user in the middle of a turn."""

    async def played(stage: Stage) -> None:
        await stage.ask()
        stage.session.say(s.RECALLED, h.PROMPT, *h.READ, event)
        chat = stage.app.chat
        await until(stage.pilot, lambda: chat.query("ApprovalCard, QuestionCard Input"))
        await until(stage.pilot, lambda: chat.focused is not chat.composer)

    return played


async def refused(stage: Stage) -> None:
    await asked(shell_ask())(stage)
    await until(stage.pilot, lambda: takes_answers(stage.app))
    await stage.pilot.press("n")
    await until(stage.pilot, lambda: bool(stage.app.chat.query("Input")))


async def failed(stage: Stage) -> None:
    await stage.ask()
    say = stage.session.say
    say(h.PROMPT, *h.READ, e.Retrying(4.0, 2, "The provider is overloaded.", False))
    say(e.Notice("warning", "@notes.bin was not attached: it is not text"), e.MessageStarted(1))
    say(e.TextDelta("It skips them because"))
    say(e.Failed("Unreachable", "Nobody answered at http://127.0.0.1:11434/v1 within 60 s.",
                 "Start the server, or choose another model with /model."))  # fmt: skip
    stage.session.end("failed")


async def resumed(stage: Stage) -> None:
    await until(stage.pilot, lambda: len(stage.cards()) == 2)


async def napped(stage: Stage) -> None:
    stage.session.say(e.Rebased(8, "the region grew", 12, 9), e.Napped(3, 1, 12_431, 9))


def typed(text: str) -> Callable[[Stage], Awaitable[None]]:
    """This stands in the composer."""

    async def played(stage: Stage) -> None:
        stage.app.chat.composer.put(Draft(text))
        stage.app.chat.offer()

    return played


def opened(*keys: str) -> Callable[[Stage], Awaitable[None]]:
    """A screen over the conversation."""

    async def played(stage: Stage) -> None:
        await conversation(stage)
        # What a screen covers does not go on being laid out; it may shine through.
        await standstill(stage.pilot)
        if keys[0].startswith("/"):
            stage.session.end()
            await send(stage.pilot, keys[0])
        else:
            await stage.pilot.press(*keys)
        await until(stage.pilot, lambda: stage.app.screen is not stage.app.chat)

    return played


def page(command: str, *keys: str) -> Callable[[Stage], Awaitable[None]]:
    """A page of a command, and keys that are pressed on it."""

    async def played(stage: Stage) -> None:
        await opened(command)(stage)
        await until(stage.pilot, lambda: stage.app.screen.focused is not None)
        await stage.pilot.press(*keys)

    return played


def unsure(command: str, *keys: str) -> Callable[[Stage], Awaitable[None]]:
    """As ``page``, where nothing but likeness found anything."""

    async def played(stage: Stage) -> None:
        stage.session.explained, stage.session.found = m.LIKELY, [m.LIKELY]
        await page(command, *keys)(stage)

    return played


async def climbing(stage: Stage) -> None:
    """Memory is being asked: two steps are climbed."""
    stage.session.step = asyncio.Semaphore(2)
    await opened(f"/recall {m.ASKED}")(stage)


async def called_wrong(stage: Stage) -> None:
    """A recall, and what was found when it was called wrong."""
    await stage.ask()
    stage.session.say(m.LIKELY)
    stage.session.end()
    stage.session.found = [m.READ]
    await send(stage.pilot, "/wrong")


async def told(stage: Stage) -> None:
    """Everything that an epoch, a rule, a pin, late tools and pings say in the conversation."""
    await stage.ask()
    kept = "rule 4 is kept: “一律用四个空格缩进”"
    stage.session.say(
        e.Rebased(8, "the tail outgrew its share", 12, 9, False, 47_700, 31_200),
        e.Rebased(9, "a cold start", 12, 9, True, 47_700, 24_000),
        e.Steered("一律用四个空格缩进"),
        e.RulesChanged(RULES, kept, "kept"),
        e.RulesChanged(RULES, "said already: it is rule 2", "merged"),
        e.HandsArrived(("clock", "日历")),
        replace(h.PROMPT, bound=43_300),
        replace(h.USAGE, bound=43_300),
    )
    stage.session.end()
    stage.session.say(e.Warmed(2, 19, 47_700, 0.01, 0.02))


async def pinned(stage: Stage) -> None:
    """Memories of which some are pinned and one is dropped, in the panel."""
    items = tuple(
        replace(item, pinned=at in (1, 2), leaving=at == 4) for at, item in enumerate(s.ITEMS)
    )
    await stage.ask()
    stage.session.say(s.RECALLED, e.WindowChanged(items), h.PROMPT)
    expired = "6 min 12 s passed since the last request, its cache lives 5 min"
    stage.session.say(replace(h.USAGE, cache_read=0, kind="expiry", cause=expired, bound=43_300))


SCENES: dict[str, Scene] = {
    "new": Scene(NARROW, new, "ready"),
    "chat_narrow": Scene(NARROW, conversation, "read this"),
    "chat_wide": Scene(WIDE, conversation, "read this"),
    "chat_full": Scene(FULL, finished, "read this"),
    "chinese": Scene(NARROW, chinese, "完成了才剪"),
    "broken_prefix": Scene(NARROW, broken_prefix, "let me look"),
    "cards_closed": Scene(NARROW, cards(s.RECALLED, *h.KINDS, *h.RUNNING), "1 running"),
    "shell_open": Scene(
        NARROW, cards(*h.SHELL, *h.SHELL_FAILED, *h.RUNNING, opened=3), "1 running"
    ),
    "file_and_diff_open": Scene(
        NARROW, cards(*h.READ, *h.EDIT, *h.WRITE, opened=3), "assert prune"
    ),
    "finds_open": Scene(NARROW, cards(*h.LISTING, *h.MATCHES, *h.TEXT, opened=3), "It is three."),
    "plan_and_question_open": Scene(NARROW, cards(*h.PLANNED, *h.ASKED, opened=2), "release/2.1"),
    "recall_open": Scene(NARROW, cards(s.RECALLED, *h.RECALL_HAND, opened=2), "的约定"),
    "approval_shell": Scene(NARROW, asked(shell_ask()), "for this session"),
    "approval_edit": Scene(NARROW, asked(h.EDIT_ASK), "for this session"),
    "approval_wide": Scene(WIDE, asked(h.EDIT_ASK), "for this session"),
    "approval_refused": Scene(NARROW, refused, "Why not?"),
    "question": Scene(NARROW, asked(h.ASK), "A number, or your own words"),
    "failed": Scene(NARROW, failed, "/retry sends"),
    "resumed": Scene(NARROW, resumed, "prune late", h.REPLAY),
    "napped": Scene(NARROW, napped, "recall finds them"),
    "commands": Scene(NARROW, typed("/"), "/help"),
    "files": Scene(NARROW, typed("look at @src"), "src/prune.py"),
    "shell_mode": Scene(NARROW, typed("!git status\nand 一二三"), "git status"),
    "help": Scene(NARROW, opened("f1"), "esc"),
    "about": Scene(NARROW, opened("/about"), "gliding_horse"),
    "sessions": Scene(NARROW, opened("ctrl+r"), "type to narrow"),
    "memory": Scene(NARROW, opened("f2"), "12,431"),
    "memory_wide": Scene(WIDE, page("/memory", "tab", "tab"), "12,431"),
    "memory_jump": Scene(NARROW, page("/memory", "tab", "down"), "u Undo"),
    "pointer": Scene(NARROW, page("/memory", "enter"), "Misleads"),
    "pointer_wide": Scene(WIDE, page("/memory", "enter"), "Misleads"),
    "recall_climbing": Scene(NARROW, climbing, "pointers"),
    "recall": Scene(NARROW, page(f"/recall {m.ASKED}", "down"), "Deeper"),
    "recall_wide": Scene(WIDE, page(f"/recall {m.ASKED}"), "Deeper"),
    "recall_price": Scene(NARROW, page("/recall 枝节点算不算叶子？", "x"), "Shall it?"),
    "recall_read": Scene(WIDE, page("/recall 枝节点算不算叶子？", "x", "y"), "all of it"),
    "recall_unsure": Scene(NARROW, unsure(f"/recall {m.ASKED}"), "able"),
    "recall_wrong": Scene(NARROW, page(f"/recall {m.ASKED}", "w"), "Learned"),
    "why": Scene(NARROW, page("/why"), "What may be missing"),
    "why_wide": Scene(WIDE, unsure("/why"), "What may be missing"),
    "recall_card_open": Scene(WIDE, cards(m.CLIMBED, opened=1), "led here"),
    "dug_deeper": Scene(NARROW, called_wrong, "dug deeper"),
    "models": Scene(NARROW, opened("/model"), "kimi-k2"),
    "themes": Scene(NARROW, opened("ctrl+t"), "contrast"),
    "cache": Scene(NARROW, page("/cache"), "as forecast"),
    "cache_wide": Scene(WIDE, page("/cache", "down", "down"), "it forgot"),
    "cache_misses": Scene(NARROW, page("/cache", "m", "s"), "most avoidable"),
    "rules": Scene(NARROW, page("/rules", "down", "down"), "added while"),
    "rules_wide": Scene(WIDE, page("/rules", "d"), "Delete this rule?"),
    "rules_edit": Scene(NARROW, page("/rules", "down", "enter"), "制表符"),
    "pins": Scene(NARROW, page("/pin"), "type to narrow"),
    "told": Scene(NARROW, told, "kept warm"),
    "pinned": Scene(WIDE, pinned, "expired"),
    "palette": Scene(NARROW, opened("ctrl+p"), "/help"),
    "too_small": Scene((59, 14), new, "too small"),
}
