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
        self._opener: UserMessage | None = None
        """What begins the next turn."""
        self._messages: list[UserMessage] = []
        """What was added to a running turn."""

    def show(self, text: str, *, opens: bool) -> None:
        """Words that were just sent. ``opens``: they begin a turn."""
        message = UserMessage(text, waiting=True)
        if opens and self._opener is None:
            self._opener = message
        else:
            self._messages.append(message)
        self._conversation.add(message)

    def arrived(self, text: str) -> None:
        """These words are on disk: they stand at the end of the conversation, as any others."""
        waiting = [self._opener, *self._messages] if self._opener else self._messages
        found = next((message for message in waiting if message.text == text), None)
        if found is not None:
            self._drop(found)
            if found is self._conversation.messages[-1]:
                found.remove_class("-waiting")
                return
            self._conversation.take_away(found)
        self._conversation.add(UserMessage(text))

    def _drop(self, message: UserMessage) -> None:
        if message is self._opener:
            self._opener = None
        else:
            self._messages.remove(message)

    def turn_failed_to_start(self) -> None:
        """The turn ended before its words were on disk: they stay on the screen, muted, and no
        later turn takes them."""
        self._opener = None

    def give_back(self, *, opener: bool) -> None:
        """The turn is over: what was added to it and did not arrive goes back into the composer;
        with ``opener`` what was to begin it, too."""
        messages = list(self._messages)
        self._messages.clear()
        if opener and self._opener is not None:
            messages.insert(0, self._opener)
            self._opener = None
        for message in messages:
            self._conversation.take_away(message)
        if messages:
            self._composer.give_back("\n".join(message.text for message in messages))

    def forget(self) -> None:
        """Another conversation begins on the same screen."""
        self._opener = None
        self._messages.clear()
