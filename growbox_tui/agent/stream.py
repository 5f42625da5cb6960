"""EventStream: one writer, many readers.

Each reader has a queue of its own, so a slow one never holds up the rest. While a reader lags,
neighbouring deltas of the same kind merge in its queue; every other event arrives once, in order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TypeVar

from growbox_tui.agent.events import Event, TextDelta, ThinkingDelta, ToolProgress

Piece = TypeVar("Piece", TextDelta, ThinkingDelta, ToolProgress)

MERGE_LIMIT = 65_536
"""Characters up to which deltas are merged, so that one event stays of a bearable size."""


def merge(last: Event, event: Event) -> Event | None:
    """Both as one delta, or ``None`` where they must stay apart."""
    if isinstance(last, TextDelta) and isinstance(event, TextDelta):
        return _joined(last, event)
    if isinstance(last, ThinkingDelta) and isinstance(event, ThinkingDelta):
        return _joined(last, event)
    if isinstance(last, ToolProgress) and isinstance(event, ToolProgress):
        return _joined(last, event) if last.call == event.call else None
    return None


def _joined(last: Piece, event: Piece) -> Piece | None:
    if len(last.text) + len(event.text) > MERGE_LIMIT:
        return None
    return replace(last, text=last.text + event.text)


class Reader:
    """One reader's end of the stream; iterate it with ``async for``."""

    def __init__(self) -> None:
        self._queue: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def put(self, event: Event) -> None:
        """Called by the stream only."""
        merged = merge(self._queue[-1], event) if self._queue else None
        if merged is None:
            self._queue.append(event)
        else:
            self._queue[-1] = merged
        self._wake.set()

    def close(self) -> None:
        """No more events; those already queued are still delivered."""
        self._closed = True
        self._wake.set()

    def drain(self) -> Iterator[Event]:
        """What is queued now, without waiting for more."""
        while self._queue:
            yield self._queue.popleft()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            for event in self.drain():
                yield event
            if self._closed:
                return
            self._wake.clear()
            await self._wake.wait()


class EventStream:
    """Where everything that happens is told."""

    def __init__(self) -> None:
        self._readers: list[Reader] = []

    def reader(self) -> Reader:
        """A new reader, which sees every event from now on."""
        reader = Reader()
        self._readers.append(reader)
        return reader

    def publish(self, event: Event) -> None:
        """Tell all readers. Never blocks and never fails because of a reader."""
        for reader in self._readers:
            reader.put(event)

    def forget(self, reader: Reader) -> None:
        """Stop telling this reader."""
        if reader in self._readers:
            self._readers.remove(reader)
        reader.close()

    def close(self) -> None:
        """End every reader after what it already has."""
        for reader in self._readers:
            reader.close()
        self._readers.clear()
