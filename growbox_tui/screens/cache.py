"""CacheScreen: what a prompt cache made of each request, as it happens; what it cost, and what it
saved.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from growbox_tui.agent import events as e
from growbox_tui.refresh import Refresh
from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.cache_chart import chart, columns
from growbox_tui.widgets.cache_table import (
    NO_MISS,
    NONE_YET,
    ORDERS,
    Order,
    detail_lines,
    in_time,
    ordered,
    request_head,
    request_line,
    totals_lines,
    waiting_line,
)
from growbox_tui.widgets.figures import plural
from growbox_tui.widgets.key_line import KeyLine

if TYPE_CHECKING:
    from growbox_tui.agent.story import Story, StoryRow

CHART = 3
"""Lines of the chart."""
AXIS = 7
"""Cells before it."""
LEAST_FOR_CHART = 20
LEAST_FOR_DETAIL = 15
"""Lines of the terminal from which these are shown."""
PENDING = "waiting"
"""The key of the request that is under way."""
ORDER_WORDS: dict[Order, str] = {
    "newest": "newest first",
    "avoidable": "most avoidable tokens first",
    "price": "dearest first",
    "tokens": "longest first",
}


class CacheScreen(ModalScreen[None]):
    """Totals, chart and requests; the marked request is told of in full below them."""

    DEFAULT_CSS = (
        page_css("CacheScreen")
        + """
    CacheScreen > .page--body { scrollbar-gutter: auto; }
    CacheScreen > .page--body > Static { height: auto; }
    CacheScreen .chart { margin: 1 0; }
    CacheScreen .requests {
        height: 1fr;
        background: $background;
        background-tint: transparent;
        border: none;
        padding: 0;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    CacheScreen .requests > .option-list--option { padding: 0; }
    CacheScreen .requests:focus { background: $background; background-tint: transparent; }
    CacheScreen .requests > .option-list--option-hover { background: $surface; }
    CacheScreen .requests:focus > .option-list--option-highlighted,
    CacheScreen .requests > .option-list--option-highlighted {
        color: $foreground;
        background: $panel;
        text-style: bold;
    }
    CacheScreen > .detail { height: auto; padding: 0 1; margin: 0; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back"),
        Binding("s", "order", "Sort"),
        Binding("m", "misses", "Misses"),
    ]

    def __init__(
        self,
        story: Story,
        read: Callable[[], Awaitable[Story]],
        pending: e.PromptBuilt | None = None,
    ) -> None:
        """``read`` reads the story again, when a request was answered. ``pending``: the request
        that is under way."""
        super().__init__()
        self._story = story
        self._read = read
        self._pending = pending
        self._order: Order = "newest"
        self._misses = False
        self._rows: dict[str, StoryRow] = {}
        self._again = Refresh(self._load)

    def compose(self) -> ComposeResult:
        """Title, totals, chart, requests, the marked one, keys."""
        yield title("Cache")
        with Vertical(classes="page--body"):
            yield Static(classes="totals", markup=False)
            yield Static(classes="chart", markup=False)
            yield Static(classes="head", markup=False)
            yield OptionList(compact=True, markup=False, classes="requests")
        yield Static(classes="detail", markup=False)
        yield KeyLine(self._keys())

    def on_mount(self) -> None:
        """The arrow keys move the mark."""
        self.query_one(OptionList).focus()

    def on_resize(self) -> None:
        """Lay the page out for the new size."""
        self.call_after_refresh(self._draw)

    # ---- what happens meanwhile --------------------------------------------------------------

    def hears(self, event: e.Event) -> None:
        """A request was sent or answered."""
        match event:
            case e.PromptBuilt():
                self._pending = event
                self._draw()
            case e.UsageReported():
                self.run_worker(self._again(), exit_on_error=False)
            case e.TurnEnded() | e.Napped() if self._pending is not None:
                self._pending = None
                self.run_worker(self._again(), exit_on_error=False)
            case _:
                pass

    async def _load(self) -> None:
        story = await self._read()
        self._story = story
        if self._pending and any(row.request >= self._pending.request for row in story.rows):
            self._pending = None
        self._draw()

    # ---- drawing -----------------------------------------------------------------------------

    @property
    def _cells(self) -> int:
        return max(40, self.size.width - 3)

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        now, cells = datetime.now(UTC), self._cells
        body = Content("\n")
        self.query_one(".totals", Static).update(body.join(totals_lines(self._story, cells)))
        self._draw_chart(cells)
        self.query_one(".head", Static).update(request_head(cells, self._order))
        self._fill(now, cells)
        self._say_order()

    def _draw_chart(self, cells: int) -> None:
        widget = self.query_one(".chart", Static)
        rows = self._story.rows
        widget.display = bool(rows) and self.size.height >= LEAST_FOR_CHART
        shown, each = columns(rows, cells - AXIS)
        note = f"left half of a column: bound, right half: served; {plural(each, 'request')} each"
        axis = ("100 % ", "", "  0 % ")
        lines = [
            Content.assemble((f"{words:<{AXIS}}", "$text-muted"), line)
            for words, line in zip(axis, chart(shown, CHART), strict=True)
        ]
        lines.append(Content.styled(" " * AXIS + note, "$text-muted").truncate(cells))
        widget.update(Content("\n").join(lines))

    def _fill(self, now: datetime, cells: int) -> None:
        listed = self.query_one(OptionList)
        at = listed.highlighted
        marked = listed.get_option_at_index(at).id if at is not None else None
        followed = at in (None, 0) and self._order == "newest"
        rows = in_time(self._story)
        shown = ordered(rows, self._order, misses=self._misses)
        # By place, not by number: pings have none.
        place = {id(row): str(number) for number, row in enumerate(rows)}
        self._rows = {place[id(row)]: row for row in shown}
        options = [Option(request_line(row, now, cells), id=key) for key, row in self._rows.items()]
        if self._pending is not None and self._order == "newest" and not self._misses:
            options.insert(0, Option(waiting_line(self._pending, cells), id=PENDING))
        listed.clear_options()
        if not options:
            words = NO_MISS if rows else NONE_YET
            listed.add_option(Option(Content.styled(words, "$text-muted"), disabled=True))
            self._tell(None)
            return
        listed.add_options(options)
        keys = [option.id for option in options]
        listed.highlighted = 0 if followed or marked not in keys else keys.index(marked)

    def _say_order(self) -> None:
        shown = plural(len(self._rows), "miss", "misses") if self._misses else ""
        words = ", ".join(word for word in (shown, ORDER_WORDS[self._order]) if word)
        self.query_one(".page--title", Static).update(
            Content.assemble(("Cache", "bold $primary"), (f"  {words}", "$text-muted"))
        )
        self.query_one(KeyLine).show(self._keys())

    def _keys(self) -> list[tuple[str, str]]:
        misses = "All" if self._misses else "Misses only"
        return [("up/down", "Choose"), ("s", "Sort"), ("m", misses), ("escape", "Back")]

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._tell(self._rows.get(event.option_id or ""))

    def _tell(self, row: StoryRow | None) -> None:
        widget = self.query_one(".detail", Static)
        widget.display = row is not None and self.size.height >= LEAST_FOR_DETAIL
        if row is not None:
            lines = detail_lines(row, datetime.now(UTC), max(20, self.size.width - 2))
            widget.update(Content("\n").join(lines))

    # ---- keys --------------------------------------------------------------------------------

    def action_order(self) -> None:
        """The next order; the mark goes to the top."""
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._from_top()

    def action_misses(self) -> None:
        """Show only the requests that were served less than the forecast said, or all."""
        self._misses = not self._misses
        self._from_top()

    def _from_top(self) -> None:
        self.query_one(OptionList).highlighted = None
        self._draw()

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
