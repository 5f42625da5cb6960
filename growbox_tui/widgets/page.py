"""Page: a finished text as rows for a width, laid out once, drawn and selected without children.

Every card and message of the conversation is one widget that shows one ``Page``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from growbox_tui.widgets.line_breaks import broken

if TYPE_CHECKING:
    from textual.css.styles import RulesMap
    from textual.selection import Selection
    from textual.widget import Widget
    from textual.widgets._static import Static


@dataclass(frozen=True, slots=True)
class Row:
    """One line on the screen."""

    content: Content
    lead: int = 0
    """Characters of indentation or marks before the words; not copied."""
    glue: str | None = None
    """What stood in the source between the row above and this one, where the screen broke the
    line; ``None`` where the source broke it."""


def wrapped(body: Content, width: int, first: Content, rest: Content) -> list[Row]:
    """``body`` in rows of at most ``width`` cells; ``first`` stands before the first row and
    ``rest``, of the same width, before the others."""
    room = max(2, width - first.cell_length)
    rows: list[Row] = []
    lead = first
    for line in body.split("\n", allow_blank=True):
        source, position = line.plain, 0
        glue: str | None = None
        for piece in broken(line, room):
            start = source.find(piece.plain, position)
            if rows and position:
                glue = source[position:start] if start >= 0 else " "
            position = max(position, start) + len(piece.plain)
            rows.append(Row(lead + piece, len(lead), glue))
            lead = rest
    return rows


def flush(left: Content, right: Content, width: int) -> Content:
    """One line: ``left`` from the left, cut with an ellipsis if need be, ``right`` at the right
    edge. ``right`` goes first when there is no room for both."""
    room = width - right.cell_length - (1 if right else 0)
    if room < 8:
        return left.truncate(width, ellipsis=True)
    cut = left.truncate(room, ellipsis=True)
    gap = width - cut.cell_length - right.cell_length
    return cut + Content(" " * max(0, gap)) + right


def put(widget: Static, page: Page, *, layout: bool = True) -> None:
    """Let a widget show another page, ``layout`` where its height may differ.

    A widget that is updated twice, with a layout of the screen between, before it was idle once
    would keep the height of the first time: Textual counts the two as one change. So the height
    that was computed is forgotten here.
    """
    if layout:
        widget.clear_cached_dimensions()
        widget._box_model_cache.clear()
    widget.update(page, layout=layout)


class Page(Visual):
    """Rows for a width. ``build`` is called once for each width and the last result is kept."""

    def __init__(self, build: Callable[[int], Sequence[Row]]) -> None:
        self._build = build
        self._width = -1
        self._rows: Sequence[Row] = ()
        self._drawn: Content | None = None

    def rows(self, width: int) -> Sequence[Row]:
        """The rows at this width in cells."""
        if width != self._width:
            self._rows = self._build(width)
            self._width = width
            self._drawn = None
        return self._rows

    def line(self, widget: Widget, y: int) -> Strip:
        """One row as ``widget`` draws it. A widget whose ``render_line`` is this lays out and
        colours only the rows that are in view, however long its text is."""
        width = widget.size.width
        rows = self.rows(width)
        if not 0 <= y < len(rows):
            return Strip.blank(width, widget.visual_style.rich_style)
        content = rows[y].content
        selection = widget.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            chosen = Style.from_styles(widget.screen.get_component_styles("screen--selection"))
            start, end = span
            content = content.stylize(chosen, start, len(content) if end == -1 else end)
        strip = Visual.to_strips(
            widget, content, width, 1, widget.visual_style, apply_selection=False
        )[0]
        return strip.apply_offsets(0, y)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        """Textual's call for the lines to draw."""
        if width <= 0 or not self.rows(width):
            return []
        if self._drawn is None:
            self._drawn = Content("\n").join(row.content for row in self._rows)
        return self._drawn.render_strips(width, height, style, replace(options, rules={}))

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """A page takes the width that it is given."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Its number of rows."""
        return len(self.rows(width))

    def selected(self, selection: Selection) -> str:
        """The words under a selection: broken lines are whole again, marks are left out."""
        words: list[str] = []
        for index, row in enumerate(self._rows):
            span = selection.get_span(index)
            if span is None:
                continue
            start, end = span
            plain = row.content.plain
            part = plain[max(start, row.lead) : len(plain) if end == -1 else end].rstrip()
            if words:
                words.append("\n" if row.glue is None else row.glue)
            words.append(part)
        return "".join(words)
