"""UserMessage: what the user said, as one flat widget."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.detail_rows import bounded
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import safe

if TYPE_CHECKING:
    from textual.events import Click
    from textual.selection import Selection
    from textual.strip import Strip

SHOWN_LINES = 12
"""Lines of a long message that are drawn; a pasted file would bury the conversation."""
OPENED_LINES = 2_000
OPEN_WORDS = "click it, or focus it and ctrl+o"


class UserMessage(Static):
    """The user's words. ``waiting`` while they are not yet part of the conversation."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "turn", "Open or close", show=False)]

    def __init__(self, text: str, *, waiting: bool = False) -> None:
        self.text = text
        self.opened = False
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False, classes="-waiting" if waiting else "")
        self.can_focus = self.is_long

    def again(self) -> Callable[[], UserMessage]:
        """How to make this widget anew."""
        text, waiting = self.text, self.has_class("-waiting")
        return lambda: UserMessage(text, waiting=waiting)

    @property
    def is_long(self) -> bool:
        """Whether not all of it is shown unless it is opened."""
        return self.text.rstrip("\n").count("\n") >= SHOWN_LINES

    def action_turn(self) -> None:
        """Show all of it, or its first and last lines."""
        self.opened = not self.opened
        self._page = Page(self._rows)
        put(self, self._page)

    def on_click(self, event: Click) -> None:
        if self.is_long:
            event.stop()
            if not self.screen.get_selected_text():
                self.action_turn()

    def render_line(self, y: int) -> Strip:
        """Only rows in view are drawn."""
        return self._page.line(self, y)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _rows(self, width: int) -> list[Row]:
        none = Content("")
        head, tail, hidden = bounded(safe(self.text), OPENED_LINES if self.opened else SHOWN_LINES)
        rows = wrapped(Content("\n".join(head)), width, none, none)
        if hidden:
            words = f"… {hidden} more lines" + ("" if self.opened else f" · {OPEN_WORDS}")
            rows.append(Row(Content.styled(words, "$text-muted").truncate(width, ellipsis=True)))
            rows.extend(wrapped(Content("\n".join(tail)), width, none, none))
        return rows
