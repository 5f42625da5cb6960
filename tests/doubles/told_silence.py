"""A provider whose silence is told and not waited for: seconds pass because its script says so.

What a voice makes of a pause is then the same on the slowest machine: it has its usual long
patience, and the clock leaps just when it has read all that came before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from growbox_tui.models import http_stream
from tests.doubles.patience import leaping

TURNS = 5
"""Turns of the event loop in which a limit that ran out has ended what it limits."""


@dataclass(slots=True)
class ToldSilence:
    """Answers every request with the same pieces: a text is sent, a number is so many seconds in
    which nothing comes. Behind the last piece the body ends."""

    pieces: tuple[str | float, ...]
    leap: Callable[[float], None]
    passed: list[float] = field(default_factory=list)
    """The pauses that somebody began to wait through, in seconds."""

    async def body(self) -> AsyncIterator[bytes]:
        """The body of one answer."""
        for piece in self.pieces:
            if isinstance(piece, str):
                yield piece.encode()
                continue
            self.passed.append(piece)
            self.leap(piece)
            for _ in range(TURNS):
                await asyncio.sleep(0)


@contextmanager
def telling(*pieces: str | float, status: int = 200) -> Iterator[ToldSilence]:
    """Whoever opens an HTTP client within is answered so, without a network. Needs a running
    event loop."""
    http_stream.load_httpx()
    import httpx

    with leaping() as leap, pytest.MonkeyPatch.context() as patch:
        told = ToldSilence(pieces, leap)

        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(status, content=told.body())

        def open_client(url: str) -> httpx.AsyncClient:
            return httpx.AsyncClient(transport=httpx.MockTransport(answer))

        patch.setattr(http_stream, "open_client", open_client)
        yield told
