"""Palette: the table of actions for ctrl+p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from growbox_tui.actions import ACTIONS, Action
from growbox_tui.widgets.key_line import key_words

if TYPE_CHECKING:
    from collections.abc import Callable


OUTSIDE = frozenset({"send", "newline", "palette", "page_up", "page_down"})
"""Actions that make no sense from within a list."""


def _line(action: Action) -> str:
    ways = [key_words(action.key.split(",")[0])] if action.key else []
    if action.command:
        ways.append(action.command)
    return "  ".join(ways)


class ActionProvider(Provider):
    """Finds actions by their words, key or command."""

    def _does(self, action: Action) -> Callable[[], None]:
        from growbox_tui.screens.chat import ChatScreen

        def run() -> None:
            screen = self.screen
            if isinstance(screen, ChatScreen):
                screen.post_message(ChatScreen.Wanted(action.name, ""))

        return run

    def _offered(self) -> list[Action]:
        return [action for action in ACTIONS if action.name not in OUTSIDE]

    async def discover(self) -> Hits:
        """All actions, before anything is typed."""
        for action in self._offered():
            yield DiscoveryHit(action.words, self._does(action), help=_line(action))

    async def search(self, query: str) -> Hits:
        """Actions whose words or command match."""
        matcher = self.matcher(query)
        for action in self._offered():
            text = f"{action.words}  {action.command}".strip()
            score = matcher.match(text)
            if score > 0:
                yield Hit(score, matcher.highlight(text), self._does(action), help=_line(action))
