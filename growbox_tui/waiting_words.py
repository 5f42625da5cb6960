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
        self._later: list[UserMessage] = []
        """What is sent after a command of the user's own, or a nap, by the session itself."""

    def show(self, text: str, *, opens: bool, later: bool = False) -> None:
        """Words that were just sent. ``opens``: they begin a turn; ``later``: one that comes."""
        message = UserMessage(text, waiting=True)
        if later:
            self._later.append(message)
        elif opens and self._opener is None:
            self._opener = message
        else:
            self._messages.append(message)
        self._conversation.add(message)

    def arrived(self, text: str) -> None:
        """These words are on disk: they stand at the end of the conversation, as any others."""
        opener = [self._opener] if self._opener else []
        waiting = [*opener, *self._later, *self._messages]
        found = next((message for message in waiting if message.text == text), None)
        if found is not None:
            self._drop(found)
            shown = self._conversation.messages
            if shown and found is shown[-1]:
                found.remove_class("-waiting")
                return
            self._conversation.take_away(found)
        self._conversation.add(UserMessage(text))

    def _drop(self, message: UserMessage) -> None:
        if message is self._opener:
            self._opener = None
        elif message in self._later:
            self._later.remove(message)
        else:
            self._messages.remove(message)

    def later_opens(self) -> str:
        """What ran has ended: the first of the words that waited for it begins a turn, the others
        are added to that one. The words that begin; empty where none waited."""
        if not self._later:
            return ""
        self._opener, *others = self._later
        self._messages.extend(others)
        self._later.clear()
        return self._opener.text

    def show_again(self) -> None:
        """The conversation was cleared: what still waits is shown anew."""
        self._later = [UserMessage(message.text, waiting=True) for message in self._later]
        for message in self._later:
            self._conversation.add(message)

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
        self._later.clear()
