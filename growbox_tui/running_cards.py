"""Running cards: the tool cards of calls that have begun and not ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from growbox_tui.agent import events as e
from growbox_tui.widgets.tool_card import ToolCard

if TYPE_CHECKING:
    from growbox_tui.widgets.conversation import Conversation


class RunningCards:
    """One card for each call, in the conversation from its beginning."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._cards: dict[str, ToolCard] = {}

    def show(self, event: e.ToolStarted | e.ToolProgress | e.ToolEnded, *, own: bool) -> str:
        """Show one event of a call. ``own``: the user ran it, so its output opens. The state of
        the session from now on; empty where it stays as it is."""
        match event:
            case e.ToolStarted():
                card = self._cards[event.call] = ToolCard(event.name, event.title)
                self._conversation.add(card)
                return f"running {event.name}"
            case e.ToolProgress():
                if event.call in self._cards:
                    self._cards[event.call].progress(event.text)
                    self._conversation.note_news()
                return ""
            case e.ToolEnded():
                ended = self._cards.pop(event.call, None)
                if ended is None:
                    ended = ToolCard(event.name, event.detail.title)
                    self._conversation.add(ended)
                ended.ended(event, opens=own and event.name == "shell")
                return "thinking"
            case _:
                assert_never(event)

    def stop(self) -> None:
        """The turn is over: what still runs was stopped."""
        for card in self._cards.values():
            card.stopped()
        self._cards.clear()

    def forget(self) -> None:
        """Another conversation begins on the same screen."""
        self._cards.clear()
