"""ApprovalCard: a hand asks to act; the user answers with one key, in the stream.

Keys that were meant for the composer must not grant anything: while the user is typing, the card
is not armed, and what is typed goes back to where it was going.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.detail_rows import detail_rows
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import ComposeResult
    from textual.events import Key
    from textual.widgets._input import Input

    from growbox_tui.agent.events import ApprovalAsked, Choice

ARM_SECONDS = 0.6
"""Quiet that must pass after the last key in the composer before a key counts as an answer."""
PREVIEW_LINES = 12
"""Lines of a preview before it is opened, where the screen is tall enough."""
OTHER_LINES = 16
"""Lines of the screen that the rest of it and the card without its preview take."""
LETTERS = {"once": "y", "session": "s", "always": "a", "no": "n"}


class ApprovalCard(Vertical, can_focus=True):
    """Claims as sentences, a preview, and the choices that the event offers."""

    class Answered(Message):
        """The user chose; ``choice`` is a ``Choice.key``."""

        def __init__(self, card: ApprovalCard, choice: str, reason: str = "") -> None:
            super().__init__()
            self.card = card
            self.choice = choice
            self.reason = reason

    class Strayed(Message):
        """A key that was meant for the composer."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, event: ApprovalAsked, *, armed: bool = True) -> None:
        super().__init__()
        self.event = event
        self.armed = armed
        self.opened = False
        self._body = Static(Page(self._rows), markup=False)

    def compose(self) -> ComposeResult:
        yield self._body

    def on_mount(self) -> None:
        if not self.armed:
            self.set_timer(ARM_SECONDS, self.arm)

    def arm(self) -> None:
        """From now on keys are answers."""
        self.armed = True
        self._redraw()

    def action_turn(self) -> None:
        """Show the whole preview, or its beginning."""
        self.opened = not self.opened
        self._redraw()

    def on_key(self, event: Key) -> None:
        if self.screen.focused is not self:
            if event.key == "escape" and self.query("Input"):
                event.stop()
                self.query("Input").remove()
                self.focus(scroll_visible=False)
            return
        choice = self.choice_of(event.key)
        if not self.armed and event.is_printable and event.character:
            event.stop()
            self.post_message(self.Strayed(event.character))
        elif choice is not None:
            event.stop()
            if choice == "no":
                self._ask_why()
            else:
                self.post_message(self.Answered(self, choice))

    def choice_of(self, key: str) -> str | None:
        """The choice that a key stands for: its letter or its place in the list."""
        for number, choice in enumerate(self.event.choices, start=1):
            if key in (LETTERS[choice.key], str(number)):
                return choice.key
        return None

    def _ask_why(self) -> None:
        from textual.widgets import Input

        line = Input(placeholder="Why not? The model reads this. enter sends, also empty")
        self.mount(line)
        line.focus(scroll_visible=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self, "no", event.value.strip()))

    def _redraw(self) -> None:
        put(self._body, Page(self._rows))

    def _rows(self, width: int) -> list[Row]:
        """The preview comes first: where it is long, claims and keys are still in view."""
        rows: list[Row] = []
        if self._preview_adds():
            rows.extend(self._preview_rows(width))
            rows.append(Row(Content("")))
        asker = (f"{one_line(self.event.name)} asks to", "bold")
        head = Content.assemble(("? ", "bold $text-warning"), asker)
        rows.append(Row(head.truncate(width, ellipsis=True)))
        indent = Content("  ")
        for claim in self.event.claims or (self.event.preview.title,):
            rows.extend(wrapped(Content(one_line(claim)), width, indent, indent))
        rows.append(Row(Content("")))
        rows.extend(self._choice_rows(width))
        return rows

    def _preview_rows(self, width: int) -> Iterator[Row]:
        if self.opened:
            return detail_rows(self.event.preview, width, limit=PREVIEW_LINES * 20)
        limit = max(4, min(PREVIEW_LINES, self.screen.size.height - OTHER_LINES))
        return detail_rows(self.event.preview, width, limit=limit, more="ctrl+o opens it")

    def _preview_adds(self) -> bool:
        """Whether the preview says more than the claims: a command is its own preview."""
        body = one_line(self.event.preview.body)
        return not any(body in one_line(claim) for claim in self.event.claims)

    def _choice_rows(self, width: int) -> list[Row]:
        """As many choices on each row as fit; none is broken."""
        lines: list[Content] = []
        for choice in self.event.choices:
            words = self._choice_words(choice)
            if lines and lines[-1].cell_length + 3 + words.cell_length <= width:
                lines[-1] += Content("   ") + words
            else:
                lines.append(Content("  ") + words)
        return [Row(line.truncate(width, ellipsis=True)) for line in lines]

    def _choice_words(self, choice: Choice) -> Content:
        style = "bold $text-accent" if self.armed else "$text-muted"
        return Content.assemble((f"{LETTERS[choice.key]} ", style), one_line(choice.words))
