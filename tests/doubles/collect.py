"""Collect: one request to a voice as one value, for tests that look at a whole reply."""

from __future__ import annotations

from dataclasses import dataclass

from growbox_tui.agent.messages import ToolCall
from growbox_tui.models.protocol import Model, ModelError, Reply, Request, TextPiece, ThinkingPiece


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything that a stream gave: what was shown, and the reply or the error at its end."""

    text: str
    """Visible words as they were streamed, also those of a reply that then broke."""
    thinking: str
    reply: Reply | None
    error: ModelError | None

    @property
    def shown(self) -> bool:
        """Whether the user saw anything."""
        return bool(self.text or self.thinking)

    @property
    def runnable(self) -> tuple[ToolCall, ...]:
        """The calls that may go on to dispatch, which checks names and schemas."""
        return () if self.reply is None else runnable_calls(self.reply)


def runnable_calls(reply: Reply) -> tuple[ToolCall, ...]:
    """The calls of a reply that are whole and may be dispatched."""
    return tuple(call for call in reply.message.calls if call.id not in reply.broken)


async def collect(model: Model, request: Request) -> Collected:
    """Stream one request to its end. Errors of the model are part of the result."""
    text: list[str] = []
    thinking: list[str] = []
    reply: Reply | None = None
    error: ModelError | None = None
    try:
        async for delta in model.stream(request):
            if isinstance(delta, TextPiece):
                text.append(delta.text)
            elif isinstance(delta, ThinkingPiece):
                thinking.append(delta.text)
            else:
                reply = delta
    except ModelError as found:
        error = found
    return Collected("".join(text), "".join(thinking), reply, error)
