"""Waiting words: what the user sent and is not yet part of the conversation on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from growbox_tui.widgets.user_message import UserMessage

if TYPE_CHECKING:
    from growbox_tui.widgets.composer import Composer
    from growbox_tui.widgets.conversation import Conversation


class WaitingWords:
    """Shown at once and muted, until they arrive or go back to where they were written."""

    def __init__(self, conversation: Conversation, composer: Composer) -> None:
        self._conversation = conversation
        self._composer = composer
        self._messages: list[UserMessage] = []

    def show(self, text: str) -> None:
        """Words that were just sent."""
        message = UserMessage(text, waiting=True)
        self._messages.append(message)
        self._conversation.add(message)

    def arrived(self, text: str) -> None:
        """These words are on disk: they stand at the end of the conversation, as any others."""
        found = next((message for message in self._messages if message.text == text), None)
        if found is not None:
            self._messages.remove(found)
            if found is self._conversation.messages[-1]:
                found.remove_class("-waiting")
                return
            self._conversation.take_away(found)
        self._conversation.add(UserMessage(text))

    def opener_failed(self) -> None:
        """The turn of the oldest words failed before they were on disk: they stay on the screen,
        muted, and no later turn takes them."""
        del self._messages[:1]

    def give_back(self) -> None:
        """The turn was stopped: all that waits goes back into the composer."""
        words = [message.text for message in self._messages]
        for message in self._messages:
            self._conversation.take_away(message)
        self._messages.clear()
        if words:
            self._composer.give_back("\n".join(words))

    def forget(self) -> None:
        """Another conversation begins on the same screen."""
        self._messages.clear()
