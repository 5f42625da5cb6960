"""A provider on loopback that plays given bytes, faults included, and keeps what it was sent.

A script is a row: status, headers, the writes of the body each as one socket write, how the
connection ends (close, reset, hang, chunked_cut), or a plain ``body``. It plays the rows of a list
one request after another, the last one for ever.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]


@dataclass(slots=True)
class Received:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def sse(*events: object, kind: str = "") -> list[str]:
    """Each value as one event."""
    head = f"event: {kind}\n" if kind else ""
    texts = (event if isinstance(event, str) else json.dumps(event) for event in events)
    return [f"{head}data: {text}\n\n" for text in texts]


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> str:
    """One chat completion chunk as an event."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return sse({"choices": [choice], **more})[0]


def _chunk_of(text: str) -> bytes:
    return chunk({"content": text}).encode()


def _call_of(number: int) -> bytes:
    function = {"name": "read_file", "arguments": json.dumps({"path": f"f{number}.py"})}
    call = {"index": number, "id": f"p{number}", "type": "function", "function": function}
    return chunk({"tool_calls": [call]}).encode()


def expand(text: str) -> bytes:
    """A write with its macros: REPEAT, REPEATCHUNK, PARALLEL."""
    raw = text.encode("utf-8", "surrogatepass")
    raw = re.sub(rb"<<REPEAT (.) x (\d+)>>", lambda m: m.group(1) * int(m.group(2)), raw)
    raw = re.sub(rb"<<REPEATCHUNK (\d+)>>", lambda m: _chunk_of("x" * 100) * int(m.group(1)), raw)
    return re.sub(
        rb"<<PARALLEL (\d+)>>", lambda m: b"".join(map(_call_of, range(int(m.group(1))))), raw
    )


@dataclass(slots=True)
class StreamServer:
    """``async with StreamServer(rows) as server``: ``server.url`` is its base URL."""

    rows: Sequence[Row]
    models: Sequence[Mapping[str, Any]] = ({"id": "m-1", "object": "model"},)
    received: list[Received] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def __aenter__(self) -> StreamServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.gone.set()
        except asyncio.CancelledError:
            # The test is over; asyncio.streams would log a cancelled handler as an error.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.received.append(Received(method, path, headers, body.decode()))
        if method == "GET":
            found = path.endswith("/models") and bool(self.models)
            listing = json.dumps({"object": "list", "data": list(self.models)})
            row: Row = {"http": {"status": 200 if found else 404}, "body": listing, "end": "close"}
        else:
            posts = sum(request.method == "POST" for request in self.received)
            row = self.rows[min(posts, len(self.rows)) - 1]
        await self._play(row, reader, writer)

    async def _play(
        self, row: Row, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writes = [expand(text) for text in row.get("writes", [])]
        writes += [base64.b64decode(text) for text in row.get("writes_b64", [])]
        if row.get("body"):
            writes = [expand(row["body"])]
        end, delays = row.get("end", "close"), row.get("delay_ms_before_write") or []
        chunked = end == "chunked_cut"
        if end != "reset" or writes:
            http = row.get("http", {})
            lines = [f"HTTP/1.1 {http.get('status', 200)} X", "connection: close"]
            lines += [f"{name}: {value}" for name, value in http.get("headers", {}).items()]
            lines += ["transfer-encoding: chunked"] if chunked else []
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        for place, data in enumerate(writes):
            if place < len(delays):
                await asyncio.sleep(delays[place] / 1000)
            writer.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
            await writer.drain()
        if end == "hang":
            await reader.read()
            self.gone.set()
        elif end == "reset":
            # A reset throws away what the peer has not read yet, so let it read first.
            await asyncio.sleep(0.02 if writes else 0)
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
