"""PointerScreen: one way that questions made, with every key that leads or misleads there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.figures import pad_left, plural, stamp, when
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.map_rows import named, spot_line, tried
from growbox_tui.widgets.memory_panel import TIME, heading
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from memory.recall.overview import Key, PointerView

LEADS = "came to something here"
MISLEADS = "ended wrongly here; what is like them does not follow it"


def key_lines(keys: Sequence[Key], now: datetime, cells: int) -> list[Content]:
    """When each last led here, confirmed of tried, its weight, and the question in full."""
    lines: list[Content] = []
    for key in keys:
        lead = (
            f"  {pad_left(when(stamp(key.used), now), TIME)}"
            f"  {pad_left(tried(key.successes, key.tries), 7)}"
            f"  {pad_left(f'{key.weight:.1f}', 5)}  "
        )
        room = max(10, cells - len(lead))
        first, *rest = Content(one_line(key.question) or "-").wrap(room)
        lines.append(Content.styled(lead, "$text-muted") + first)
        lines += [Content(" " * len(lead)) + line for line in rest]
    return lines


def pointer_page(view: PointerView, now: datetime, cells: int) -> Content:
    """The whole page for a width in cells."""
    good = [key for key in view.keys if key.positive]
    bad = [key for key in view.keys if not key.positive]
    share = f"{tried(view.successes, view.tries)} confirmed"
    times = f"made {when(stamp(view.made), now)}, last used {when(stamp(view.used), now)}"
    lines = [
        spot_line("from", view.source, now, cells),
        spot_line("to", view.target, now, cells),
        named("tried", f"{share}, {times}", cells),
        Content(""),
        heading("Leads", f"{plural(len(good), 'question')} {LEADS}").truncate(cells, ellipsis=True),
        *key_lines(good, now, cells),
    ]
    if bad:
        misled = heading("Misleads", f"{plural(len(bad), 'question')} {MISLEADS}").truncate(
            cells, ellipsis=True
        )
        lines += [Content(""), misled, *key_lines(bad, now, cells)]
    return Content("\n").join(lines)


class PointerScreen(ModalScreen[None]):
    """A page that scrolls."""

    DEFAULT_CSS = page_css("PointerScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "Back")]

    def __init__(self, view: PointerView) -> None:
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        """Title, page, keys."""
        yield title("Pointer", plural(len(self._view.keys), "key"))
        with VerticalScroll(classes="page--body"):
            yield Static(markup=False)
        yield KeyLine([("up/down", "Scroll"), ("escape", "Back")])

    def on_resize(self) -> None:
        """Lay the page out for the new width."""
        body = self.query_one(VerticalScroll)
        cells = max(40, self.size.width - 2 - body.scrollbar_size_vertical)
        body.query_one(Static).update(pointer_page(self._view, datetime.now(UTC), cells))

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
