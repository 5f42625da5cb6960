"""MemoryPanel: what stands in the model's window now, hottest first; what recall last found; and
the size of the memory file. It shows as many memories as it has lines for and says how many more
there are; the memory screen has them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from growbox_tui.widgets.figures import (
    DOT,
    HEAT,
    count,
    fit,
    heat_rank,
    pad_left,
    percent,
    plural,
    size,
    when,
)
from growbox_tui.widgets.recall_words import answered, cost, unread
from growbox_tui.widgets.safe_text import one_line, unmarked

if TYPE_CHECKING:
    from growbox_tui.agent.events import Recalled, WindowChanged, WindowItemView
    from memory.types import MemoryState

HEAT_COLOURS = ("$heat-hot", "$heat-warm", "$heat-cool")
TIME = 6
"""Cells of a time: ``14:02``, ``28 Apr``."""
PIN = "*"
"""Before the words of a memory that the user pinned."""
LEAVING = "-"
"""Before the words of a memory that the user dropped."""


def heading(words: str, figure: str = "") -> Content:
    """The title of a section, with a figure behind it."""
    return Content.assemble(
        (words, "bold $primary"), (DOT + figure if figure else "", "$text-muted")
    )


def wish(item: WindowItemView) -> tuple[str, str]:
    """The sign of what the user wants of a memory, and its style; a blank where that is nothing."""
    if item.leaving:
        return LEAVING, "$text-muted"
    return PIN if item.pinned else " ", "bold $text-accent"


def window_row(item: WindowItemView, hottest: float, now: datetime, cells: int) -> Content:
    """Heat, time and label of one memory, at most ``cells`` cells."""
    rank = heat_rank(item.heat, hottest)
    return Content.assemble(
        (HEAT[rank], HEAT_COLOURS[rank]),
        " ",
        (pad_left(when(item.at, now), TIME), "$text-muted"),
        " ",
        wish(item),
        fit(unmarked(item.label), max(0, cells - TIME - 4)),
    )


def ways_found(event: Recalled) -> str:
    """``2 vector, 1 text``: how many each way found; a way that found nothing says ``0``."""
    tried = list(event.ways) + [
        way for hit in event.hits for way in hit.ways if way not in event.ways
    ]
    found = {way: sum(way in hit.ways for hit in event.hits) for way in tried}
    return ", ".join(f"{number} {one_line(way)}" for way, number in found.items())


def recall_lines(event: Recalled | None, cells: int) -> list[Content]:
    """The last recall: what was asked, how much came by which way, how long it took."""
    if event is None:
        return [Content.styled(fit("nothing recalled yet", cells), "$text-muted")]
    found = f"{plural(len(event.hits), 'memory', 'memories')} in {event.ms:.0f} ms"
    lines = [
        Content(fit(one_line(event.query), cells)),
        Content.styled(fit(found, cells), "$text-muted"),
    ]
    ways = answered(event) if event.answered_by not in ("", "near") else ways_found(event)
    ways = ", ".join(filter(None, (ways, cost(event))))
    if ways:
        lines.append(Content.styled(fit(ways, cells), "$text-muted"))
    if not event.complete and not event.unread:
        lines.append(Content.styled(fit("not all ways could be tried", cells), "$warning"))
    elif not event.complete:
        words = f"incomplete: {unread(event):,} unread"
        lines.append(Content.styled(fit(words, cells), "$text-muted"))
    return lines


def state_lines(state: MemoryState | None, cells: int) -> list[Content]:
    """The memory file in figures, numbers on the right."""
    if state is None:
        return [Content.styled(fit("the memory file is not open yet", cells), "$text-muted")]
    embedded = count(state.embedded)
    if state.nodes:
        embedded += f" ({percent(state.embedded_share)})"
    rows = (
        ("memories", f"{state.nodes:,}"),
        ("embedded", embedded),
        ("sessions", f"{state.sessions:,}"),
        ("file", size(state.bytes)),
    )
    lines = []
    for name, figure in rows:
        room = max(0, cells - len(name))
        lines.append(Content.assemble((name, "$text-muted"), pad_left(figure, room)))
    return lines


class MemoryPanel(Widget):
    """A column beside the conversation. It never takes the focus and nothing in it moves."""

    DEFAULT_CSS = """
    MemoryPanel {
        width: 36;
        height: 1fr;
        padding: 1 2;
        color: $foreground;
        background: $surface;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._items: tuple[WindowItemView, ...] = ()
        self._recalled: Recalled | None = None
        self._figures: MemoryState | None = None

    def window(self, event: WindowChanged) -> None:
        """Show what stands in the window now."""
        self._items = event.items
        self.refresh()

    def recalled(self, event: Recalled) -> None:
        """Show what recall found."""
        self._recalled = event
        self.refresh()

    def state(self, state: MemoryState) -> None:
        """Show the memory file's figures."""
        self._figures = state
        self.refresh()

    def render(self) -> Content:
        """The window list takes what the other two sections leave."""
        cells, rows = self.size
        below = [
            Content(""),
            heading("Last recall"),
            *recall_lines(self._recalled, cells),
            Content(""),
            heading("Memory"),
            *state_lines(self._figures, cells),
        ]
        room = max(1, rows - len(below) - 1)
        title = heading("In the window", str(len(self._items)) if self._items else "")
        lines = [title, *window_lines(self._items, datetime.now(UTC), cells, room), *below]
        return Content("\n").join(lines[: max(1, rows)])


def window_lines(
    items: Sequence[WindowItemView], now: datetime, cells: int, rows: int
) -> list[Content]:
    """At most ``rows`` lines; where not all fit, the last one says how many are left out."""
    if not items:
        words = "nothing remembered stands before", "the model yet"
        return [Content.styled(fit(line, cells), "$text-muted") for line in words][:rows]
    hottest = max(item.heat for item in items)
    shown = len(items) if len(items) <= rows else rows - 1
    lines = [window_row(item, hottest, now, cells) for item in items[:shown]]
    if shown < len(items):
        more = f"and {len(items) - shown} more (f2)"
        lines.append(Content.styled(fit(more, cells), "$text-muted"))
    return lines
