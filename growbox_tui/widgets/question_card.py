"""QuestionCard: the model asks; the user answers with a number or in words of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.page import Page, Row, wrapped
from growbox_tui.widgets.safe_text import safe

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Focus
    from textual.widgets._input import Input

    from growbox_tui.agent.events import QuestionAsked


def chosen(options: tuple[str, ...], words: str) -> str:
    """The option that a bare number names, else the words themselves; empty stays empty."""
    words = words.strip()
    if words.isdecimal() and 1 <= int(words) <= len(options):
        return options[int(words) - 1]
    return words


class QuestionCard(Vertical, can_focus=True):
    """The question, its options with numbers, and a line to answer in."""

    class Answered(Message):
        """The user answered."""

        def __init__(self, card: QuestionCard, answer: str) -> None:
            super().__init__()
            self.card = card
            self.answer = answer

    def __init__(self, event: QuestionAsked) -> None:
        super().__init__()
        self.event = event

    def compose(self) -> ComposeResult:
        from textual.widgets import Input

        yield Static(Page(self._rows), markup=False)
        hint = "A number, or your own words" if self.event.options else "Your answer"
        yield Input(placeholder=f"{hint}; enter sends")

    def on_focus(self, event: Focus) -> None:
        self.query_one("Input").focus(scroll_visible=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        answer = chosen(self.event.options, event.value)
        if answer:
            self.post_message(self.Answered(self, answer))

    def _rows(self, width: int) -> list[Row]:
        mark, indent = Content.styled("? ", "bold $text-warning"), Content("  ")
        rows = wrapped(Content.styled(safe(self.event.question), "bold"), width, mark, indent)
        for number, option in enumerate(self.event.options, start=1):
            lead = Content.styled(f"  {number} ", "bold $text-accent")
            rest = Content(" " * lead.cell_length)
            rows.extend(wrapped(Content(safe(option)), width, lead, rest))
        return rows
