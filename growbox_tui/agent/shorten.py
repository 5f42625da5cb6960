"""Shorten: a message of an earlier epoch in fewer tokens, with the address of the whole.

Done only while an epoch ends, to messages that are carried into the next one: a giant would else
take the place of all that is older. Pure: the same entry gives the same bytes. A call keeps its
name and the shape of its arguments; a result keeps its call.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from executors.trim import trim
from growbox_tui.agent.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    message_from_json,
    message_to_json,
)
from memory.context.render import shown_ids
from memory.tokens import estimate
from memory.types import Entry

FRAME = 24
"""Tokens of a message's own JSON beside its parts."""
LEAST = 32
"""Tokens below which a text is not cut any further: its note alone takes as much."""
TRIES = 4
"""How often a message is cut again because its tokens were estimated from characters."""


def shortened(entry: Entry, tokens: int) -> Entry:
    """The entry with a body of at most about ``tokens`` estimated tokens.

    Of a user's message what was put beside the words goes first, and the words last. Reasoning is
    left out: nobody takes it back behind another beginning. So are the remembered nodes that the
    entry shows, which stand in the region from then on. The entry itself where nothing in it
    can be cut.
    """
    if entry.tokens <= tokens:
        return entry
    message = _without_memories(message_from_json(entry.body), entry.shows)
    address = f"mem://{entry.node}" if entry.node else ""
    goal, shorter = tokens, entry
    for _ in range(TRIES):
        parts = _fitted(message, max(LEAST, goal - FRAME), address)
        body = message_to_json(Message(message.role, parts))
        made = replace(entry, body=body, tokens=estimate(body))
        if made.tokens >= shorter.tokens:
            break
        shorter = made
        if shorter.tokens <= tokens:
            break
        goal = goal * tokens // shorter.tokens
    return shorter


def _without_memories(message: Message, shows: Sequence[str]) -> Message:
    """The message with addresses in the place of these remembered nodes. What the user wrote, the
    last of a user's parts, stays whatever it quotes."""
    if not shows:
        return message
    end = len(message.parts) - (message.role == "user")
    parts = [_addressed(part, shows) for part in message.parts[:end]]
    return replace(message, parts=(*parts, *message.parts[end:]))


def _addressed(part: Part, shows: Sequence[str]) -> Part:
    if isinstance(part, Text):
        return replace(part, text=_before_memories(part.text, shows))
    if isinstance(part, ToolResult):
        return replace(part, content=_before_memories(part.content, shows))
    return part


def _before_memories(text: str, shows: Sequence[str]) -> str:
    names = [name for name in shown_ids(text) if name in shows]
    if not names:
        return text
    begun = min(text.index(f"--- mem://{name} ") for name in names)
    where = ", ".join(f"mem://{name}" for name in names)
    return f"{text[:begun]}[… in front of the conversation now, or to be recalled: {where} …]"


def _fitted(message: Message, tokens: int, address: str) -> tuple[Part, ...]:
    """The parts in so many tokens: the user's words as they are while they leave room."""
    parts = [part for part in message.parts if not isinstance(part, Thinking)]
    sizes = [_size(part) for part in parts]
    spared: set[int] = set()
    if message.role == "user" and parts and sizes[-1] <= tokens - LEAST:
        spared = {len(parts) - 1}
    left = tokens - sum(sizes[place] for place in spared)
    level = _level([size for place, size in enumerate(sizes) if place not in spared], left)
    return tuple(
        part if place in spared or sizes[place] <= level else _cut(part, level, address)
        for place, part in enumerate(parts)
    )


def _level(sizes: list[int], left: int) -> int:
    """The most that each part may take, so that all of them take no more than ``left``."""
    waiting = sorted(sizes)
    while waiting:
        level = max(LEAST, left // len(waiting))
        if waiting[0] > level:
            return level
        left -= waiting.pop(0)
    return max(LEAST, left)


def _size(part: Part) -> int:
    match part:
        case Text(text) | ToolResult(content=text) | ToolCall(arguments=text):
            return estimate(text)
        case _:
            return 0


def _cut(part: Part, tokens: int, address: str) -> Part:
    match part:
        case Text(text):
            return Text(_text(text, tokens, address))
        case ToolResult(call_id, content, is_error):
            return ToolResult(call_id, _text(content, tokens, address), is_error)
        case ToolCall(call_id, name, arguments):
            return ToolCall(call_id, name, _arguments(arguments, tokens))
        case _:
            return part


def _text(text: str, tokens: int, address: str) -> str:
    """Both ends of a text and a note for its middle."""
    size = estimate(text)
    if size <= tokens:
        return text
    limit = len(text) * tokens // size
    return trim(text, limit, address) if address else _ends(text, limit)


def _arguments(text: str, tokens: int) -> str:
    """Arguments whose long texts are cut: JSON of the same keys."""
    try:
        value = json.loads(text)
    except ValueError:
        return "{}"
    share = max(LEAST, tokens // max(1, _strings(value)))
    return json.dumps(_shorter(value, share), ensure_ascii=False)


def _strings(value: Any) -> int:
    """How many texts in a value are worth cutting."""
    if isinstance(value, dict):
        return sum(map(_strings, value.values()))
    if isinstance(value, list):
        return sum(map(_strings, value))
    return int(isinstance(value, str) and estimate(value) > LEAST)


def _shorter(value: Any, tokens: int) -> Any:
    if isinstance(value, dict):
        return {key: _shorter(item, tokens) for key, item in value.items()}
    if isinstance(value, list):
        return [_shorter(item, tokens) for item in value]
    if isinstance(value, str) and (size := estimate(value)) > tokens:
        return _ends(value, len(value) * tokens // size)
    return value


def _ends(text: str, limit: int) -> str:
    """Both ends of a text that has no address; what is left out is on disk or was said."""
    half = max(8, limit // 2 - 20)
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
