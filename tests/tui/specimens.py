"""Specimens: sample values and a bare app for the chrome, and a measure of what was drawn.

`measured` reads the compositor's own strips, so that it sees every colour as it reaches the
terminal: after `auto`, after tints, after component classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from textual.app import App, ComposeResult
from textual.color import Color
from textual.containers import Horizontal, Vertical

from growbox_tui.agent import events
from growbox_tui.theme_colours import contrast
from growbox_tui.themes import load_themes, variable_defaults
from growbox_tui.widgets.memory_panel import MemoryPanel
from growbox_tui.widgets.plan_list import PlanList
from growbox_tui.widgets.prefix_bar import PrefixBar
from growbox_tui.widgets.status_line import StatusLine
from growbox_tui.widgets.title_line import TitleLine
from memory.types import MemoryState, SessionInfo

NOW = datetime(2026, 5, 3, 15, 0, tzinfo=UTC)

PLAN = (
    events.PlanItem("Find where the pruning job skips branch nodes", "done"),
    events.PlanItem("Write a failing test for 枝节点", "doing"),
    events.PlanItem("Change is_leaf() and run pytest", "open"),
)

SEGMENTS = (
    events.SegmentView("tools", 1_240, "hit"),
    events.SegmentView("system", 460, "hit"),
    events.SegmentView("rules", 2_100, "hit"),
    events.SegmentView("region", 21_000, "hit"),
    events.SegmentView("tail", 18_300, "hit"),
    events.SegmentView("tail", 9_400, "broken"),
    events.SegmentView("turn", 4_600, "new"),
)
PROMPT = events.PromptBuilt(
    request=12, epoch=7, segments=SEGMENTS, total=57_100, predicted=50_100, cause=""
)
USAGE = events.UsageReported(
    request=12, input=57_100, output=412, cache_read=49_800, cache_write=None, cost=0.41,
    seconds=3.2, predicted=50_100, cause="",
)  # fmt: skip
LABELS = (
    "graft.py children_done", "decision: prune late, never early",
    "is_leaf() 的约定：只数未完成的子节点",
    "branch naming", "read src/prune.py", "run pytest -k prune", "why does the job skip nodes?",
)  # fmt: skip
ITEMS = tuple(
    events.WindowItemView(
        address=f"mem://01J9ZQ4T7K3M5N8P2R6S0V1W{number:02d}",
        label=LABELS[number % len(LABELS)],
        at=f"2025-0{1 + number % 9}-{10 + number % 18} 0{number % 9}:15",
        heat=1.0 - number / 24,
        tokens=90 + 137 * number,
        place="region" if number % 3 else "tail",
    )
    for number in range(23)
)
HITS = tuple(
    events.HitView(
        address=f"mem://01J9ZQ4T7K3M5N8P2R6S0V1X{number:02d}",
        role=("user", "assistant", "tool")[number % 3],
        at="2025-05-03 14:02",
        ways=(("vector", "text"), ("vector",), ("text", "time"))[number % 3],
        score=0.031 - number / 1000,
        text=f"{LABELS[number]}: the fix there was to test children_done instead. " * 3,
        placed=number != 1,
    )
    for number in range(3)
)
RECALLED = events.Recalled(
    query="why does the pruning job skip branch nodes?", hits=HITS, ways=("text", "vector", "time"),
    ms=21.4, tokens=640, complete=True,
)  # fmt: skip
STATE = MemoryState(
    path="/home/ada/.local/share/growbox/memory.db", nodes=12_431, sessions=87, embedded=12_400,
    embedder="wordllama-256", bytes=48_234_496,
)  # fmt: skip
SESSIONS = [
    SessionInfo(
        id=f"s{number:03d}",
        project=("/home/ada/src/orchard", "/home/ada/src/天气-station", "/srv/build")[number % 3],
        title=("Why does the pruning job skip branch nodes, and what did we decide about it?",
               "为什么剪枝任务会跳过枝节点？", "Add a --json flag")[number % 3],
        created=1_746_280_000_000 - number * 40_000_000,
        updated=1_746_281_000_000 - number * 40_000_000,
        model="anthropic/claude-sonnet-4-5",
        turns=3 + number * 7 % 41,
    )
    for number in range(30)
]  # fmt: skip
MODELS = [
    "anthropic/claude-sonnet-4-5", "anthropic/claude-haiku-4-5", "openai/gpt-5-mini",
    "deepseek/deepseek-chat", "moonshot/kimi-k2", "ollama/qwen3:8b", "llama_cpp/bundled",
]  # fmt: skip


class Specimen(App[Any]):
    """All chrome widgets in the places that the real frame gives them."""

    CSS = """
    #middle { height: 1fr; }
    #talk { width: 1fr; background: $background; }
    """

    def __init__(self, theme: str = "growbox-dark", *, filled: bool = True) -> None:
        super().__init__()
        for each in load_themes().themes:
            self.register_theme(each)
        self.theme = theme
        self.filled = filled

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variable_defaults()

    def compose(self) -> ComposeResult:
        yield TitleLine()
        yield PrefixBar()
        with Horizontal(id="middle"):
            with Vertical(id="talk"):
                yield PlanList()
            if self.size.width >= 110:
                yield MemoryPanel()
        yield StatusLine()

    def on_mount(self) -> None:
        if self.filled:
            self.fill()

    def fill(self) -> None:
        self.query_one(TitleLine).show("/home/ada/src/orchard", "main*", MODELS[0], True)
        self.query_one(PrefixBar).prompt(PROMPT)
        self.query_one(PrefixBar).usage(USAGE)
        self.query_one(PlanList).show(PLAN)
        for panel in self.query(MemoryPanel):
            panel.window(events.WindowChanged(ITEMS))
            panel.recalled(RECALLED)
            panel.state(STATE)
        self.query_one(StatusLine).update_figures(
            MODELS[0], 0.41, 57_100, 200_000, 0.87, "thinking"
        )


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text as drawn."""

    text: str
    contrast: float
    colours: str
    graphic: bool
    """Only rules and block elements: a picture, not text."""


def rows(app: App[Any]) -> list[str]:
    """What stands on the screen, a string a row."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def shown(app: App[Any]) -> str:
    return "\n".join(rows(app))


def measured(app: App[Any]) -> Iterator[Run]:
    """Every run of visible text on the screen with its contrast."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            text, style = segment.text.strip(), segment.style
            if not text or segment.control:
                continue
            assert style is not None and style.color is not None and style.bgcolor is not None, text
            ink = Color.from_rich_color(style.color)
            ground = Color.from_rich_color(style.bgcolor)
            if style.dim:
                ink = ink.blend(ground, 0.5)
            if style.reverse:
                ink, ground = ground, ink
            graphic = all("\u2500" <= sign <= "\u259f" for sign in text)
            yield Run(text, contrast(ink, ground), f"{ink.hex} on {ground.hex}", graphic)
