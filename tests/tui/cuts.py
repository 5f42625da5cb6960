"""Cuts: lines that are wider than the widget that draws them, so that their end is lost unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual.app import App
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from growbox_tui.widgets.page import Page


def lines_of(widget: Widget) -> Iterator[Content]:
    """What a widget would draw, line by line, where it does not break lines itself."""
    width = widget.content_size.width
    shown = widget.visual if isinstance(widget, Static) else widget.render()
    if isinstance(shown, Page):
        yield from (row.content for row in shown.rows(width))
    elif isinstance(shown, Content):
        for line in shown.split("\n", allow_blank=True):
            yield from [line] if widget.styles.text_wrap == "nowrap" else line.wrap(width)


def cuts(app: App[Any]) -> list[str]:
    """Each cut in words: lines that lose their end, pages that lose lines, widgets that stand out
    of the screen."""
    found = []
    for widget in app.screen.walk_children(Widget):
        region, name = widget.region, type(widget).__name__
        if widget.children or not widget.visible or not region.area or not widget.is_on_screen:
            continue
        if region.x < 0 or region.right > app.size.width:
            found.append(f"{name} stands out of the screen")
        width, height = widget.content_size
        lines = list(lines_of(widget))
        found += [f"{name}: {line.plain!r}" for line in lines if line.cell_length > width]
        if len(lines) > height:
            found.append(f"{name}: {len(lines) - height} lines below its end")
    return found
