"""RecallCard: what memory found for a question, which step answered, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.detail_rows import INDENT
from growbox_tui.widgets.figures import count, plural
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.recall_words import (
    answered,
    cost,
    grounds,
    milliseconds,
    part,
)
from growbox_tui.widgets.safe_text import one_line, safe
from growbox_tui.widgets.step_table import gaps
from growbox_tui.widgets.tool_card import head_line

if TYPE_CHECKING:
    from textual.events import Click
    from textual.selection import Selection

    from growbox_tui.agent.events import HitView, Occasion, Recalled


NAMES: dict[Occasion, str] = {"turn": "recall", "wrong": "dug deeper", "asked": "recall"}
ASKS = "w again: this was not what I meant; learn it, and look deeper."
PLACES: dict[Occasion, str] = {
    "turn": "now in the prompt",
    "wrong": "goes to the model with your next words",
    "asked": "",
}
"""Where a memory is that was not in the prompt before."""


def ways_words(event: Recalled) -> str:
    """``2 vector · 1 text · 0 time``: for each way that was tried, how many it found."""
    counts = Counter(way for hit in event.hits for way in hit.ways)
    return " · ".join(f"{counts[way]} {way}" for way in event.ways)


def how_words(event: Recalled) -> str:
    """``by pointers · 2 calls, 1.2k tokens · incomplete``: which step answered, what judges took;
    the ways, where likeness answered or the step was not told."""
    ways = event.answered_by in ("", "near")
    parts = [ways_words(event) if ways else answered(event), cost(event)]
    if not event.complete:
        parts.append("incomplete")
    return " · ".join(filter(None, parts))


def ladder_words(event: Recalled) -> str:
    """``jumps 0 · pointers 2 (1 call, 820 tokens, 12 ms) · near 5``: each step and what it took."""
    words = []
    for step in event.steps:
        took = [plural(step.calls, "call"), f"{count(step.tokens)} tokens"] if step.calls else []
        took += [milliseconds(step.ms)] if step.ms >= 0.5 else []
        taken = f" ({', '.join(took)})" if took else ""
        words.append(f"{one_line(step.rung)} {step.found}{taken}")
    return " · ".join(words)


class RecallCard(Static, can_focus=True):
    """A card like any tool's; opens to the passages with their address and time."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "turn", "Open or close", show=False),
        Binding("w", "wrong", "Wrong", show=False),
    ]

    class Turned(Message):
        """It was opened or closed: other keys work on it."""

    class Wrong(Message):
        """The user says that this is not what was meant."""

        def __init__(self, card: RecallCard) -> None:
            super().__init__()
            self.card = card

    def __init__(self, event: Recalled) -> None:
        self.event = event
        self.opened = False
        self.wrong = False
        """Whether the user called it wrong."""
        self.asks = False
        """Whether the key that calls it wrong was pressed once: it may begin a word."""
        self._page = Page(self._rows)
        super().__init__(self._page, markup=False)

    def again(self) -> Callable[[], RecallCard]:
        """How to make this widget anew."""
        event, wrong = self.event, self.wrong

        def make() -> RecallCard:
            card = RecallCard(event)
            card.wrong = wrong
            return card

        return make

    @property
    def can_be_wrong(self) -> bool:
        """Whether calling it wrong would teach anything."""
        return bool(self.event.recollection and self.event.hits) and not self.wrong

    def action_turn(self) -> None:
        """Open it, or close it."""
        self.opened, self.asks = not self.opened, False
        self._redraw()
        self.post_message(self.Turned())

    @property
    def takes_wrong(self) -> bool:
        """Whether the key that calls it wrong works: only what is open can have been read."""
        return self.opened and self.can_be_wrong

    def action_wrong(self) -> None:
        """Call it wrong, when it is asked for twice in a row."""
        if not self.takes_wrong:
            return
        if self.asks:
            self.post_message(self.Wrong(self))
        self.ask(not self.asks)

    def ask(self, asks: bool) -> None:
        """Show that the key was pressed once, or that another one followed."""
        if asks != self.asks:
            self.asks = asks
            self._redraw()

    def on_blur(self) -> None:
        self.ask(False)

    def called_wrong(self, wrong: bool = True) -> None:
        """Show that the user called it wrong, or that this failed."""
        self.wrong = wrong
        self._redraw()

    def _redraw(self) -> None:
        self._page = Page(self._rows)
        put(self, self._page)

    def on_click(self, event: Click) -> None:
        event.stop()
        if not self.screen.get_selected_text():
            self.action_turn()

    def get_selection(self, selection: Selection) -> tuple[str, str]:
        """Copied text has no breaks of ours in it."""
        return self._page.selected(selection), "\n"

    def _rows(self, width: int) -> list[Row]:
        event = self.event
        found = plural(len(event.hits), "memory", "memories") if event.hits else "nothing found"
        how = "called wrong" if self.wrong else how_words(event)
        figures = milliseconds(event.ms)
        rows = [Row(head_line(self._sign(), NAMES[event.occasion], found, how, figures, width))]
        if self.opened:
            for note in self._notes():
                rows.extend(wrapped(note, width, INDENT, INDENT))
            for hit in event.hits:
                rows.extend(self._hit_rows(hit, width))
        return rows

    def _sign(self) -> tuple[str, str]:
        """An alarm only where a way failed: that not all was read is the rule."""
        if self.wrong:
            return "✗", "$text-muted"
        failed = not self.event.complete and (self.event.notice or not self.event.steps)
        return ("!", "$text-warning") if failed else ("●", "$text-success")

    def _notes(self) -> Iterator[Content]:
        """The ladder, and what may be missing, where either was told."""
        if self.asks:
            yield Content.styled(ASKS, "$text-warning")
        if self.event.steps:
            yield Content.styled(ladder_words(self.event), "$text-muted")
            yield gaps(self.event)

    def _hit_rows(self, hit: HitView, width: int) -> list[Row]:
        there = "stood in the prompt already" if self.event.occasion != "asked" else ""
        place = PLACES[self.event.occasion] if hit.placed else there
        ways = " + ".join(hit.ways)
        how = hit.rung if hit.rung not in ("", "near") else ways
        facts = (hit.at, hit.role, how, f"{hit.score:.2f}", grounds(hit), part(hit), place)
        words = " · ".join(filter(None, map(one_line, facts)))
        rows = wrapped(Content.styled(hit.address, "$text-accent"), width, INDENT, INDENT)
        rows.extend(wrapped(Content.styled(words, "$text-muted"), width, INDENT, INDENT))
        if hit.key:
            key = f"led here by “{one_line(hit.key)}”"
            rows.extend(wrapped(Content.styled(key, "$text-muted"), width, INDENT, INDENT))
        rows.extend(wrapped(Content(safe(hit.text).strip()), width, INDENT, INDENT))
        return rows
