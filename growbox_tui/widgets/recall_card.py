"""RecallCard: what memory found for a question, by which ways, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.detail_rows import INDENT
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import safe
from growbox_tui.widgets.tool_card import head_line

if TYPE_CHECKING:
    from textual.events import Click
    from textual.selection import Selection

    from growbox_tui.agent.events import HitView, Recalled


def ways_words(event: Recalled) -> str:
    """``2 vector · 1 text · 0 time``: for each way that was tried, how many it found."""
    counts = Counter(way for hit in event.hits for way in hit.ways)
    words = " · ".join(f"{counts[way]} {way}" for way in event.ways)
    return words if event.complete else f"{words} · incomplete"


class RecallCard(Static, can_focus=True):
    """A card like any tool's; opens to the passages with their address and time."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "turn", "Open or close", show=False)]

    def __init__(self, event: Recalled) -> None:
        self.event = event
        self.opened = False
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False)

    def again(self) -> Callable[[], RecallCard]:
        """How to make this widget anew."""
        event = self.event
        return lambda: RecallCard(event)

    def action_turn(self) -> None:
        """Open it, or close it."""
        self.opened = not self.opened
        self._page = Page(self._rows)
        put(self, self._page)

    def on_click(self, event: Click) -> None:
        event.stop()
        if not self.screen.get_selected_text():
            self.action_turn()

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _rows(self, width: int) -> list[Row]:
        count = len(self.event.hits)
        found = f"{count} {'memory' if count == 1 else 'memories'}" if count else "nothing found"
        sign = ("●", "$text-success") if self.event.complete else ("!", "$text-warning")
        figures = f"{self.event.ms:.0f} ms"
        rows = [Row(head_line(sign, "recall", found, ways_words(self.event), figures, width))]
        if self.opened:
            for hit in self.event.hits:
                rows.extend(self._hit_rows(hit, width))
        return rows

    def _hit_rows(self, hit: HitView, width: int) -> list[Row]:
        place = "now in the prompt" if hit.placed else "stood in the prompt already"
        ways = " + ".join(hit.ways)
        facts = f"{hit.at} · {hit.role} · {ways} · {hit.score:.2f} · {place}"
        rows = wrapped(Content.styled(hit.address, "$text-accent"), width, INDENT, INDENT)
        rows.extend(wrapped(Content.styled(facts, "$text-muted"), width, INDENT, INDENT))
        rows.extend(wrapped(Content(safe(hit.text).strip()), width, INDENT, INDENT))
        return rows
