"""Pairing: every call in a conversation gets exactly one result, right behind it.

Providers refuse a history in which that does not hold. The session keeps it so; what is left here
are conversations that a crash or a cut at an epoch left torn. The same messages always give the
same repair, so the prompt stays equal to the byte.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from growbox_tui.agent.messages import Message, Text, ToolCall, ToolResult

MISSING = "No result was recorded for this call; it may or may not have run."


def traced(messages: Sequence[Message]) -> list[tuple[int, Message]]:
    """The messages, with a result added for each call that has none and each result that answers
    no call turned into the user's words; each with the index of the message that it came from, -1
    for an added one. Nothing is reordered."""
    out: list[tuple[int, Message]] = []
    waiting: dict[str, ToolCall] = {}
    for at, message in enumerate(messages):
        if message.role == "tool":
            out += [
                (at, _answer(part, waiting))
                for part in message.parts
                if isinstance(part, ToolResult)
            ]
            continue
        out += _missing(waiting)
        waiting = {call.id: call for call in message.calls} if message.role == "assistant" else {}
        out.append((at, message))
    return [*out, *_missing(waiting)]


def _answer(result: ToolResult, waiting: dict[str, ToolCall]) -> Message:
    if waiting.pop(result.call_id, None) is None:
        return Message("user", (Text(f"Result of an earlier call:\n{result.content}"),))
    return Message("tool", (result,))


def _missing(waiting: dict[str, ToolCall]) -> list[tuple[int, Message]]:
    lost = [(-1, Message("tool", (ToolResult(call_id, MISSING, True),))) for call_id in waiting]
    waiting.clear()
    return lost


def wire_id(call_id: str, form: str = "") -> str:
    """A call id that the provider will take: ids of another provider may hold signs or be of a
    length that it refuses. ``form`` is ``"anthropic"``, ``"mistral"`` or empty (OpenAI)."""
    digest = hashlib.sha256(call_id.encode()).hexdigest()
    if form == "mistral":
        return call_id if re.fullmatch(r"[A-Za-z0-9]{9}", call_id) else digest[:9]
    if form == "anthropic":
        return call_id if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", call_id) else f"call_{digest[:24]}"
    return call_id if len(call_id) <= 40 else f"call_{digest[:24]}"


def wire_name(name: str) -> str:
    """A tool name that the provider will take, where a model made up one that it would not."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def call_ids(messages: Sequence[Message]) -> frozenset[str]:
    """The ids of all calls of a conversation."""
    return frozenset(call.id for message in messages for call in message.calls)
