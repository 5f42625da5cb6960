"""Notice: one thing told to the user, with a sign and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.page import Page, Row, wrapped
from growbox_tui.widgets.safe_text import safe

if TYPE_CHECKING:
    from textual.selection import Selection

Level = Literal["info", "good", "warning", "error"]
_SIGNS: dict[Level, tuple[str, str]] = {
    "info": ("·", "$text-muted"),
    "good": ("✓", "$text-success"),
    "warning": ("!", "$text-warning"),
    "error": ("✗", "$text-error"),
}


class Notice(Static):
    """A line or a few, flat; ``hint`` stands below the text."""

    def __init__(self, text: str, level: Level = "info", hint: str = "") -> None:
        self.text = text
        self.level: Level = level
        self.hint = hint
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False, classes=f"-{level}")

    def again(self) -> Callable[[], Notice]:
        """How to make this widget anew."""
        text, level, hint = self.text, self.level, self.hint
        return lambda: Notice(text, level, hint)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _rows(self, width: int) -> list[Row]:
        sign, style = _SIGNS[self.level]
        indent = Content("  ")
        body_style = "$text-muted" if self.level == "info" else ""
        words = Content.styled(safe(self.text), body_style)
        rows = wrapped(words, width, Content.styled(f"{sign} ", style), indent)
        if self.hint:
            rows.extend(
                wrapped(Content.styled(safe(self.hint), "$text-muted"), width, indent, indent)
            )
        return rows
