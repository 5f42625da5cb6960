"""ChatScreen: the one screen of growbox; places the widgets and passes on what the user does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets._static import Static

from growbox_tui.actions import ACTIONS, commands, footer_keys
from growbox_tui.agent.mentions import mentioned
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.completion import Completion, Offer
from growbox_tui.widgets.composer import Composer
from growbox_tui.widgets.conversation import Conversation
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.memory_panel import MemoryPanel
from growbox_tui.widgets.plan_list import PlanList
from growbox_tui.widgets.prefix_bar import PrefixBar
from growbox_tui.widgets.question_card import QuestionCard
from growbox_tui.widgets.recall_card import RecallCard
from growbox_tui.widgets.status_line import StatusLine
from growbox_tui.widgets.title_line import TitleLine
from growbox_tui.widgets.tool_card import ToolCard
from growbox_tui.widgets.user_message import UserMessage

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.events import Click
    from textual.widget import Widget

SMALL_WORDS = "This window is too small for growbox. It needs 60 columns and 15 lines."
BELOW_WORDS = " New output below · ctrl+end "
READING_WORDS = " Reading further up · ctrl+end "
LOOKS, LOOK_SECONDS = 20, 0.15
"""How often paths are asked for again while there are none, and how long between."""
_MENTION = re.compile(r"""(?<![\w@])@("[^"\n]*|[^\s"]*)$""")
"""A mention that is being written."""
_BY_TEXTUAL = frozenset({"send", "newline", "palette", "quit"})
"""Actions whose keys the composer or Textual itself already listens to."""


def mention_of(path: str) -> str:
    """``@path`` as it is understood in the user's words, quoted where need be; empty for a path
    that cannot be written there."""
    forms = (f"@{path}", f'@"{path}"')
    return next((form for form in forms if mentioned(form) == (path,)), "")


class Below(Static):
    """The mark that says there is more below; a click goes there."""

    def on_click(self, event: Click) -> None:
        event.stop()
        self.screen.query_one(Conversation).follow()


class ChatScreen(Screen[None]):
    """Title and prefix bar above, the conversation with the memory panel, the composer below."""

    # Textual declares these on the instance, so that they cannot be class variables here.
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (15, "-tall")]  # noqa: RUF012
    AUTO_FOCUS = "Composer"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(action.key, f"want('{action.name}')", action.words, show=False)
        for action in ACTIONS
        if action.key and action.name not in _BY_TEXTUAL
    ]

    class Wanted(Message):
        """The user wants an action of the table."""

        def __init__(self, name: str, argument: str) -> None:
            super().__init__()
            self.name = name
            self.argument = argument

    def __init__(self, files: Callable[[str], list[str]]) -> None:
        """``files`` lists workspace paths for what follows an ``@``."""
        super().__init__()
        self._files = files
        self.title_line = TitleLine()
        self.prefix_bar = PrefixBar()
        self.conversation = Conversation()
        self.memory_panel = MemoryPanel()
        self.plan = PlanList()
        self.completion = Completion()
        self.composer = Composer()
        self.mode_mark = Static(">", markup=False, classes="mode")
        self.status = StatusLine()
        self.below = Below(BELOW_WORDS, markup=False)
        self.key_line = KeyLine(footer_keys("idle"))
        self._in_turn = False
        self._looks_left = LOOKS
        self._dismissed = ""

    def compose(self) -> ComposeResult:
        with Vertical(classes="room"):
            yield self.title_line
            yield self.prefix_bar
            with Horizontal(classes="middle"):
                with Container(classes="talk"):
                    yield self.conversation
                    yield self.below
                yield self.memory_panel
            yield self.plan
            yield self.completion
            with Horizontal(classes="writing"):
                yield self.mode_mark
                yield self.composer
            yield self.status
            yield self.key_line
        # It lies over the rest, which keeps the focus and what is typed.
        yield Static(SMALL_WORDS, markup=False, classes="small")

    def on_resize(self) -> None:
        self.call_after_refresh(self._settle_size)

    def _settle_size(self) -> None:
        self.composer.place_cursor()
        for card in self.conversation.open_asks:
            if isinstance(card, ApprovalCard):
                card.relay()

    @property
    def is_small(self) -> bool:
        """Whether the window is too small to show anything in it."""
        return self.has_class("-tiny") or self.has_class("-short")

    # ---- the footer --------------------------------------------------------------------------

    def show_keys(self, running: bool | None = None) -> None:
        """The keys that matter now. ``running``: whether a turn runs, if that is news."""
        self._in_turn = self._in_turn if running is None else running
        asks = self.conversation.open_asks
        line = self.focused.parent if self.focused is not None else None
        if isinstance(self.focused, ApprovalCard):
            self.key_line.show([*self.focused.footer(), *footer_keys("approval")])
        elif isinstance(line, ApprovalCard | QuestionCard):
            self.key_line.show(footer_keys("line"))
        elif isinstance(self.focused, RecallCard) and self.focused.takes_wrong:
            self.key_line.show(footer_keys("recall"))
        elif isinstance(self.focused, ToolCard | RecallCard | UserMessage):
            self.key_line.show(footer_keys("card"))
        elif asks:
            self.key_line.show(footer_keys("asked"))
        else:
            self.key_line.show(footer_keys("running" if self._in_turn else "idle"))

    def watch_focused(self) -> None:
        """Other keys work on another widget."""
        self.show_keys()

    def on_recall_card_turned(self, event: RecallCard.Turned) -> None:
        event.stop()
        self.show_keys()

    # ---- actions -----------------------------------------------------------------------------

    def action_want(self, name: str) -> None:
        """A key of the table was pressed."""
        match name:
            case "page_up":
                self.conversation.scroll_page_up(animate=False)
            case "page_down":
                self.conversation.scroll_page_down(animate=False)
            case "bottom":
                self.conversation.follow()
            case "open":
                self.turn_card()
            case _:
                self.post_message(self.Wanted(name, ""))

    def turn_card(self) -> None:
        """Open or close the card in focus, else the open question, else the last card."""
        cards: list[Widget] = [
            card
            for card in (*self.conversation.messages, *self.conversation.open_asks)
            if isinstance(card, ToolCard | RecallCard | ApprovalCard)
            or (isinstance(card, UserMessage) and card.is_long)
        ]
        focused = self.focused if self.focused in cards else None
        card = focused or next(iter(reversed(cards)), None)
        if card is not focused and isinstance(card, RecallCard) and len(cards) > 1:
            # What was recalled for a long message stands between it and the answer.
            card = cards[-2] if isinstance(cards[-2], UserMessage) else card
        if isinstance(card, ToolCard | RecallCard | ApprovalCard | UserMessage):
            card.action_turn()

    def on_conversation_moved(self, event: Conversation.Moved) -> None:
        event.stop()
        self.below.display = self.conversation.reading
        self.below.update(BELOW_WORDS if self.conversation.news else READING_WORDS)
        self.below.set_class(self.conversation.news, "-news")

    # ---- completion --------------------------------------------------------------------------

    def on_text_area_changed(self, event: Composer.Changed) -> None:
        event.stop()
        shell = self.composer.text.startswith("!")
        self.mode_mark.update("$" if shell else ">")
        self.set_class(shell, "-shell")
        self.offer()

    def offer(self) -> None:
        """Show what could complete the word before the cursor; nothing closes the list."""
        row, column = self.composer.cursor_location
        before = self.composer.document.get_line(row)[:column]
        text = self.composer.text
        mention = _MENTION.search(before)
        offers: list[Offer] = []
        if text == self._dismissed:
            pass
        elif text.startswith("/") and row == 0 and " " not in before and "\n" not in text:
            offers = [
                Offer(action.command + " ", f"{action.command} {action.arguments}", action.words)
                for action in commands()
                if action.command.startswith(before)
            ]
        elif mention is not None:
            offers = self._file_offers(mention[1].removeprefix('"'))
        self.completion.show(offers)
        self.composer.completing = bool(offers)

    def _file_offers(self, prefix: str) -> list[Offer]:
        offers = [
            Offer(f"{words} ", path) for path in self._files(prefix) if (words := mention_of(path))
        ]
        if not offers and self._looks_left:
            # The workspace may still be being read.
            self._looks_left -= 1
            self.set_timer(LOOK_SECONDS, self.offer)
        elif offers:
            self._looks_left = LOOKS
        return offers

    def on_composer_list_key(self, event: Composer.ListKey) -> None:
        event.stop()
        if not self.completion.is_open:
            # Keys came faster than the list closed: what was meant is what enter always means.
            if event.sends:
                self.composer.call_later(self.composer.send)
            return
        match event.key:
            case "up" | "down":
                self.completion.move(-1 if event.key == "up" else 1)
            case "close":
                self._dismissed = self.composer.text
                self.offer()
            case _:
                self._accept(self.completion.choice(), send=event.sends)

    def _accept(self, offer: Offer, *, send: bool) -> None:
        row, column = self.composer.cursor_location
        before = self.composer.document.get_line(row)[:column]
        mention = _MENTION.search(before)
        start = mention.start() if mention else 0
        if send and mention and before[start:] == offer.insert.rstrip():
            self._close_offers()
            self.composer.call_later(self.composer.send)
            return
        self.composer.replace(
            offer.insert, (row, start), (row, column), maintain_selection_offset=False
        )
        self._close_offers()
        if send and offer.insert.startswith("/"):
            # Sent by the composer's own task: a message that is posted here would end here.
            self.composer.call_later(self.composer.send)

    def _close_offers(self) -> None:
        self.completion.show([])
        self.composer.completing = False
