"""PinsScreen: the memories that are shown, to pin one, to let one go, or to have one leave."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.chooser import Chooser, Row
from growbox_tui.widgets.figures import pad, pad_left, plural, when
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.memory_panel import TIME
from growbox_tui.widgets.safe_text import unmarked

if TYPE_CHECKING:
    from growbox_tui.shown_memories import Shown, Verb

TITLES: dict[Verb, str] = {"pin": "Pin", "unpin": "Unpin", "drop": "Drop"}
KEYS: dict[Verb, str] = {"pin": "Pin", "unpin": "Let go", "drop": "Drop"}
NOTES: dict[Verb, str] = {
    "pin": "A pinned memory stays before the model through every epoch, until you let it go.",
    "unpin": "A memory that is let go stays on file; it leaves the prompt as any other does.",
    "drop": "A dropped memory stays on file. It leaves the prompt when this epoch ends, unless it "
    "is found again before.",
}


def memory_row(memory: Shown, now: datetime) -> Row:
    """Time and words of one memory; found by its words and its address."""

    def draw(cells: int) -> Content:
        return Content.assemble(
            " ",
            (pad_left(when(memory.at, now) if memory.at else "", TIME), "$text-muted"),
            "  ",
            pad(unmarked(memory.label), max(0, cells - TIME - 3)),
        )

    return Row(memory.address, f"{memory.label} {memory.address}", draw)


class PinsScreen(ModalScreen[str | None]):
    """Dismisses with an address, or ``None``."""

    DEFAULT_CSS = page_css("PinsScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Back")]

    def __init__(self, memories: Sequence[Shown], verb: Verb) -> None:
        """``verb``: what is done with the choice."""
        super().__init__()
        self._memories = tuple(memories)
        self._verb: Verb = verb

    def compose(self) -> ComposeResult:
        """Title, list, what is done, keys."""
        now = datetime.now(UTC)
        what = plural(len(self._memories), "memory", "memories")
        yield title(TITLES[self._verb], what)
        with Vertical(classes="page--body"):
            yield Chooser(
                [memory_row(memory, now) for memory in self._memories],
                hint="type to narrow: words of the memory",
                empty="No memory that is shown holds these words.",
            )
        yield Static(NOTES[self._verb], classes="page--note", markup=False)
        yield KeyLine([("enter", KEYS[self._verb]), ("up/down", "Choose"), ("escape", "Back")])

    @on(Chooser.Chosen)
    def _take(self, event: Chooser.Chosen) -> None:
        if event.key is not None:
            self.dismiss(event.key)

    def action_leave(self) -> None:
        """Back, with nothing chosen."""
        self.dismiss(None)
