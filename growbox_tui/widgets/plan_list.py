"""PlanList: the steps of the plan. Without a plan it takes no room at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from growbox_tui.widgets.figures import fit
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from textual.geometry import Size

    from growbox_tui.agent.events import PlanItem

MOST = 8
"""Lines that a plan may take from the conversation."""
SIGNS = {
    "done": ("\u2713", "$success"),
    "doing": ("\u25b8", "$accent"),
    "open": ("-", "$text-muted"),
}
WORDS = {"done": "$text-muted", "doing": "bold $foreground", "open": "$foreground"}


def visible(items: Sequence[PlanItem], most: int) -> range:
    """The steps to show: all, or those around the first one that is not done."""
    if len(items) <= most:
        return range(len(items))
    room = most - 1
    now = next((n for n, item in enumerate(items) if item.state != "done"), len(items) - 1)
    first = max(0, min(now - 1, len(items) - room))
    return range(first, first + room)


class PlanList(Widget):
    """One line a step, at most ``MOST`` of them, the current one always among them."""

    DEFAULT_CSS = """
    PlanList {
        height: auto;
        padding: 0 1;
        color: $foreground;
        background: $background;
        display: none;
    }
    PlanList.-planned { display: block; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._items: tuple[PlanItem, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether every step is done."""
        return bool(self._items) and all(item.state == "done" for item in self._items)

    def turn_ended(self) -> None:
        """A plan that is done goes with its turn; one that is not stays to be gone on with."""
        if self.finished:
            self.show(())

    def show(self, items: Sequence[PlanItem]) -> None:
        """The whole plan as it is now; an empty one hides the list."""
        self._items = tuple(items)
        self.set_class(bool(items), "-planned")
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A line for each step, up to ``MOST``; one for a plan that is done."""
        return 1 if self.finished else min(MOST, len(self._items))

    def render(self) -> Content:
        """The steps; where some are left out, a last line counts what is done and to come."""
        cells = self.size.width
        if self.finished:
            sign, colour = SIGNS["done"]
            count = len(self._items)
            words = f" plan: {count} of {count} steps done"
            return Content.assemble((sign, colour), (fit(words, max(0, cells - 1)), "$text-muted"))
        shown = visible(self._items, MOST)
        lines = []
        for item in self._items[shown.start : shown.stop]:
            sign, colour = SIGNS[item.state]
            words = fit(one_line(item.text), max(0, cells - 2))
            lines.append(Content.assemble((sign, colour), " ", (words, WORDS[item.state])))
        if len(shown) < len(self._items):
            done = sum(item.state == "done" for item in self._items)
            words = f"  {done} of {len(self._items)} steps done"
            lines.append(Content.styled(fit(words, cells), "$text-muted"))
        return Content("\n").join(lines)
