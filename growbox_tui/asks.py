"""Asks: the open questions, and which keys are answers to them.

A key that was meant for the composer must never grant anything. So a card takes the focus by
itself only where the composer is empty and quiet, its keys do not count in the first moment, a
letter that another key follows is prose, and so is all that is pasted. What grants more than one
call waits for enter, whoever turned to the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual._time import get_time
from textual.events import Key, Paste

from growbox_tui.agent.events import ApprovalAsked, QuestionAsked
from growbox_tui.widgets.approval_card import ApprovalCard
from growbox_tui.widgets.question_card import QuestionCard
from growbox_tui.widgets.recall_card import RecallCard

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from growbox_tui.screens.chat import ChatScreen

Card = ApprovalCard | QuestionCard

QUIET_SECONDS = 2.0
"""Without a key in the empty composer, after which a card takes the focus."""
SENT_SECONDS = 0.7
"""The same after words were sent: who has sent something waits for what comes of it."""
ARM_SECONDS = 0.5
"""After a card took the focus by itself, in which a key is not yet an answer."""
BURST_SECONDS = 0.6
"""In which a second key makes prose of the first: a slow writer's gap between two letters."""
MACHINE_SECONDS = 0.01
"""Between a letter and an enter that no hand pressed: they came as one piece."""
WIDE = frozenset({"session", "always"})
"""Choices that grant more than one call."""
LOOK_SECONDS = 0.1
"""Between two looks at whether the composer is quiet."""


@dataclass(frozen=True, slots=True)
class Held:
    """A key on a card that may yet prove to be prose."""

    card: ApprovalCard
    choice: str
    key: Key


class Asks:
    """Shows, focuses and closes the cards of one chat screen."""

    def __init__(self, chat: ChatScreen) -> None:
        self._chat = chat
        self._left: set[str] = set()
        """Questions that the user turned away from; they wait to be turned to."""
        self._held: Held | None = None
        self._wanted: str = ""
        """The question that the user turned to, while it has the focus."""
        self._hold: Timer | None = None
        self._looking: Timer | None = None

    # ---- cards -------------------------------------------------------------------------------

    def show(self, event: ApprovalAsked | QuestionAsked) -> None:
        """A new question, below everything else."""
        card: Card = (
            ApprovalCard(event) if isinstance(event, ApprovalAsked) else QuestionCard(event)
        )
        self._chat.conversation.ask(card)
        if self._looking is None:
            self._looking = self._chat.set_interval(LOOK_SECONDS, self._look)
        self._chat.call_after_refresh(self._look)
        self._chat.call_after_refresh(self._chat.show_keys)

    def sent(self) -> None:
        """Words were sent: the composer is quiet sooner than after a key."""
        self._chat.composer.last_key = get_time() - max(0.0, QUIET_SECONDS - SENT_SECONDS)

    def close(self, ask: str) -> None:
        """The question is answered or gone. Focus goes on before the card goes: Textual would
        choose a card far up instead."""
        chat = self._chat
        self._left.discard(ask)
        gone = [card for card in self.cards() if card.event.ask == ask]
        left = [card for card in self.cards() if card.event.ask != ask]
        if self._held is not None and self._held.card in gone:
            self._release()
        if self._focused_card() in gone:
            if left and not chat.composer.text:
                self._take(left[0])
            else:
                chat.set_focus(chat.composer, scroll_visible=False)
        for card in gone:
            chat.conversation.close_ask(card)
        chat.call_after_refresh(chat.show_keys)
        if not left and self._looking is not None:
            self._looking.stop()
            self._looking = None

    def cards(self) -> list[Card]:
        """The open questions, oldest first."""
        asks = self._chat.conversation.open_asks
        return [card for card in asks if isinstance(card, Card)]

    def _focused_card(self) -> Card | None:
        focused = self._chat.focused
        line = [focused, *focused.ancestors] if focused is not None else []
        return next((widget for widget in line if isinstance(widget, Card)), None)

    # ---- focus -------------------------------------------------------------------------------

    def _look(self) -> None:
        """Let a card take the focus, if the composer is empty and quiet."""
        chat = self._chat
        waiting = [card for card in self.cards() if card.event.ask not in self._left]
        quiet = get_time() - chat.composer.last_key >= QUIET_SECONDS
        here = chat.app.screen is chat and not chat.is_small
        if waiting and here and quiet and not chat.composer.text and not self._focused_card():
            self._take(waiting[0])

    def _take(self, card: Card) -> None:
        """Focus by itself: the first keys may have been meant for the composer."""
        self._wanted = ""
        self._release()
        if isinstance(card, ApprovalCard):
            card.arm(ARM_SECONDS <= 0)
            if ARM_SECONDS > 0:
                card.set_timer(ARM_SECONDS, card.arm)
        self._chat.set_focus(card, scroll_visible=False)
        self._chat.conversation.bring(card)

    def _turn_to(self, card: Card) -> None:
        """Focus because the user wants it."""
        self._left.discard(card.event.ask)
        self._wanted = card.event.ask
        self._release()
        if isinstance(card, ApprovalCard):
            card.arm()
        self._chat.set_focus(card, scroll_visible=False)
        self._chat.conversation.bring(card)

    def clicked(self, card: ApprovalCard) -> None:
        """The user clicked a card, which gave it the focus."""
        self._turn_to(card)

    def _write(self) -> None:
        """Focus for the composer, now, so that the key under way goes there."""
        self._wanted = ""
        self._chat.set_focus(self._chat.composer, scroll_visible=False)

    # ---- keys --------------------------------------------------------------------------------

    def takes(self, event: Key | Paste) -> bool:
        """Whether the event ends here. Otherwise it goes to whatever has the focus, which this
        may have moved to the composer. Called for each key before anything else sees it."""
        chat = self._chat
        if chat.app.screen is not chat:
            chat.composer.last_key = event.time
            return False
        if self._held is not None and self._ends_hold(self._held, event):
            return True
        focused = chat.focused
        if focused is chat.composer:
            return isinstance(event, Key) and self._turns_to_card(event)
        if focused is not None and type(focused).__name__ == "Input":
            return self._leaves_line(event)
        if isinstance(event, Paste) or focused is None:
            self._write()
            return False
        return self._on_card(focused, event)

    def _turns_to_card(self, event: Key) -> bool:
        """tab or ↑ in the composer go to an open question."""
        composer, cards = self._chat.composer, self.cards()
        wanted = event.key == "tab" or (event.key == "up" and composer.at_top)
        if not (cards and wanted) or composer.completing:
            return False
        self._turn_to(cards[0])
        return True

    def _leaves_line(self, event: Key | Paste) -> bool:
        card = self._focused_card()
        if isinstance(card, QuestionCard) and isinstance(event, Key) and event.key == "escape":
            self._turn_away(card)
            return True
        return False

    def _turn_away(self, card: Card) -> None:
        self._left.add(card.event.ask)
        self._write()

    def _on_card(self, focused: Widget, event: Key) -> bool:
        """A key while a card has the focus: its own keys are for it, all others are prose."""
        if event.key == "escape":
            if isinstance(focused, Card):
                self._turn_away(focused)
            else:
                self._write()
            return True
        by_itself = isinstance(focused, ApprovalCard) and self._wanted != focused.event.ask
        if isinstance(focused, ApprovalCard) and by_itself and event.key in ("tab", "up"):
            self._turn_to(focused)
            return True
        if isinstance(focused, ApprovalCard) and focused.armed:
            choice = focused.choice_of(event.key)
            if choice is not None:
                self._answer(focused, choice, event)
                return True
        if isinstance(focused, RecallCard) and self._doubts(focused, event):
            return False
        if event.is_printable:
            self._write()
        return False

    def _doubts(self, card: RecallCard, event: Key) -> bool:
        """The key that calls a recall wrong, pressed twice; once and another key are prose."""
        if event.key == "w" and card.takes_wrong:
            return True
        if card.asks and event.is_printable:
            self._write()
            self._chat.composer.insert("w")
        return False

    def _answer(self, card: ApprovalCard, choice: str, key: Key) -> None:
        """Take it for an answer if the user sees what is asked, and meant the card."""
        if self._chat.is_small:
            return
        if not self._in_view(card):
            self._chat.conversation.bring(card)
            return
        if choice not in WIDE and self._wanted == card.event.ask:
            self._choose(card, choice)
            return
        self._held = Held(card, choice, key)
        card.hold(choice, waits=choice in WIDE)
        if choice not in WIDE:
            self._hold = self._chat.set_timer(BURST_SECONDS, partial(self._run_out, self._held))

    def _in_view(self, card: ApprovalCard) -> bool:
        view, body = self._chat.conversation.region, card.body.region
        bottom = view.bottom - (1 if self._chat.below.display else 0)
        return bool(body) and view.y <= body.bottom - card.key_rows and body.bottom <= bottom

    def _choose(self, card: ApprovalCard, choice: str) -> None:
        # By the card's own task: a message posted here, in the screen's, would end there.
        card.call_later(card.choose, choice)

    def _release(self) -> None:
        """Hold nothing any more."""
        held, self._held = self._held, None
        hold, self._hold = self._hold, None
        if hold is not None:
            hold.stop()
        if held is not None:
            held.card.hold("")

    def _run_out(self, held: Held) -> None:
        """The time for another key is over. One that came in it may still wait in the app's queue,
        where the machine is slow: it goes first."""
        self._chat.app.call_later(self._settle, held)

    def _settle(self, held: Held) -> None:
        """Nothing followed: it was an answer, if the card is still what the user looks at."""
        if self._held is not held:
            return
        self._release()
        chat = self._chat
        if chat.focused is held.card and chat.app.screen is chat:
            self._choose(held.card, held.choice)

    def _ends_hold(self, held: Held, event: Key | Paste) -> bool:
        """A key was held back and another one comes. Whether that one ends here: enter confirms,
        esc takes back; any other makes both prose."""
        self._release()
        if self._chat.focused is not held.card:
            return False
        key = event.key if isinstance(event, Key) else ""
        if key == "escape":
            return True
        by_hand = event.time - held.key.time >= MACHINE_SECONDS
        if key == "enter" and by_hand and not self._chat.is_small:
            self._choose(held.card, held.choice)
            return True
        self._write()
        self._chat.composer.insert(held.key.character or "")
        self._chat.composer.last_key = event.time
        return key == "enter"
