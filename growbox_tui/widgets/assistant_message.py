"""AssistantMessage: a finished answer as one flat widget, laid out once for each width."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.markdown_rows import markdown_rows
from growbox_tui.widgets.page import Page, Row

if TYPE_CHECKING:
    from textual.selection import Selection
    from textual.strip import Strip

CUT_WORDS = {"cut": "— cut here", "length": "— cut here: the reply reached its length limit"}
"""What stands below a reply that is not whole, by its stop reason."""


class AssistantMessage(Static):
    """Markdown of the model, drawn without child widgets."""

    def __init__(self, text: str, stop: str = "end") -> None:
        self.text = text
        self.stop = stop
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False)

    def again(self) -> Callable[[], AssistantMessage]:
        """How to make this widget anew."""
        text, stop = self.text, self.stop
        return lambda: AssistantMessage(text, stop)

    def render_line(self, y: int) -> Strip:
        """Only rows in view are drawn."""
        return self._page.line(self, y)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _rows(self, width: int) -> list[Row]:
        rows = markdown_rows(self.text, width)
        if self.stop in CUT_WORDS:
            words = Content.styled(CUT_WORDS[self.stop], "$text-warning")
            rows.append(Row(words.truncate(width, ellipsis=True)))
        return rows
