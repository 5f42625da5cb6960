"""Conversation: finished messages as flat widgets, then the live one, then open questions.

Only the newest messages are mounted; older ones are kept as recipes and made again when the user
scrolls to the top. While the user reads further up, nothing moves under their eyes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.live_message import LiveMessage

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

WINDOW = 200
"""Finished messages that stay mounted."""
SLACK = 50
"""How many over it before the oldest go; also how many come back at a time."""
FRAME_SECONDS = 1 / 50
LAYOUT_FRAMES = 50
"""How long mounted messages are waited for to be laid out."""

Recipe = Callable[[], "Widget"]


@runtime_checkable
class Flat(Protocol):
    """A finished message that can be made again."""

    def again(self) -> Recipe:
        """How to make it anew, as it is now."""


class Conversation(VerticalScroll, can_focus=False):
    """Everything said and done, oldest first, with the view at its end unless the user moved it."""

    class Moved(Message):
        """The view reached the end, left it, or something new lies below it."""

    def __init__(self) -> None:
        super().__init__()
        self._earlier = Static("", markup=False, classes="earlier")
        self._earlier.display = False
        self._history = Vertical(classes="history")
        self._asks = Vertical(classes="asks")
        self.live = LiveMessage()
        self.reading = False
        """Whether the user looks at something above the end."""
        self.news = False
        """Whether something was added below the view since then."""
        self._recipes: list[Recipe] = []
        self._pending: list[Widget] = []
        self._flushing = False
        self._loading = False

    def compose(self) -> ComposeResult:
        yield self._earlier
        yield self._history
        yield self.live
        yield self._asks

    def on_mount(self) -> None:
        self.anchor()

    @property
    def messages(self) -> Sequence[Widget]:
        """The finished messages that are mounted or about to be, oldest first."""
        return [*self._history.children, *self._pending]

    @property
    def earlier(self) -> int:
        """How many messages are kept as recipes."""
        return len(self._recipes)

    def add(self, widget: Widget) -> None:
        """Put a finished message, a card or a notice at the end of the history."""
        self._pending.append(widget)
        if not self._flushing:
            self._flushing = True
            self.call_next(self._flush)
        self.note_news()

    def take_away(self, widget: Widget) -> None:
        """Remove a message that was shown ahead of its time."""
        if widget in self._pending:
            self._pending.remove(widget)
        else:
            widget.remove()

    async def _flush(self) -> None:
        """Mount what has gathered at once: a replay of thousands is one layout."""
        self._flushing = False
        fresh, self._pending = self._pending, []
        if len(fresh) > WINDOW:
            self._recipes.extend(_recipes(self._history.children))
            self._recipes.extend(_recipes(fresh[:-WINDOW]))
            await self._history.remove_children()
            fresh = fresh[-WINDOW:]
        await self._history.mount(*fresh)
        if not self.reading:
            await self._trim()
        self._show_earlier()

    async def _trim(self) -> None:
        over = len(self._history.children) - WINDOW
        if over >= SLACK:
            oldest = list(self._history.children[:over])
            self._recipes.extend(_recipes(oldest))
            await self._history.remove_children(oldest)

    def _show_earlier(self) -> None:
        self._earlier.display = bool(self._recipes)
        self._earlier.update(f"{len(self._recipes)} earlier messages · scroll up to load them")

    async def load_earlier(self) -> None:
        """Bring back the newest of the older messages; the view stays on the same words."""
        if not self._recipes or self._loading:
            return
        self._loading = True
        self.reading = True
        self.release_anchor()
        recipes = self._recipes[-SLACK:]
        del self._recipes[-SLACK:]
        before = self.virtual_size.height
        below = before - self.scroll_offset.y
        await self._history.mount(*[recipe() for recipe in recipes], before=0)
        self._show_earlier()
        await self._keep_in_view(before, below)
        self._loading = False

    async def _keep_in_view(self, before: int, below: int) -> None:
        """Hold the view ``below`` rows over the end while older messages are laid out above it.

        Textual lays them out in one step or several and need not tell of it, so the height, at
        first ``before``, is looked at each frame until it has grown and stands still.
        """
        last = before
        for _ in range(LAYOUT_FRAMES):
            height = self.virtual_size.height
            if height != last:
                self.scroll_to(y=height - below, animate=False, force=True)
            elif height > before:
                return
            last = height
            await asyncio.sleep(FRAME_SECONDS)

    def clear(self) -> None:
        """Forget all messages on screen, the older ones too."""
        self._recipes.clear()
        self._pending.clear()
        self.live.begin()
        self._history.remove_children()
        self._asks.remove_children()
        self._show_earlier()
        self.follow()

    def ask(self, card: Widget) -> None:
        """Show an open question below everything else."""
        self._asks.mount(card)
        self.follow()

    def close_ask(self, card: Widget) -> None:
        """A question is no longer open; its card goes within a moment."""
        card.add_class("-closed")
        card.remove()

    def bring(self, card: Widget) -> None:
        """Bring the end of an open question into view, where its keys stand."""
        if card is self.open_asks[-1]:
            self.follow()
            return
        self.reading = True
        self.release_anchor()
        y = self.scroll_offset.y + card.region.bottom - self.region.bottom
        self.scroll_to(y=max(0, y), animate=False, force=True)
        self.post_message(self.Moved())

    @property
    def open_asks(self) -> Sequence[Widget]:
        """Questions that wait for an answer, oldest first."""
        return [card for card in self._asks.children if not card.has_class("-closed")]

    def follow(self) -> None:
        """Go to the end and stay there."""
        self.reading = self.news = False
        self.anchor()
        self.post_message(self.Moved())

    def note_news(self) -> None:
        """Something was added at the end."""
        if self.reading and not self.news:
            self.news = True
            self.post_message(self.Moved())

    def on_live_message_grown(self, event: LiveMessage.Grown) -> None:
        event.stop()
        self.note_news()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice when the user leaves the end, comes back to it, or reaches the top."""
        super().watch_scroll_y(old_value, new_value)
        at_end = round(new_value) >= self.max_scroll_y
        if at_end and self.reading and not self._loading:
            self.reading = self.news = False
            self.post_message(self.Moved())
        elif new_value < old_value and not at_end and not self.reading:
            self.reading = True
            self.post_message(self.Moved())
        if new_value <= 0 < old_value and self._recipes:
            self.run_worker(self.load_earlier(), group="earlier")


def _recipes(widgets: Sequence[Widget]) -> list[Recipe]:
    return [cast(Flat, widget).again() for widget in widgets if isinstance(widget, Flat)]
