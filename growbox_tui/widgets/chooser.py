"""Chooser: a line to type in and a list that it narrows; enter takes what is marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that can be chosen."""

    key: str
    search: str
    """What typing is compared with."""
    draw: Callable[[int], Content]
    """Cells to content of that width at most."""


def matching(rows: Sequence[Row], typed: str) -> list[Row]:
    """The rows that hold every typed word, in any order and case."""
    words = typed.casefold().split()
    return [row for row in rows if all(word in row.search.casefold() for word in words)]


class Chooser(Vertical):
    """The typing line keeps the focus; up and down move the mark."""

    DEFAULT_CSS = """
    Chooser { height: 1fr; }
    Chooser > Input {
        background: $surface;
        color: $foreground;
        padding: 0 1;
        margin: 0 0 1 0;
        background-tint: transparent;
    }
    Chooser > Input > .input--placeholder { color: $text-disabled; }
    Chooser > OptionList {
        height: auto;
        max-height: 1fr;
        background: $background;
        background-tint: transparent;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    Chooser > OptionList > .option-list--option-highlighted,
    Chooser > OptionList > .option-list--option-hover {
        color: $foreground;
        background: $panel;
    }
    Chooser > OptionList > .option-list--option-highlighted { text-style: bold; }
    Chooser > Static { color: $text-muted; display: none; padding: 0 1; }
    Chooser.-empty > Static { display: block; }
    Chooser.-empty > OptionList { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
    ]

    class Chosen(Message):
        """Enter or a click. ``key`` is ``None`` where nothing matches what was typed."""

        def __init__(self, key: str | None, typed: str) -> None:
            super().__init__()
            self.key = key
            self.typed = typed

    class Pointed(Message):
        """The mark moved to another row."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, rows: Sequence[Row], *, hint: str, empty: str, start: str = "") -> None:
        """``hint`` stands in the empty typing line, ``empty`` where no row matches; ``start`` is
        the key of the row that is marked first."""
        super().__init__()
        self._rows = list(rows)
        self._hint = hint
        self._none = empty
        self._marked = start
        self._drawn = 0

    def compose(self) -> ComposeResult:
        """The typing line, the list, and the sentence that stands in for an empty list."""
        yield Input(placeholder=self._hint, compact=True, select_on_focus=False)
        choices = OptionList(compact=True, markup=False)
        choices.can_focus = False
        yield choices
        yield Static(Content(self._none))

    def on_mount(self) -> None:
        """Typing starts at once."""
        self.query_one(Input).focus()

    @on(Resize)
    def _redraw_for_width(self) -> None:
        if self.size.width != self._drawn:
            self._drawn = self.size.width
            self.call_after_refresh(self._fill)

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    def _fill(self) -> None:
        choices = self.query_one(OptionList)
        rows = matching(self._rows, self.query_one(Input).value)
        self.set_class(not rows, "-empty")
        cells = max(1, self.size.width - choices.scrollbar_size_vertical)
        choices.clear_options()
        choices.add_options(Option(row.draw(cells), id=row.key) for row in rows)
        keys = [row.key for row in rows]
        if keys:
            choices.highlighted = keys.index(self._marked) if self._marked in keys else 0

    def action_move(self, step: int) -> None:
        """Move the mark by one row."""
        choices = self.query_one(OptionList)
        if step < 0:
            choices.action_cursor_up()
        else:
            choices.action_cursor_down()

    def action_page(self, step: int) -> None:
        """Move the mark by one page."""
        choices = self.query_one(OptionList)
        # Textual leaves these two without types.
        if step < 0:
            choices.action_page_up()  # type: ignore[no-untyped-call]
        else:
            choices.action_page_down()  # type: ignore[no-untyped-call]

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self._marked = event.option_id
            self.post_message(self.Pointed(event.option_id))

    @on(OptionList.OptionSelected)
    def _click(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Chosen(event.option_id, self.query_one(Input).value))

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        choices = self.query_one(OptionList)
        at = choices.highlighted
        key = choices.get_option_at_index(at).id if at is not None else None
        self.post_message(self.Chosen(key, event.value))
