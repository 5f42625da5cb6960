"""Server-sent events: bytes as they come in, whole events out.

Lines are cut as bytes and decoded whole, so a character split over two reads is never harmed, and
a byte that is no UTF-8 becomes one U+FFFD without taking its neighbours along.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_EVENT = 1_048_576
"""Bytes that one event may take; a server that sends more is not talking to us."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event."""

    kind: str
    """Its ``event:`` field; empty where there was none."""
    data: str
    """Its ``data:`` lines, joined by newlines."""


class EventTooLong(ValueError):
    """An event grew beyond ``MAX_EVENT``."""


class EventParser:
    """Feed it bytes in any portions. Comments, ``id:``, ``retry:`` and unknown fields are ignored,
    as are events without data."""

    def __init__(self, limit: int = MAX_EVENT) -> None:
        self._limit = limit
        self._line = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._kind = ""
        self._skip_newline = False
        self._first = True
        self.damaged = False
        """Whether a byte was no UTF-8 and had to be replaced."""

    def feed(self, portion: bytes) -> list[ServerEvent]:
        """The events that these bytes complete. Raises ``EventTooLong``."""
        if self._skip_newline and portion.startswith(b"\n"):
            portion = portion[1:]
        self._skip_newline = portion.endswith(b"\r") if portion else self._skip_newline
        portion = portion.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *whole, rest = portion.split(b"\n")
        events = []
        for end in whole:
            self._line += end
            event = self._take_line()
            if event is not None:
                events.append(event)
        self._line += rest
        if self._size + len(self._line) > self._limit:
            raise EventTooLong(f"one event is longer than {self._limit} bytes")
        return events

    def close(self) -> list[ServerEvent]:
        """The last event, where the stream ended without the blank line that should close it."""
        events = [self._take_line()] if self._line else []
        events.append(self._dispatch())
        return [event for event in events if event is not None]

    def _take_line(self) -> ServerEvent | None:
        line = bytes(self._line)
        self._line.clear()
        if self._first:
            line = line.removeprefix(_BOM)
            self._first = False
        if not line:
            return self._dispatch()
        self._size += len(line)
        if self._size > self._limit:
            raise EventTooLong(f"one event is longer than {self._limit} bytes")
        name, _, value = self._decode(line).partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._kind = value
        return None

    def _dispatch(self) -> ServerEvent | None:
        data, kind = "\n".join(self._data), self._kind
        self._data, self._kind, self._size = [], "", 0
        return ServerEvent(kind, data) if data else None

    def _decode(self, line: bytes) -> str:
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self.damaged = True
            return line.decode("utf-8", "replace")
