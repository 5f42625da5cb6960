"""ToolCard: one call of a hand. One line when closed; opens to its output or diff."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.agent.events import DetailView
from growbox_tui.widgets.detail_rows import BODY_LINES, INDENT, bounded, detail_rows
from growbox_tui.widgets.page import Page, Row, flush, put, wrapped
from growbox_tui.widgets.safe_text import in_short, one_line, safe

if TYPE_CHECKING:
    from textual.events import Click
    from textual.selection import Selection

    from growbox_tui.agent.events import Replayed, ToolEnded

NAME_WIDTH = 12
GAP = 3
"""Cells between how a call went and its figures, where the title had to be cut."""
TITLE_CELLS = 12
"""Cells of a title that stay, even where they push out how the call went."""
PROGRESS_LINES = 4
OUTPUT_LINES = 20
"""Lines of its output with which a command of the user's own opens by itself."""
PROGRESS_KEPT = 4_000
"""Characters of running output that are kept for show; the whole arrives with the end."""
_SIGNS = {
    "running": ("◐", "$text-warning"),
    "done": ("●", "$text-success"),
    "error": ("✗", "$text-error"),
    "stopped": ("✗", "$text-muted"),
    "unsuccessful": ("●", "$text-warning"),
}


def seconds_words(seconds: float) -> str:
    """``20 ms``, ``0.2 s``, ``14 s``, ``2 m 05 s``."""
    if seconds < 0.095:
        return f"{max(1, round(seconds * 1000))} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} m {int(seconds) % 60:02d} s"


def state_of(event: ToolEnded) -> str:
    """How a call went: a command that ran and said no is neither a success nor an error."""
    if event.is_error:
        return "error"
    said_no = event.detail.kind == "shell" and event.detail.summary not in ("", "exit 0")
    return "unsuccessful" if said_no else "done"


def head_line(
    sign: tuple[str, str], name: str, title: str, summary: str, figures: str, width: int
) -> Content:
    """The closed card in one row: sign with its style, name, what, how it went, figures at the
    right edge. Where it is too narrow the title is cut first, for how it went matters more."""
    lead = Content.assemble((f"{sign[0]} ", sign[1]), (f"{one_line(name):<{NAME_WIDTH}}", ""))
    what = Content(in_short(title))
    how = Content.styled(f"   {one_line(summary)}" if summary else "", "$text-muted")
    room = width - lead.cell_length - how.cell_length - len(figures) - GAP
    if what.cell_length > room >= TITLE_CELLS:
        what = what.truncate(room, ellipsis=True)
    return flush(lead + what + how, Content.styled(figures, "$text-muted"), width)


class ToolCard(Static, can_focus=True):
    """Takes the events of its call and draws itself; never asks anyone for anything."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "turn", "Open or close", show=False)]

    def __init__(self, name: str, title: str) -> None:
        self.hand = name
        self.title_words = title
        self.state = "running"
        self.opened = False
        self._brief = False
        """Whether it is open to only so much as opens by itself."""
        self._progress = ""
        self._detail: DetailView | None = None
        self._seconds = 0.0
        self._address = ""
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False)

    @classmethod
    def replayed(cls, event: Replayed) -> ToolCard:
        """A call of an earlier run: its result as the model read it, without figures."""
        card = cls(event.name, event.title or event.text.strip().split("\n", 1)[0])
        card.state = "error" if event.is_error else "done"
        card._detail = DetailView("text", "", "", event.text)
        return card

    def progress(self, text: str) -> None:
        """Output as it comes; the last lines are shown while it runs."""
        self._progress = (self._progress + text)[-PROGRESS_KEPT:]
        self._redraw()

    def ended(self, event: ToolEnded, *, opens: bool = False) -> None:
        """The call is over. ``opens``: it opens by itself, to the ends of a long output."""
        self.state = state_of(event)
        self._detail = event.detail
        self._seconds = event.seconds
        self._address = event.address
        self._progress = ""
        if opens and event.detail.body.strip():
            self.opened = self._brief = True
        self._redraw()

    def stopped(self) -> None:
        """The turn ended before the call did."""
        if self.state == "running":
            self.state = "stopped"
            self._redraw()

    def again(self) -> Callable[[], ToolCard]:
        """How to make this widget anew."""
        name, title, state = self.hand, self.title_words, self.state
        detail, seconds, address = self._detail, self._seconds, self._address
        brief = self._brief

        def make() -> ToolCard:
            card = ToolCard(name, title)
            card.state, card._detail = state, detail
            card._seconds, card._address = seconds, address
            card._brief = card.opened = brief
            return card

        return make

    def action_turn(self) -> None:
        """Open it, or close it; what is open in part opens whole first."""
        body = self._detail.body if self._detail is not None else ""
        more = self._brief and bool(bounded(body, OUTPUT_LINES)[2])
        self.opened, self._brief = more or not self.opened, False
        self._redraw()

    def on_click(self, event: Click) -> None:
        event.stop()
        if not self.screen.get_selected_text():
            self.action_turn()

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _redraw(self) -> None:
        self._page = Page(self._rows)
        put(self, self._page)

    def _rows(self, width: int) -> list[Row]:
        title, summary = self.title_words, ""
        if self._detail is not None:
            title, summary = self._detail.title or title, self._detail.summary
        title = "" if title == self.hand else title
        if self.state == "stopped":
            summary = "stopped"
        figures = seconds_words(self._seconds) if self._seconds else ""
        sign = _SIGNS[self.state]
        rows = [Row(head_line(sign, self.hand, title, summary, figures, width))]
        if self._progress and self.state == "running":
            tail = "\n".join(safe(self._progress).rstrip("\n").split("\n")[-PROGRESS_LINES:])
            rows.extend(wrapped(Content.styled(tail, "$text-muted"), width, INDENT, INDENT))
        if self.opened and self._detail is not None:
            limit = OUTPUT_LINES if self._brief else BODY_LINES
            rows.extend(detail_rows(self._detail, width, self._address, limit))
        return rows
