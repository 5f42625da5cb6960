"""One exchange with a streaming provider: events in, deltas out, a reply or an error at the end.

The same for every wire format; what an event means is the format's own business.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from growbox_tui.models.assembler import Assembler
from growbox_tui.models.http_stream import HttpStream, Silence, StreamBroken, Whole
from growbox_tui.models.protocol import (
    BadReply,
    CutStream,
    Delta,
    EmptyReply,
    ModelError,
    Silent,
    Unreachable,
)
from growbox_tui.models.sse import ServerEvent

REST_S = 5.0
"""Seconds that we wait for usage figures once the reply itself has ended."""

_NO_HEADERS: Mapping[str, str] = {}

ReadEvent = Callable[[Assembler, str, Any, str], list[Delta]]
"""(assembler, kind of event, parsed value, its JSON text) → deltas. Raises ``ValueError`` for a
value that is not in the format; sets ``assembler.closed`` when nothing more comes."""


async def converse(
    http: HttpStream,
    body: str,
    assembler: Assembler,
    silence: Silence,
    read_event: ReadEvent,
    read_whole: ReadEvent,
    headers: Mapping[str, str] = _NO_HEADERS,
) -> AsyncGenerator[Delta, None]:
    """Send a body, with these headers besides the usual ones, and yield what comes of it, a
    ``Reply`` last. Raises ``ModelError`` only, and none that holds the key."""
    talk = _exchange(
        http, http.events(body, silence, headers), assembler, silence, read_event, read_whole
    )
    try:
        async with aclosing(talk) as deltas:
            async for delta in deltas:
                yield delta
    except ModelError as error:
        http.redact(error)
        raise


async def _exchange(
    http: HttpStream,
    coming: AsyncGenerator[ServerEvent | Whole, None],
    assembler: Assembler,
    silence: Silence,
    read_event: ReadEvent,
    read_whole: ReadEvent,
) -> AsyncGenerator[Delta, None]:
    got = False
    try:
        async with aclosing(coming) as events:
            async for event in events:
                got = True
                size = assembler.size
                whole = isinstance(event, Whole)
                deltas = _event(http, assembler, event, read_whole if whole else read_event)
                if assembler.size > size:
                    silence.touch()
                for delta in deltas:
                    yield delta
                if assembler.closed:
                    break
                if assembler.finished:
                    silence.shorten(REST_S)
    except (StreamBroken, ValueError) as error:
        if not assembler.finished:
            raise _failed(http, assembler, error) from error
    except Silent:
        if not assembler.finished:
            raise
    for delta in assembler.flush():
        yield delta
    if not got:
        raise EmptyReply(f"{http.who} answered without a word", "Ask again.")
    if not assembler.finished:
        raise _unfinished(http, assembler)
    if http.damaged:
        assembler.notice("A damaged byte in the answer was replaced.")
    yield assembler.reply()


def _event(
    http: HttpStream, assembler: Assembler, event: ServerEvent | Whole, read: ReadEvent
) -> list[Delta]:
    if isinstance(event, Whole):
        return _whole(http, assembler, event.text, read)
    if event.data.strip() == "[DONE]":
        assembler.closed = True
        return []
    return read(assembler, event.kind, _parsed(event.data), event.data)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("an event is nested too deep") from error


def _whole(http: HttpStream, assembler: Assembler, text: str, read: ReadEvent) -> list[Delta]:
    if not text.rstrip().endswith(("}", "]")):
        raise StreamBroken("the body was cut")
    try:
        value = _parsed(text)
        deltas = read(assembler, "", value, text)
    except ValueError as error:
        raise _foreign(http, str(error)) from error
    if not assembler.finished:
        assembler.finish("stop")
    return deltas


def _foreign(http: HttpStream, why: str) -> BadReply:
    return BadReply(
        f"{http.who} answered in another form than the model's protocol: {why}",
        f"Check the base URL: {http.url} was asked.",
    )


def _failed(http: HttpStream, assembler: Assembler, error: Exception) -> ModelError:
    """The error for a broken connection or an event that cannot be read. Half an event is a broken
    connection too; a whole one at the beginning is another protocol, which another try would not
    change."""
    if isinstance(error, StreamBroken) or assembler.began or http.ended:
        return _broken(http, assembler, str(error))
    return _foreign(http, str(error))


def _unfinished(http: HttpStream, assembler: Assembler) -> ModelError:
    """The error for a stream that ended without a reason for it."""
    if not assembler.began and assembler.foreign:
        return _foreign(http, "none of its events is one of a reply")
    if not assembler.began and assembler.closed:
        return EmptyReply(f"{http.who} ended its answer without a word", "Ask again.")
    return _broken(http, assembler, "the answer ended before it was whole")


def _broken(http: HttpStream, assembler: Assembler, why: str) -> CutStream | Unreachable:
    if assembler.began:
        return CutStream(f"{http.who} broke off in the middle of its reply: {why}")
    return Unreachable(f"{http.who} broke off before its reply began: {why}", "Try again.")
