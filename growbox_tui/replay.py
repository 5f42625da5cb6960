"""Replay: messages of a resumed conversation, as they looked when they were said."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from growbox_tui.agent.messages import CUT
from growbox_tui.widgets.assistant_message import AssistantMessage
from growbox_tui.widgets.tool_card import ToolCard
from growbox_tui.widgets.user_message import UserMessage

if TYPE_CHECKING:
    from growbox_tui.agent.events import Replayed


def replayed(event: Replayed) -> UserMessage | AssistantMessage | ToolCard:
    """The widget of one message."""
    match event.role:
        case "user":
            return UserMessage(event.text)
        case "assistant":
            words = event.text.removesuffix(CUT)
            return AssistantMessage(words, "end" if words == event.text else "cut")
        case "tool":
            return ToolCard.replayed(event)
        case _:
            assert_never(event.role)
