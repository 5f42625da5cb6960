"""Transcript: a conversation on file, told again for a screen to draw."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from growbox_tui.agent.events import Replayed
from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult, message_from_json
from growbox_tui.agent.reply_summary import split
from memory.types import Entry


def retold(entries: Iterable[Entry]) -> Iterator[Replayed]:
    """The messages in order: the user's words without what was put beside them, replies, and what
    came of each call under the name of its hand."""
    calls: dict[str, ToolCall] = {}
    for entry in entries:
        message = message_from_json(entry.body)
        calls |= {call.id: call for call in message.calls}
        yield from _told(message, calls)


def _told(message: Message, calls: dict[str, ToolCall]) -> Iterator[Replayed]:
    match message.role:
        case "user":
            texts = [part.text for part in message.parts if isinstance(part, Text)]
            yield Replayed("user", texts[-1] if texts else "")
        case "assistant":
            words, _ = split(message.text)
            if words:
                yield Replayed("assistant", words)
        case "tool":
            for part in message.parts:
                if isinstance(part, ToolResult):
                    call = calls.pop(part.call_id, ToolCall(part.call_id, "", "{}"))
                    yield Replayed("tool", part.content, call.name, title(call), part.is_error)


def title(call: ToolCall) -> str:
    """What a call of an earlier run was about: the first text among its arguments."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return ""
    values = arguments.values() if isinstance(arguments, dict) else ()
    return next((value for value in values if isinstance(value, str)), "").split("\n", 1)[0][:200]
