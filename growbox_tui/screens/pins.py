"""PinsScreen: the memories that are shown, to pin one or to let one go."""

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
    from growbox_tui.shown_memories import Shown

PIN_NOTE = "A pinned memory stays before the model through every epoch, until you let it go."
UNPIN_NOTE = "A memory that is let go stays on file; it leaves the prompt as any other does."


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

    def __init__(self, memories: Sequence[Shown], *, pins: bool) -> None:
        """``pins``: the choice is pinned; else it is let go."""
        super().__init__()
        self._memories = tuple(memories)
        self._pins = pins

    def compose(self) -> ComposeResult:
        """Title, list, what a pin does, keys."""
        now = datetime.now(UTC)
        what = plural(len(self._memories), "memory", "memories")
        yield title("Pin" if self._pins else "Unpin", what)
        with Vertical(classes="page--body"):
            yield Chooser(
                [memory_row(memory, now) for memory in self._memories],
                hint="type to narrow: words of the memory",
                empty="No memory that is shown holds these words.",
            )
        yield Static(PIN_NOTE if self._pins else UNPIN_NOTE, classes="page--note", markup=False)
        verb = "Pin" if self._pins else "Let go"
        yield KeyLine([("enter", verb), ("up/down", "Choose"), ("escape", "Back")])

    @on(Chooser.Chosen)
    def _take(self, event: Chooser.Chosen) -> None:
        if event.key is not None:
            self.dismiss(event.key)

    def action_leave(self) -> None:
        """Back, with nothing chosen."""
        self.dismiss(None)
