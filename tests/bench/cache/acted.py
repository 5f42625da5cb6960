"""Acted: a recorded message with words, as the product would keep it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from growbox_tui.agent.messages import Message, Part, Text, ToolCall, ToolResult
from memory.types import NewNode
from tests.bench.cache.traces import Recorded
from tests.bench.cache.words import Writer

PROJECT = "/project"
HAND = "shell"
"""Which hand the calls of a trace were for; traces do not tell."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Puts words into one trace's messages."""

    trace: Sequence[Recorded]
    words: Writer

    def message(self, place: int) -> Message:
        """As many parts as there were content blocks, of the recorded size together."""
        recorded = self.trace[place]
        match recorded.role:
            case "user":
                return Message("user", (Text(self.words.said(place, recorded.tokens)),))
            case "tool":
                output = self.words.output(place, recorded.tokens)
                return Message("tool", (ToolResult(f"call_{place}", output),))
            case _:
                return Message("assistant", tuple(self._reply(place, recorded)))

    def node(self, place: int, message: Message, session: str, turn: int) -> NewNode | None:
        """What memory keeps of a message; ``None`` for a reply without a word."""
        recorded = self.trace[place]
        if recorded.role == "tool":
            output = "".join(p.content for p in message.parts if isinstance(p, ToolResult))
            words = f"{HAND}: {self.words.command(place)}\n{output}"
            return NewNode("tool", words, PROJECT, session, turn, HAND)
        if not message.text.strip():
            return None
        return NewNode(recorded.role, message.text, PROJECT, session, turn)

    def _reply(self, place: int, recorded: Recorded) -> list[Part]:
        each = recorded.tokens // recorded.blocks
        first = recorded.tokens - each * (recorded.blocks - 1)
        called = place + 1 < len(self.trace) and self.trace[place + 1].role == "tool"
        if recorded.blocks == 1 and called:
            return [self._call(place, 0, first)]
        calls = [self._call(place, number, each) for number in range(1, recorded.blocks)]
        return [Text(self.words.answered(place, first)), *calls]

    def _call(self, place: int, number: int, tokens: int) -> ToolCall:
        words = self.words.argument(1_000 * place + number, tokens)
        arguments = json.dumps({"command": words}, ensure_ascii=False)
        return ToolCall(f"call_{place + max(1, number)}", HAND, arguments)
