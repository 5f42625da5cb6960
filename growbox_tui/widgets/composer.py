"""Composer: where the user writes. Many lines, whole graphemes, history, big pastes as chips."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets._text_area import TextArea

from growbox_tui.widgets.graphemes import boundary, end_of, start_of
from growbox_tui.widgets.safe_text import typed

if TYPE_CHECKING:
    from textual.events import Key, MouseDown, Paste

Location = tuple[int, int]

CHIP_CHARACTERS = 1_000
CHIP_LINES = 50
_BROKEN_REPORT = re.compile(r"\[<(?=[^Mm]*NaN)(?:NaN|\d+)(?:;(?:NaN|\d+)){2}$")
"""A mouse report without numbers, which some terminals send; it arrives as if it was typed."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the composer: the text with its chips, and what each chip stands for."""

    text: str
    chips: dict[str, str] = field(default_factory=dict)

    def expanded(self) -> str:
        """The text with every chip replaced by what was pasted."""
        text = self.text
        for chip, pasted in self.chips.items():
            text = text.replace(chip, pasted)
        return text


def is_big(text: str) -> bool:
    """Whether a paste is too big to be shown as it is."""
    return len(text) > CHIP_CHARACTERS or text.count("\n") >= CHIP_LINES


def chip_for(text: str, taken: dict[str, str]) -> str:
    """The chip that stands for a paste: ``[pasted 10000 lines]``. Unique among ``taken``."""
    lines = text.removesuffix("\n").count("\n") + 1
    words = f"{lines} lines" if lines > 1 else f"{len(text)} characters"
    chip, number = f"[pasted {words}]", 2
    while chip in taken:
        chip = f"[pasted {words} #{number}]"
        number += 1
    return chip


class Composer(TextArea):
    """Posts ``Submitted``; knows nothing of sessions. ``completing`` is set by its screen while a
    list of offers is open, and then some keys belong to the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "New line", show=False),
    ]

    class Submitted(Message):
        """The user sent something; chips are already expanded."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class ListKey(Message):
        """A key that belongs to the open list: ``up``, ``down``, ``accept``, ``close``."""

        def __init__(self, key: str, *, sends: bool) -> None:
            super().__init__()
            self.key = key
            self.sends = sends
            """Whether a command that is accepted by it is also sent: enter does, tab does not."""

    def __init__(self) -> None:
        super().__init__(
            placeholder="Ask, or / for commands, @ for files, ! for shell",
            compact=True,
            highlight_cursor_line=False,
        )
        self.completing = False
        self.last_key = 0.0
        """When a key was last pressed, on the loop's clock."""
        self._chips: dict[str, str] = {}
        self._past: list[Draft] = []
        self._at = 0
        self._unsent = Draft("")

    # ---- what is written ---------------------------------------------------------------------

    @property
    def draft(self) -> Draft:
        """What stands here now."""
        used = {chip: text for chip, text in self._chips.items() if chip in self.text}
        return Draft(self.text, used)

    def put(self, draft: Draft) -> None:
        """Replace what stands here, with the cursor at its end."""
        self._chips = dict(draft.chips)
        self.text = draft.text
        self.move_cursor(self.document.end)

    def remember(self, text: str) -> None:
        """Add something said earlier to the history; big texts become chips."""
        text = typed(text)
        if is_big(text):
            chip = chip_for(text, {})
            self._keep(Draft(chip, {chip: text}))
        else:
            self._keep(Draft(text))

    def give_back(self, text: str) -> None:
        """Put words that were not taken before what stands here."""
        here = self.draft
        self.put(Draft(f"{typed(text)}\n{here.text}" if here.text else typed(text), here.chips))

    def _keep(self, draft: Draft) -> None:
        if draft.text.strip() and (not self._past or self._past[-1] != draft):
            self._past.append(draft)
        self._at = len(self._past)

    def send(self) -> None:
        """Post what stands here, unless it is empty."""
        draft = self.draft
        if not draft.text.strip():
            return
        self._keep(draft)
        self.put(Draft(""))
        self.post_message(self.Submitted(draft.expanded()))

    def place_cursor(self) -> None:
        """Put the terminal's own cursor, and with it the window of an input method, where the
        text cursor is drawn. Textual does so when the text changes, but not when the composer
        moves."""
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    def on_mouse_down(self, event: MouseDown) -> None:
        """Who clicks here is about to write."""
        self.last_key = event.time

    def on_resize(self) -> None:
        self.call_after_refresh(self.place_cursor)

    @property
    def at_top(self) -> bool:
        """Whether the cursor is in the first row."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y == 0

    # ---- keys --------------------------------------------------------------------------------

    async def _on_key(self, event: Key) -> None:
        """Enter sends; while a list is open some keys are its own; the rest is TextArea's."""
        self.last_key = event.time
        listed = {"up": "up", "down": "down", "tab": "accept", "enter": "accept", "escape": "close"}
        if self.completing and event.key in listed:
            event.stop()
            event.prevent_default()
            self.post_message(self.ListKey(listed[event.key], sends=event.key == "enter"))
        elif event.key == "enter":
            event.stop()
            event.prevent_default()
            self.send()
        elif event.character in ("M", "m") and self._drop_broken_report():
            event.stop()
            event.prevent_default()

    def _drop_broken_report(self) -> bool:
        """Take a broken mouse report out again, now that its last letter has come."""
        row, column = self.cursor_location
        found = _BROKEN_REPORT.search(self.document.get_line(row)[:column])
        if found is None:
            return False
        self.delete((row, found.start()), (row, column), maintain_selection_offset=False)
        return True

    def action_newline(self) -> None:
        """A line break at the cursor."""
        self._replace_via_keyboard("\n", *self.selection)

    async def _on_paste(self, event: Paste) -> None:
        """Pasted text never sends; big text becomes a chip."""
        event.stop()
        event.prevent_default()
        text = typed(event.text)
        if is_big(text):
            chip = chip_for(text, self._chips)
            self._chips[chip] = text
            text = chip
        if text and (result := self._replace_via_keyboard(text, *self.selection)):
            self.move_cursor(result.end_location)
            self.focus()

    # ---- graphemes and chips -----------------------------------------------------------------

    def get_cursor_left_location(self) -> Location:
        """One grapheme, or one chip, to the left."""
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        line = self.document.get_line(row)
        for chip in self._chips:
            if line.endswith(chip, 0, column):
                return row, column - len(chip)
        return row, start_of(line, column)

    def get_cursor_right_location(self) -> Location:
        """One grapheme, or one chip, to the right."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if column >= len(line):
            return super().get_cursor_right_location()
        for chip in self._chips:
            if line.startswith(chip, column):
                return row, column + len(chip)
        return row, end_of(line, column)

    def clamp_visitable(self, location: Location) -> Location:
        """Never inside a grapheme, however the cursor came there."""
        row, column = super().clamp_visitable(location)
        return row, boundary(self.document.get_line(row), column)

    # ---- history and scrolling ---------------------------------------------------------------

    def action_cursor_up(self, select: bool = False) -> None:
        """Up; from the first row to what was said before."""
        if select or not self.at_top or self._at == 0:
            super().action_cursor_up(select)
            return
        if self._at == len(self._past):
            self._unsent = self.draft
        self._at -= 1
        self.put(self._past[self._at])

    def action_cursor_down(self, select: bool = False) -> None:
        """Down; from the last row back towards what was not yet sent."""
        last = self.wrapped_document.height - 1
        at_end = self.wrapped_document.location_to_offset(self.cursor_location).y >= last
        if select or not at_end or self._at >= len(self._past):
            super().action_cursor_down(select)
            return
        self._at += 1
        self.put(self._unsent if self._at == len(self._past) else self._past[self._at])

    def action_cursor_page_up(self) -> None:
        """Pages belong to the conversation."""
        raise SkipAction

    def action_cursor_page_down(self) -> None:
        """Pages belong to the conversation."""
        raise SkipAction
