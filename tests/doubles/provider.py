"""A model provider on loopback: plays a script and keeps every request that it received.

It speaks OpenAI chat completions and Anthropic messages, both streamed. A script is a list of
blocks: shell commands, each asked for as a call of the tool named ``shell`` (or calls of other
tools), then a closing sentence. Where it stands in a block is told from the request (the tool
results behind the last words of the user), so a killed agent that comes back is simply continued.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.doubles.layout import blocks, common

Body = dict[str, Any]
Step = str | tuple[str, Body]
"""A shell command, or a tool's name and arguments."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one question of the user is answered with."""

    say: str
    commands: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One reply: words, or one call."""

    say: str = ""
    tool: str = ""
    arguments: str = "{}"


@dataclass(slots=True)
class Play:
    """What the provider does; one for each server, shared by its threads under ``lock``."""

    script: Sequence[Block]
    log: Path | None = None
    delay_s: float = 0.0
    """Seconds from the request to the first byte of the answer."""
    status: int = 200
    """Any other status is answered to every request, with ``error`` as its body."""
    error: Body = field(default_factory=dict)
    report_cache: bool = False
    forgetful: bool = False
    """How far a block has come is counted here, since the prompt may not hold its results any
    more; else it is told by the results in the prompt."""
    requests: list[Body] = field(default_factory=list)
    block: int = 0
    steps: int = 0
    """Calls of the running block."""
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)
    """Set at the end: nobody waits for an answer any more."""

    def receive(self, path: str, body: Body) -> None:
        """Keep a request, and write it to the log as one line."""
        with self.lock:
            self.requests.append(body)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"t": time.time(), "path": path, "body": body}) + "\n")

    def next(self, body: Body) -> Answer:
        """The answer to this request; the last block is repeated for ever."""
        block = self.script[min(self.block, len(self.script) - 1)]
        done = self.steps if self.forgetful else results_behind_last_words(body)
        if body.get("tools") and done < len(block.commands):
            step = block.commands[done]
            with self.lock:
                self.steps += 1
            name, arguments = step if isinstance(step, tuple) else ("shell", {"command": step})
            return Answer(tool=name, arguments=json.dumps(arguments))
        with self.lock:
            self.block, self.steps = self.block + 1, 0
        return Answer(say=block.say)

    def cached(self, body: Body) -> int:
        """Tokens that a cache of the earlier requests would serve; 0 unless it is reported."""
        if not self.report_cache:
            return 0
        now = blocks(body)
        return max((common(blocks(old), now) for old in self.requests[:-1]), default=0) // 4

    def call_id(self) -> str:
        """A new id for a tool call."""
        with self.lock:
            self.calls += 1
            return f"call_{self.calls}_{time.time_ns():x}"


def results_behind_last_words(body: Body) -> int:
    """How many tool results follow the last message in which the user says something."""
    done = 0
    for message in body.get("messages") or []:
        if message.get("role") == "tool":
            done += 1
        elif message.get("role") == "user":
            content = message.get("content")
            kinds = [part.get("type") for part in content] if isinstance(content, list) else []
            results = kinds.count("tool_result")
            done = done + results if results else 0
    return done


def chat_events(body: Body, answer: Answer, call: str, read: int, size: int) -> list[Body]:
    """The chunks of a streamed chat completion."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
    base["model"] = body.get("model", "fake-model")
    if answer.tool:
        function = {"name": answer.tool, "arguments": answer.arguments}
        calls = [{"index": 0, "id": call, "type": "function", "function": function}]
        delta: Body = {"role": "assistant", "content": None, "tool_calls": calls}
    else:
        delta = {"role": "assistant", "content": answer.say}
    usage: Body = {
        "prompt_tokens": size,
        "completion_tokens": 12,
        "total_tokens": size + 12,
        "prompt_tokens_details": {"cached_tokens": read},
    }
    finish = "tool_calls" if answer.tool else "stop"
    return [
        {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**base, "choices": [], "usage": usage},
    ]


def anthropic_events(body: Body, answer: Answer, call: str, read: int, size: int) -> list[Body]:
    """The events of a streamed Anthropic message."""
    usage = {"input_tokens": max(0, size - read), "cache_read_input_tokens": read}
    usage |= {"cache_creation_input_tokens": 0, "output_tokens": 1}
    message: Body = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    message |= {"model": body.get("model", "fake-model"), "stop_reason": None, "usage": usage}
    if answer.tool:
        block: Body = {"type": "tool_use", "id": call, "name": answer.tool, "input": {}}
        delta: Body = {"type": "input_json_delta", "partial_json": answer.arguments}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": answer.say}
    stop = "tool_use" if answer.tool else "end_turn"
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 12}},
        {"type": "message_stop"},
    ]


class Handler(BaseHTTPRequestHandler):
    """One connection; the play hangs on the server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the test."""

    def do_GET(self) -> None:
        """The list of models."""
        model = {"id": "fake-model", "object": "model", "created": 0, "owned_by": "loopback"}
        self.send_body(200, {"object": "list", "data": [model]})

    def do_POST(self) -> None:
        """One completion."""
        play: Play = self.server.play  # type: ignore[attr-defined]
        size = int(self.headers.get("content-length") or 0)
        data = self.rfile.read(size)
        if len(data) < size:
            self.close_connection = True  # the agent was killed while it asked
            return
        body = json.loads(data)
        delay_s = play.delay_s  # of now: who sees the request may change it for the next one
        play.receive(self.path, body)
        if play.status != 200:
            self.send_body(play.status, play.error)
            return
        play.over.wait(delay_s)
        answer, size = play.next(body), len(json.dumps(body)) // 4
        of_anthropic = self.path.partition("?")[0].endswith("/messages")
        events = anthropic_events if of_anthropic else chat_events
        try:
            self.send_events(
                events(body, answer, play.call_id(), play.cached(body), size), of_anthropic
            )
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the agent was killed while it read

    def send_body(self, status: int, body: Body) -> None:
        """A plain JSON answer."""
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, events: Sequence[Body], of_anthropic: bool) -> None:
        """A stream of server-sent events, closed by the server."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            if of_anthropic:
                self.wfile.write(f"event: {event['type']}\n".encode())
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        if not of_anthropic:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


class Provider:
    """The server; use it as a context manager. ``play`` may be changed while it runs."""

    def __init__(self, script: Sequence[Block], *, port: int = 0, **options: Any) -> None:
        self.play = Play(script, **options)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._server.play = self.play  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def root(self) -> str:
        """``http://127.0.0.1:PORT``, as ``ANTHROPIC_BASE_URL`` wants it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT/v1``, as ``OPENAI_BASE_URL`` wants it."""
        return f"{self.root}/v1"

    @property
    def requests(self) -> list[Body]:
        """The bodies received so far, oldest first."""
        return self.play.requests

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.play.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def blocks_of(path: Path) -> list[Block]:
    """The blocks of a JSON script: ``{"blocks": [{"commands": […], "say": "…"}]}``."""
    body = json.loads(path.read_text(encoding="utf-8"))
    return [Block(each["say"], tuple(each["commands"])) for each in body["blocks"]]


def main() -> None:
    """Serve a script from the command line until interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--script", type=Path, required=True)
    parser.add_argument("--report-cache", action="store_true")
    given = parser.parse_args()
    script = blocks_of(given.script)
    options = {"log": given.log, "report_cache": given.report_cache}
    with Provider(script, port=given.port, **options) as provider:
        print(provider.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
