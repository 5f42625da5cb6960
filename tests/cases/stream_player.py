"""A loopback server that answers one request with exactly the bytes of a row.

Each write of the row is a write of its own; then the connection is closed, reset, left hanging,
or closed in the middle of a chunk. Delays are shortened by ``DILATION``, and so must be the
client's patience.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType

from tests.cases.verdict import Row

DILATION = 50.0
"""A minute of a row passes in 1.2 s."""
MACRO = re.compile(r"<<(REPEAT|REPEATCHUNK|PARALLEL) (?:(\S+) x )?(\d+)>>")
CHUNK_TEXT = "0123456789" * 10


def chunk(delta: Row, finish: str | None = None) -> str:
    """One server-sent event of a chat completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


def parallel_calls(count: int) -> list[Row]:
    """The calls that ``<<PARALLEL n>>`` stands for."""
    return [{"name": "read_file", "arguments": {"path": f"f{n}.py"}} for n in range(count)]


def expanded(text: str) -> str:
    """A write with its macros written out."""

    def written_out(found: re.Match[str]) -> str:
        name, what, count = found[1], found[2], int(found[3])
        if name == "REPEAT":
            return (what or "") * count
        if name == "REPEATCHUNK":
            return chunk({"content": CHUNK_TEXT}) * count
        return "".join(
            chunk({"tool_calls": [call_piece(n, call)]})
            for n, call in enumerate(parallel_calls(count))
        )

    return MACRO.sub(written_out, text)


def call_piece(index: int, call: Row) -> Row:
    """A whole tool call as one piece of a stream."""
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


def writes(row: Row) -> Iterator[bytes]:
    """What is written, one socket write each."""
    if "writes_b64" in row:
        yield from (b64decode(each) for each in row["writes_b64"])
    elif "body" in row:
        yield row["body"].encode("utf-8", "surrogatepass")
    else:
        yield from (expanded(each).encode("utf-8", "surrogatepass") for each in row["writes"])


def head(row: Row) -> bytes:
    """The status line and the headers."""
    status = int(row["http"]["status"])
    reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Other"
    lines = [f"HTTP/1.1 {status} {reason}", "connection: close"]
    lines += [f"{name}: {value}" for name, value in row["http"]["headers"].items()]
    if row["end"] == "chunked_cut":
        lines.append("transfer-encoding: chunked")
    elif "body" in row:
        lines.append(f"content-length: {sum(map(len, writes(row)))}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class StreamPlayer:
    """The server; an async context manager."""

    def __init__(self, row: Row) -> None:
        self._row = row
        self._server: asyncio.Server | None = None

    @property
    def root(self) -> str:
        """``http://127.0.0.1:PORT``."""
        assert self._server is not None, "it is not open"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aenter__(self) -> StreamPlayer:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._server is not None, "it is not open"
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            asked = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", asked)
            await reader.readexactly(int(length[1]) if length else 0)
            await self._play(writer)
            await self._end(reader, writer)
        with suppress(ConnectionError):
            writer.close()
            await writer.wait_closed()

    async def _play(self, writer: asyncio.StreamWriter) -> None:
        chunked = self._row["end"] == "chunked_cut"
        delays = iter(self._row.get("delay_ms_before_write") or [])
        writer.write(head(self._row))
        await writer.drain()
        for data in writes(self._row):
            await asyncio.sleep(next(delays, 0) / 1000 / DILATION)
            writer.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
            await writer.drain()

    async def _end(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._row["end"] == "hang":
            await reader.read()  # until the client has had enough
        elif self._row["end"] == "reset":
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
