"""Speak: one reply from the model, with another try where that helps.

A reply that broke after words were shown is marked and asked for again as a new message; the
broken one never enters the conversation and none of its calls is ever run.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from growbox_tui.agent.events import (
    Event,
    MessageStarted,
    Notice,
    Retrying,
    TextDelta,
    ThinkingDelta,
)
from growbox_tui.agent.reply_summary import SummaryFilter
from growbox_tui.models.protocol import (
    CutStream,
    Model,
    ModelError,
    Reply,
    Request,
    TextPiece,
    ThinkingPiece,
)
from growbox_tui.models.retry import next_try


@dataclass(slots=True)
class Shown:
    """What the user has seen of a reply that is not whole yet."""

    text: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The visible words so far."""
        return "".join(self.text)


async def speak(
    model: Model,
    request: Request,
    number: int,
    publish: Callable[[Event], None],
    shown: Shown,
) -> Reply:
    """Stream one reply, telling the pieces as they come.

    Args:
        model: the voice.
        request: the prompt.
        number: which request of the session this is.
        publish: told of pieces and of each new try.
        shown: filled with the visible words, so that a cancelled reply can be kept.

    Raises:
        ModelError: when no further try would help.
    """
    attempt = 0
    failing_since = 0.0
    while True:
        attempt += 1
        shown.text.clear()
        publish(MessageStarted(number))
        try:
            return await _once(model, request, publish, shown)
        except ModelError as error:
            if shown.text and error.retryable and not isinstance(error, CutStream):
                error = CutStream(error.text, error.hint, retry_after=error.retry_after)
            failing_since = failing_since or time.monotonic()
            wait = next_try(error, attempt, time.monotonic() - failing_since, random.Random())
            if wait is None:
                raise error from None
            publish(Retrying(wait, attempt, error.text, bool(shown.text)))
            await asyncio.sleep(wait)


async def _once(
    model: Model, request: Request, publish: Callable[[Event], None], shown: Shown
) -> Reply:
    sieve = SummaryFilter()

    def show(text: str) -> None:
        if text:
            shown.text.append(text)
            publish(TextDelta(text))

    async with aclosing(model.stream(request)) as pieces:  # type: ignore[type-var]
        async for piece in pieces:
            match piece:
                case TextPiece(text):
                    show(sieve.feed(text))
                case ThinkingPiece(text):
                    publish(ThinkingDelta(text))
                case Reply():
                    show(sieve.finish()[0])
                    if piece.notice:
                        publish(Notice("warning", piece.notice))
                    return piece
    raise CutStream("the model's stream ended without a whole reply")
