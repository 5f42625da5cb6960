"""SectionList: rows under titles; the mark stays on its row when the list is drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from growbox_tui.widgets.figures import DOT, fit

if TYPE_CHECKING:
    from growbox_tui.widgets.map_rows import MapRow, Section


def section_line(section: Section, cells: int) -> Content:
    """The title of a section with its figure, cut at the width."""
    figure = fit(section.figure, max(0, cells - len(section.title) - len(DOT)))
    return Content.assemble(
        (section.title, "bold $primary"), (DOT + figure if figure else "", "$text-muted")
    )


class SectionList(OptionList):
    """The arrow keys move the mark, tab goes to the next section that has rows."""

    DEFAULT_CSS = """
    SectionList {
        height: 1fr;
        background: $background;
        background-tint: transparent;
        border: none;
        padding: 0;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    SectionList > .option-list--option { padding: 0; }
    SectionList > .option-list--option-disabled { color: $foreground; }
    SectionList:focus { background: $background; background-tint: transparent; }
    SectionList > .option-list--option-hover { background: $surface; }
    SectionList:focus > .option-list--option-highlighted,
    SectionList > .option-list--option-highlighted {
        color: $foreground;
        background: $panel;
        text-style: bold;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "section(1)", "Next section", show=False),
        Binding("shift+tab", "section(-1)", "Section before", show=False),
    ]

    class Pointed(Message):
        """The mark is on another row, or on none."""

        def __init__(self, row: MapRow | None) -> None:
            super().__init__()
            self.row = row

    def __init__(self) -> None:
        super().__init__(compact=True, markup=False)
        self._sections: Sequence[Section] = ()
        self._rows: dict[str, MapRow] = {}
        self._starts: list[int] = []
        """The first row of each section that has any."""

    @property
    def marked(self) -> MapRow | None:
        """The row that the mark is on."""
        at = self.highlighted
        return self._rows.get(self.get_option_at_index(at).id or "") if at is not None else None

    def show(self, sections: Sequence[Section]) -> None:
        """Other sections from now on."""
        self._sections = sections
        if self.size.width:
            self._fill()

    @on(Resize)
    def _lay_out(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        if not self.is_mounted:
            return
        before, place = self.marked, self.highlighted
        cells = max(20, self.size.width - self.scrollbar_size_vertical)
        options: list[Option] = []
        self._rows, self._starts = {}, []
        for section in self._sections:
            if options:
                options.append(Option("", disabled=True))
            if section.title:
                options.append(Option(section_line(section, cells), disabled=True))
            if section.rows:
                self._starts.append(len(options))
            options += [Option(row.draw(cells), id=row.key) for row in section.rows]
            self._rows |= {row.key: row for row in section.rows}
        # Else the mark would first be told of where it is not going to be.
        with self.prevent(OptionList.OptionHighlighted):
            self.clear_options()
            self.add_options(options)
            self.highlighted = self._place([option.id for option in options], before, place)
        self.post_message(self.Pointed(self.marked))

    def _place(
        self, keys: Sequence[str | None], before: MapRow | None, place: int | None
    ) -> int | None:
        if not self._starts:
            return None
        if before is not None and before.key in keys:
            return keys.index(before.key)
        rows = [at for at, key in enumerate(keys) if key is not None]
        # Where the marked row is gone, the one that took its place has the mark.
        return rows[0] if place is None else min(rows, key=lambda at: (abs(at - place), at))

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.post_message(self.Pointed(self.marked))

    def action_section(self, step: int) -> None:
        """Mark the first row of the next section, or of the one before; round and round."""
        at = self.highlighted
        if at is None or not self._starts:
            return
        here = max(number for number, start in enumerate(self._starts) if start <= at)
        start = self._starts[(here + step) % len(self._starts)]
        self.highlighted = start
        # With its title above it.
        self.call_after_refresh(self.scroll_to, y=max(0, start - 1), animate=False)
