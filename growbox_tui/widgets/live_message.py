"""LiveMessage: the answer that is being written; the only widget that redraws as text comes.

Blocks that are closed are laid out once; each update reads only the last block again. Updates
are gathered, so that there are at most twenty a second however fast the text comes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.markdown_blocks import Block, closed_length, parse
from growbox_tui.widgets.markdown_rows import rows_of
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import safe

if TYPE_CHECKING:
    from textual.selection import Selection
    from textual.strip import Strip
    from textual.timer import Timer

UPDATE_SECONDS = 0.05
THINKING_LINES = 3
THINKING_KEPT = 2_000
"""Characters of reasoning that are kept for show."""


class LiveMessage(Static):
    """Shows deltas; hidden while there are none."""

    class Grown(Message):
        """The text on screen changed."""

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self.display = False
        self.updates = 0
        """How often the text was laid out since the reply began."""
        self._text = ""
        self._thinking = ""
        self._done: list[Block] = []
        self._done_to = 0
        self._done_rows: tuple[int, int, list[Row]] = (-1, 0, [])
        self._page = Page(self._rows)
        self._timer: Timer | None = None
        self._height = 0

    @property
    def text(self) -> str:
        """All words of the reply so far, whether drawn yet or not."""
        return self._text

    def begin(self) -> None:
        """Start anew and empty."""
        self._text = self._thinking = ""
        self._done, self._done_to = [], 0
        self._done_rows = (-1, 0, [])
        self._height = self.updates = 0
        self.display = False

    def add_text(self, text: str) -> None:
        """More visible words."""
        self._text += text
        self._thinking = ""
        self._schedule()

    def add_thinking(self, text: str) -> None:
        """More reasoning; its last lines are shown until words come."""
        self._thinking = (self._thinking + text)[-THINKING_KEPT:]
        self._schedule()

    def render_line(self, y: int) -> Strip:
        """Only rows in view are drawn."""
        return self._page.line(self, y)

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _schedule(self) -> None:
        if self._timer is None:
            self._timer = self.set_timer(UPDATE_SECONDS, self.draw)

    def draw(self) -> None:
        """Lay out what has come and show it."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self._text and not self._thinking:
            return
        self.updates += 1
        self._close_blocks()
        self._page = Page(self._rows)
        self.display = True
        width = self.content_size.width
        height = len(self._page.rows(width)) if width else 0
        # A new layout of the screen is needed only when a row was added.
        put(self, self._page, layout=height != self._height or not height)
        self._height = height
        self.post_message(self.Grown())

    def _close_blocks(self) -> None:
        length = closed_length(self._text[self._done_to :])
        if length:
            end = self._done_to + length
            closed = parse(self._text[self._done_to : end])
            if closed and self._done:
                # Only the first block of a part does not know that something stands before it.
                closed[0] = replace(closed[0], gap=True)
            self._done.extend(closed)
            self._done_to = end

    def _rows(self, width: int) -> list[Row]:
        at, count, done = self._done_rows
        if at != width:
            count, done = 0, []
        for block in self._done[count:]:
            done.extend(rows_of(block, width))
        self._done_rows = (width, len(self._done), done)
        rows = list(done)
        for index, block in enumerate(parse(self._text[self._done_to :])):
            if index == 0 and rows:
                rows.append(Row(Content("")))
            rows.extend(rows_of(block, width))
        return rows + self._thinking_rows(width)

    def _thinking_rows(self, width: int) -> list[Row]:
        if not self._thinking.strip():
            return []
        words = Content.styled(safe(self._thinking).strip(), "italic $text-muted")
        return wrapped(words, width, Content("  "), Content("  "))[-THINKING_LINES:]
