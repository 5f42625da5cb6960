"""MemoryScreen: the memory file in figures, what stands in the window, and what was last recalled,
each memory with the address that the recall hand takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.figures import (
    HEAT,
    count,
    fit_left,
    heat_rank,
    pad,
    pad_left,
    percent,
    plural,
    size,
    when,
)
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.memory_panel import HEAT_COLOURS, LEAVING, PIN, TIME, heading, wish
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, WindowItemView
    from memory.types import MemoryState

WIDE = 110
"""Cells from which an address stands in its memory's own line; below, it follows in the next."""
INDENT = 10
WAYS = 18


def figures(state: MemoryState | None, cells: int) -> list[Content]:
    """Path, embedder and numbers."""
    if state is None:
        return [Content.styled("The memory file is not open yet.", "$text-muted")]
    share = f" ({percent(state.embedded / state.nodes)})" if state.nodes else ""
    rows = (
        ("file", f"{fit_left(one_line(state.path), max(10, cells - 24))}, {size(state.bytes)}"),
        ("memories", f"{state.nodes:,}"),
        ("embedded", f"{state.embedded:,}{share} by {one_line(state.embedder) or 'nobody yet'}"),
        ("sessions", f"{state.sessions:,}"),
    )
    return [Content.assemble((pad(name, INDENT), "$text-muted"), words) for name, words in rows]


def with_address(line: Content, words: str, address: str, cells: int) -> list[Content]:
    """A row and the address: at the right edge where there is room, else in a line below."""
    address = one_line(address)
    free = cells - line.cell_length
    if cells >= WIDE:
        words = pad(one_line(words), max(0, free - cell_len(address) - 2))
        return [Content.assemble(line, words, "  ", (address, "$text-muted"))]
    return [
        Content.assemble(line, pad(one_line(words), max(0, free))),
        Content.assemble(" " * INDENT, (fit_left(address, cells - INDENT), "$text-muted")),
    ]


def window_table(items: Sequence[WindowItemView], now: datetime, cells: int) -> list[Content]:
    """Heat, time, tokens, place, label and address; hottest first."""
    if not items:
        return [
            Content.styled(
                "Nothing remembered stands before the model yet. What recall finds is put here.",
                "$text-muted",
            )
        ]
    hottest = max(item.heat for item in items)
    lines: list[Content] = []
    for item in items:
        rank = heat_rank(item.heat, hottest)
        lead = Content.assemble(
            (HEAT[rank], HEAT_COLOURS[rank]),
            " ",
            (pad_left(when(item.at, now), TIME), "$text-muted"),
            "  ",
            (pad_left(count(item.tokens), 6), "$text-muted"),
            "  ",
            (pad(item.place, 6), "$secondary"),
            " ",
            wish(item),
        )
        lines += with_address(lead, item.label, item.address, cells)
    return lines


def hit_table(hits: Sequence[HitView], now: datetime, cells: int) -> list[Content]:
    """Time, ways, whether it was placed, text and address; best first."""
    if not hits:
        return [Content.styled("Nothing recalled yet in this run.", "$text-muted")]
    lines: list[Content] = []
    for hit in hits:
        lead = Content.assemble(
            "  ",
            (pad_left(when(hit.at, now), TIME), "$text-muted"),
            "  ",
            (pad(one_line(" + ".join(hit.ways)), WAYS), "$secondary"),
            (pad("placed" if hit.placed else "there", 8), "$text-muted"),
        )
        lines += with_address(lead, hit.text, hit.address, cells)
    return lines


def memory_page(
    state: MemoryState | None,
    items: Sequence[WindowItemView],
    hits: Sequence[HitView],
    now: datetime,
    cells: int,
) -> Content:
    """The whole page for a width in cells."""
    tokens = count(sum(item.tokens for item in items))
    in_window = f"{plural(len(items), 'memory', 'memories')}, {tokens} tokens" if items else ""
    if pinned := sum(item.pinned for item in items):
        in_window += f", {pinned} pinned ({PIN})"
    if leaving := sum(item.leaving for item in items):
        in_window += f", {leaving} leaving ({LEAVING})"
    lines = [
        *figures(state, cells),
        Content(""),
        heading("In the window", in_window),
        *window_table(items, now, cells),
        Content(""),
        heading("Last recall", plural(len(hits), "memory", "memories") if hits else ""),
        *hit_table(hits, now, cells),
    ]
    return Content("\n").join(lines)


class MemoryScreen(ModalScreen[None]):
    """A page that scrolls."""

    DEFAULT_CSS = page_css("MemoryScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f2", "leave", "Back")]

    def __init__(
        self,
        state: MemoryState | None,
        items: Sequence[WindowItemView] = (),
        hits: Sequence[HitView] = (),
    ) -> None:
        """``hits`` are those of the last recall."""
        super().__init__()
        self._state = state
        self._items = items
        self._hits = hits

    def compose(self) -> ComposeResult:
        """Title, page, keys."""
        yield title("Memory", "what is kept, and what the model has before it")
        with VerticalScroll(classes="page--body"):
            yield Static(markup=False)
        yield KeyLine([("up/down", "Scroll"), ("escape", "Back")])

    def on_resize(self) -> None:
        """Lay the page out for the new width."""
        body = self.query_one(VerticalScroll)
        cells = max(40, self.size.width - 2 - body.scrollbar_size_vertical)
        page = memory_page(self._state, self._items, self._hits, datetime.now(UTC), cells)
        body.query_one(Static).update(page)

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
