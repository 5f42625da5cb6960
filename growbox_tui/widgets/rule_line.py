"""RuleLine: one rule, whether it stands in the prompt already, and the question before it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Blur
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.figures import pad_left
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import RuleView

NUMBER = 4
STANDING, WAITING = "stands", "waits"
STATE = 8
SOURCES = {"stated": "you stated it", "steered": "added while the agent ran"}
QUESTION = "Delete this rule?  y deletes it, n keeps it."


class RuleLine(Static, can_focus=True):
    """The words of a rule, wrapped under themselves; a second line asks before it is deleted."""

    DEFAULT_CSS = """
    RuleLine { height: auto; padding: 0; background: $background; }
    RuleLine:focus { background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,e", "edit", "Edit", show=False),
        Binding("d,delete", "ask", "Delete", show=False),
        Binding("y", "answer(True)", "Yes", show=False),
        Binding("n", "answer(False)", "No", show=False),
    ]

    class Edited(Message):
        """The user wants to write it anew."""

        def __init__(self, line: RuleLine) -> None:
            super().__init__()
            self.line = line

    class Asked(Message):
        """Whether it asks has changed."""

    class Dropped(Message):
        """The user said yes."""

        def __init__(self, line: RuleLine) -> None:
            super().__init__()
            self.line = line

    def __init__(self, rule: RuleView) -> None:
        self.rule = rule
        self.asks = False
        """Whether it asks if it may go."""
        super().__init__(Page(self._rows), markup=False)

    def _rows(self, width: int) -> list[Row]:
        state, style = (STANDING, "$text-success")
        if not self.rule.standing:
            state, style = (WAITING, "$text-warning")
        lead = Content.assemble(
            (pad_left(str(self.rule.id), NUMBER), "$text-muted"),
            "  ",
            (f"{state:<{STATE}}", style),
        )
        indent = Content(" " * lead.cell_length)
        rows = wrapped(Content(one_line(self.rule.text)), width, lead, indent)
        if self.asks:
            asked = Content.styled(QUESTION, "bold $text-warning")
        elif self.has_focus:
            asked = Content.styled(self._whence(), "$text-muted")
        else:
            return rows
        return [*rows, *wrapped(asked, width, indent, indent)]

    def _whence(self) -> str:
        source = SOURCES.get(self.rule.source, one_line(self.rule.source))
        if self.rule.standing:
            return f"{source}; it stands in the prompt"
        return f"{source}; told with your words until the next epoch puts it among the rules"

    def _again(self) -> None:
        put(self, Page(self._rows))

    def on_focus(self) -> None:
        """The marked rule says where it comes from."""
        self._again()

    def on_blur(self, event: Blur) -> None:
        """A question that was left is not asked any more."""
        self.asks = False
        self._again()
        self.post_message(self.Asked())

    def action_edit(self) -> None:
        """Write it anew, unless it asks."""
        if not self.asks:
            self.post_message(self.Edited(self))

    def action_ask(self) -> None:
        """Ask whether it may go."""
        self.asks = True
        self._again()
        self.post_message(self.Asked())

    def action_answer(self, yes: bool) -> None:
        """Yes or no, where it asks."""
        if not self.asks:
            return
        self.asks = False
        self._again()
        self.post_message(self.Dropped(self) if yes else self.Asked())
