"""ModelsScreen: the names of the models that can be chosen; any other name can be typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.chooser import Chooser, Row
from growbox_tui.widgets.figures import fit_left
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.safe_text import one_line


def model_row(name: str, current: str) -> Row:
    """One name, marked if it is the one that speaks now."""

    def draw(cells: int) -> Content:
        now = "  now" if name == current else ""
        return Content.assemble(
            " ", fit_left(one_line(name), max(0, cells - 1 - len(now))), (now, "$success")
        )

    return Row(name, name, draw)


class ModelsScreen(ModalScreen[str | None]):
    """Dismisses with a name, listed or typed, or ``None``."""

    DEFAULT_CSS = page_css("ModelsScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
    ]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = list(dict.fromkeys(names))
        self._current = current

    def compose(self) -> ComposeResult:
        """Title, list, and how a name is made."""
        yield title("Models", f"now {one_line(self._current)}" if self._current else "")
        with Vertical(classes="page--body"):
            yield Chooser(
                [model_row(name, self._current) for name in self._names],
                hint="type to narrow, or any provider/name",
                empty="Not in the list. Enter uses the name as you typed it.",
                start=self._current,
            )
        yield Static(
            "A name is provider/name, as litellm writes it: openai/gpt-5-mini, "
            "anthropic/claude-haiku-4-5, ollama/qwen3:8b. Keys come from the environment.",
            classes="page--note",
            markup=False,
        )
        yield KeyLine([("enter", "Use"), ("up/down", "Choose"), ("escape", "Back")])

    @on(Chooser.Chosen)
    def _take(self, event: Chooser.Chosen) -> None:
        name = event.key or event.typed.strip()
        if name:
            self.dismiss(name)

    def action_leave(self) -> None:
        """Back, with nothing chosen."""
        self.dismiss(None)
