"""Reply: the words that the model is writing, until they stand in the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from growbox_tui.agent import events as e
from growbox_tui.widgets.assistant_message import AssistantMessage

if TYPE_CHECKING:
    from growbox_tui.widgets.conversation import Conversation


class Reply:
    """Live words become a flat message when they are whole, or cut."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._cut = ""
        """The words that were last shown as a message."""

    def show(self, event: e.MessageStarted | e.TextDelta | e.ThinkingDelta | e.MessageEnded) -> str:
        """Show one event of a reply. The state of the session from now on; empty where it stays
        as it is."""
        live = self._conversation.live
        match event:
            case e.MessageStarted():
                live.begin()
                return "thinking"
            case e.TextDelta():
                live.add_text(event.text)
                return "writing"
            case e.ThinkingDelta():
                live.add_thinking(event.text)
            case e.MessageEnded():
                # What was cut is shown at once, and told again when it is on disk.
                if event.stop != "cut" or live.text or event.text.strip() != self._cut:
                    self._finish(event.text, event.stop)
                self._cut = ""
            case _:
                assert_never(event)
        return ""

    def cut(self) -> None:
        """What was being written ends here: what was shown stays, marked as cut."""
        self._finish("", "cut")

    def _finish(self, text: str, stop: str) -> None:
        """``text`` is what is on disk; without it, what was shown stays."""
        live = self._conversation.live
        words = text or live.text
        live.begin()
        self._cut = words.strip()
        if words.strip():
            self._conversation.add(AssistantMessage(words, stop))
