"""ThemeScreen: the themes, tried on the real screen behind the list while the mark moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.theme import Theme
from textual.widgets import Static

from growbox_tui.widgets.chooser import Chooser, Row
from growbox_tui.widgets.figures import pad
from growbox_tui.widgets.key_line import KeyLine

SWATCHES = 5
"""Colours shown beside a theme's name, a cell each, on the theme's own ground."""


def theme_row(name: str, theme: Theme | None) -> Row:
    """The name and a strip of its colours."""

    def draw(cells: int) -> Content:
        words = pad(name, max(0, cells - SWATCHES - 4))
        if theme is None:
            return Content(f" {words}")
        colours = [theme.primary, theme.secondary, theme.accent, theme.success, theme.error]
        strip = [(" ", f"on {colour}") for colour in colours if colour]
        return Content.assemble(" ", words, " ", *strip)

    return Row(name, name, draw)


class ThemeScreen(ModalScreen[str | None]):
    """Dismisses with the chosen name; esc puts the old theme back and dismisses with ``None``."""

    DEFAULT_CSS = """
    ThemeScreen { background: transparent; align: right top; }
    ThemeScreen > Vertical {
        width: 34;
        height: 100%;
        padding: 1 1 0 1;
        background: $background;
        border-left: vkey $primary;
    }
    ThemeScreen > Vertical > KeyLine { height: 1; background: $panel; margin: 0; }
    ThemeScreen > Vertical > .theme--title { height: auto; color: $text-muted; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Undo"),
    ]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = list(names)
        self._current = current

    def compose(self) -> ComposeResult:
        """A column at the right edge; the rest stays in view."""
        with Vertical():
            yield Static(Content.styled("Themes", "bold $primary"), classes="theme--title")
            yield Chooser(
                [theme_row(name, self.app.get_theme(name)) for name in self._names],
                hint="type to narrow",
                empty="No theme of that name.",
                start=self._current,
            )
            yield KeyLine([("enter", "Keep"), ("escape", "Undo")])

    @on(Chooser.Pointed)
    def _try(self, event: Chooser.Pointed) -> None:
        if self.app.get_theme(event.key) is not None:
            self.app.theme = event.key

    @on(Chooser.Chosen)
    def _take(self, event: Chooser.Chosen) -> None:
        if event.key is not None:
            self.dismiss(event.key)

    def action_leave(self) -> None:
        """Back to how it looked before."""
        self.app.theme = self._current
        self.dismiss(None)
