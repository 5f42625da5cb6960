"""ApprovalCard: a hand asks to act; the user answers with one key, in the stream.

The card draws and says which key means what. When a key counts as an answer is not for it to
judge: that is decided where all keys arrive, see ``asks``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets._static import Static

from growbox_tui.widgets.detail_rows import detail_rows, preview_rows
from growbox_tui.widgets.page import Page, Row, put, wrapped
from growbox_tui.widgets.safe_text import in_short, one_line, visible

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.events import Click, Key
    from textual.widgets._input import Input

    from growbox_tui.agent.events import ApprovalAsked, Choice

PREVIEW_ROWS = 12
"""Rows of a preview before it is opened, where the screen is tall enough."""
LEAST_ROWS = 3
"""Rows of a preview that are shown however low the screen is."""
AIRY_ROWS = 6
"""Rows of a preview below which no row is spent on air."""
OPENED_LINES = 2_000
UNKNOWN_HEIGHT = 12
"""Rows of the conversation, as long as it is not laid out."""
LETTERS = {"once": "y", "session": "s", "always": "a", "no": "n"}
SHORT_WORDS = {"once": "Once", "session": "Session", "always": "Always", "no": "No"}
AWAY_WORDS = "  tab or ↑ to answer"
HELD_WORDS = {"once": "allowing … enter now", "no": "refusing … enter now"}
"""While a letter may yet prove to be prose."""


class ApprovalCard(Vertical, can_focus=True):
    """Claims as sentences, a preview, and the choices that the event offers."""

    class Answered(Message):
        """The user chose; ``choice`` is a ``Choice.key``."""

        def __init__(self, card: ApprovalCard, choice: str, reason: str = "") -> None:
            super().__init__()
            self.card = card
            self.choice = choice
            self.reason = reason

    class Clicked(Message):
        """The user clicked the card: its keys are meant."""

        def __init__(self, card: ApprovalCard) -> None:
            super().__init__()
            self.card = card

    def __init__(self, event: ApprovalAsked) -> None:
        super().__init__()
        self.event = event
        self.armed = True
        """Whether its keys are answers, while it has the focus."""
        self.opened = False
        self.key_rows = 1
        """Rows at its end that name the keys."""
        self._reason = ""
        self._held = ""
        """What is said in place of the choices; empty where nothing is held."""
        self.body = Static(Page(self._rows), markup=False)

    def compose(self) -> ComposeResult:
        yield self.body

    def on_focus(self) -> None:
        self.relay()

    def on_blur(self) -> None:
        self.arm()

    def on_descendant_focus(self) -> None:
        self.relay()

    def on_descendant_blur(self) -> None:
        self.relay()

    def arm(self, armed: bool = True) -> None:
        """From now on keys are answers, or not."""
        self.armed = armed
        self.relay()

    def hold(self, choice: str, *, waits: bool = False) -> None:
        """Say that ``choice`` is about to be taken, or, if it ``waits``, only by enter. An empty
        choice says nothing."""
        words = next((one_line(c.words) for c in self.event.choices if c.key == choice), "")
        if not choice:
            self._held = ""
        elif waits:
            self._held = f"enter: {words} · esc takes it back · any other key keeps typing"
        else:
            self._held = f"{HELD_WORDS[choice]} · any other key keeps typing"
        self.relay()

    def on_click(self, event: Click) -> None:
        if self.has_focus:
            event.stop()
            self.post_message(self.Clicked(self))

    def action_turn(self) -> None:
        """Show the whole preview, or its beginning."""
        self.opened = not self.opened
        self.relay()

    def relay(self) -> None:
        """Draw it anew: the focus or the room that it has is another."""
        put(self.body, Page(self._rows))

    # ---- answers -----------------------------------------------------------------------------

    def choice_of(self, key: str) -> str | None:
        """The choice that a key stands for: its letter or its place in the list."""
        for number, choice in enumerate(self.event.choices, start=1):
            if key in (LETTERS[choice.key], str(number)):
                return choice.key
        return None

    def footer(self) -> list[tuple[str, str]]:
        """(key, label) of its answers."""
        return [(LETTERS[choice.key], SHORT_WORDS[choice.key]) for choice in self.event.choices]

    def choose(self, choice: str) -> None:
        """Answer; before a refusal the user may say why."""
        if choice == "no":
            self._ask_why()
        else:
            self.post_message(self.Answered(self, choice))

    def _ask_why(self) -> None:
        from textual.widgets import Input

        line = Input(self._reason, placeholder="Why not? enter sends, also empty; esc goes back")
        self.mount(line)
        line.focus(scroll_visible=False)

    def on_key(self, event: Key) -> None:
        """esc leaves the line for the reason; what stands there is kept."""
        lines = self.query("Input").results()
        line: Input | None = next(lines, None)  # type: ignore[assignment]
        if event.key == "escape" and line is not None and self.screen.focused is line:
            event.stop()
            self._reason = line.value
            line.remove()
            self.arm()
            self.focus(scroll_visible=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self, "no", event.value.strip()))

    # ---- drawing -----------------------------------------------------------------------------

    def _rows(self, width: int) -> list[Row]:
        """The preview comes first: where it is long, claims and keys are still in view."""
        keys = self._choice_rows(width)
        self.key_rows = len(keys)
        claims = self._claim_rows(width)
        away = [Row(Content.styled(AWAY_WORDS, "$text-accent").truncate(width, ellipsis=True))]
        air = [Row(Content(""))]
        if not self._preview_adds():
            return [*claims, *(air if self._turned_to() else away), *keys]
        room = self._room() - len(claims) - len(keys)
        airy = room - 2 >= AIRY_ROWS
        between = (air if airy else []) if self._turned_to() else away
        limit = min(PREVIEW_ROWS, max(LEAST_ROWS, room - len(between) - airy))
        preview = self._preview_rows(width, limit)
        return [*preview, *(air if airy else []), *claims, *between, *keys]

    def _claim_rows(self, width: int) -> list[Row]:
        asker = (f"{one_line(self.event.name)} asks to", "bold")
        head = Content.assemble(("? ", "bold $text-warning"), asker)
        rows = [Row(head.truncate(width, ellipsis=True))]
        indent = Content("  ")
        for claim in self.event.claims or (self.event.preview.title,):
            rows.extend(wrapped(Content(in_short(claim)), width, indent, indent))
        return rows

    def _preview_rows(self, width: int, limit: int) -> list[Row]:
        shown = replace(self.event.preview, body=visible(self.event.preview.body))
        if self.opened:
            return list(detail_rows(shown, width, limit=OPENED_LINES))
        return preview_rows(shown, width, limit, "ctrl+o shows all")

    def _turned_to(self) -> bool:
        """Whether the card or the line for the reason has the focus."""
        focused = self.screen.focused
        return focused is not None and self in focused.ancestors_with_self

    def _preview_adds(self) -> bool:
        """Whether the preview says more than the claims: a short command is its own preview."""
        body = visible(self.event.preview.body).strip()
        return not any(body in in_short(claim) for claim in self.event.claims)

    def _room(self) -> int:
        """Rows that the card may take so that all of it is in view."""
        views = (each for each in self.ancestors if isinstance(each, VerticalScroll))
        view = next(views, None)
        height = view.size.height if view is not None else 0
        line = 2 if self.query("Input") else 0
        return (height or UNKNOWN_HEIGHT) - line

    def _choice_rows(self, width: int) -> list[Row]:
        """As many choices on each row as fit; none is broken."""
        lines: list[Content] = []
        for choice in self.event.choices:
            words = self._choice_words(choice)
            if lines and lines[-1].cell_length + 3 + words.cell_length <= width:
                lines[-1] += Content("   ") + words
            else:
                lines.append(Content("  ") + words)
        rows = [Row(line.truncate(width, ellipsis=True)) for line in lines]
        if self._held:
            indent = Content("  ")
            held = wrapped(Content.styled(self._held, "bold $text-accent"), width, indent, indent)
            # As many rows as the choices take, so that nothing jumps under the eyes.
            return [*held, *[Row(Content("")) for _ in rows[len(held) :]]]
        return rows

    def _choice_words(self, choice: Choice) -> Content:
        style = "bold $text-accent" if self.armed and self.has_focus else "$text-muted"
        return Content.assemble((f"{LETTERS[choice.key]} ", style), one_line(choice.words))
