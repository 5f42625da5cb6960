"""What is said between the user, the model and the hands.

These values are stored and sent back exactly as they came: the raw argument text of a tool call,
the signature of a thinking block. That is what keeps a resumed prompt equal to the byte.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]
StopReason = Literal["end", "tool_calls", "length", "refusal", "cut", "unknown"]
"""Why a reply ended. ``cut``: the stream broke, or the user cancelled, with text already shown.
``length``: the output limit. ``unknown``: a finish reason that we do not know."""

CUT = "\n[cut off here]"
"""Ends the words of a reply that was never finished."""


@dataclass(frozen=True, slots=True)
class Text:
    """Visible words."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A reasoning block, kept so that it can go back to where it came from, byte for byte."""

    text: str
    """What may be shown."""
    wire: str
    """The model (``provider/name``) that made it; other models are never sent it."""
    opaque: str = ""
    """The provider's own block or signature as JSON text; empty where there is none."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a hand."""

    id: str
    """Unique within the conversation (ours where the provider's was missing or repeated)."""
    name: str
    arguments: str
    """JSON text as the model wrote it."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call, as the model reads it."""

    call_id: str
    content: str
    is_error: bool = False


Part = Text | Thinking | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation. A tool message holds exactly one ``ToolResult``."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All visible words, joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them. ``None`` is "not said", never zero."""

    input: int | None = None
    """The whole prompt, cached tokens included, whatever the provider's own convention."""
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


_PARTS: dict[str, type[Part]] = {
    "text": Text,
    "thinking": Thinking,
    "call": ToolCall,
    "result": ToolResult,
}
_KINDS = {kind: name for name, kind in _PARTS.items()}


def message_to_json(message: Message) -> str:
    """Canonical JSON text: fixed key order, no spaces, no escapes of other scripts."""
    parts = [
        {"kind": _KINDS[type(part)], **{name: getattr(part, name) for name in part.__slots__}}
        for part in message.parts
    ]
    return json.dumps(
        {"role": message.role, "parts": parts}, ensure_ascii=False, separators=(",", ":")
    )


def message_from_json(text: str) -> Message:
    """The message that ``message_to_json`` wrote. Raises ``ValueError`` on anything else."""
    try:
        body: dict[str, Any] = json.loads(text)
        parts = []
        for item in body["parts"]:
            fields = dict(item)
            parts.append(_PARTS[fields.pop("kind")](**fields))
        return Message(body["role"], tuple(parts))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a stored message: {error}") from error
