"""A model provider on loopback with a prompt cache: it serves by its rules, and reports what.

It speaks OpenAI chat completions and Anthropic messages, both streamed, and plays a list of
answers. What its cache serves is computed from each request's own bytes and marks, by a clock that
a test moves on. A request that a strict provider would refuse is refused.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any, Literal

from tests.doubles.cache_layout import Body, Piece, laid_out, of_message, tokens
from tests.doubles.cache_models import Cache, Refused, Served
from tests.doubles.cache_replies import anthropic_events, as_message, chat_events

Form = Literal["", "deepseek", "kimi"]
"""Under which names usage is told, where not under the usual ones of the format."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request is answered with."""

    say: str = ""
    calls: tuple[tuple[str, Body], ...] = ()
    """Tools and their arguments, called in parallel."""
    thinking: str = ""
    stop: Literal["", "length"] = ""
    """``length``: the reply was cut at the output limit."""
    breaks: Literal["", "cut", "hang"] = ""
    """After its words the stream breaks off, or nothing more comes."""
    status: int = 200
    """Any other is answered before the cache has seen the request."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request that came in."""

    at: float
    path: str
    raw: bytes
    body: Body
    headers: dict[str, str]
    served: Served | None
    """``None`` where it was refused."""


@dataclass(slots=True)
class Clock:
    """A time that only a test moves on, in seconds."""

    now: float = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


DONE = Answer("Done.")


@dataclass(slots=True)
class Account:
    """What the provider knows; one for each server, shared by its threads under ``lock``."""

    open_cache: Callable[[], Cache]
    clock: Callable[[], float] = time.time
    form: Form = ""
    answers: deque[Answer] = field(default_factory=deque)
    """Played one by one; after the last every request is answered with ``DONE``."""
    log: list[Received] = field(default_factory=list)
    caches: dict[str, Cache] = field(default_factory=dict)
    """By model: no cache is shared between models."""
    calls: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)
    """Set at the end: nobody waits for an answer any more."""

    def receive(self, path: str, raw: bytes, headers: dict[str, str]) -> tuple[Answer, Events]:
        """Serve a request: the answer, and its events. Raises ``Refused``."""
        body: Body = json.loads(raw)
        of_anthropic = path.partition("?")[0].endswith("/messages")
        with self.lock:
            answer = self.answers.popleft() if self.answers else DONE
            served = None
            try:
                check(body, of_anthropic)
                ids = [self._call_id() for _ in answer.calls]
                reply = as_message(answer, ids, of_anthropic)
                if answer.status == 200:
                    served = self._serve(body, () if answer.breaks else of_message(reply))
            finally:
                self.log.append(Received(self.clock(), path, raw, body, headers, served))
        if served is None:
            return answer, []
        said = tokens(of_message(reply))
        if of_anthropic:
            return answer, anthropic_events(answer, ids, served, said)
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return answer, chat_events(answer, ids, served, said, self.form if usage else None)

    def _serve(self, body: Body, reply: Sequence[Piece]) -> Served:
        name = str(body.get("model"))
        cache = self.caches.get(name) or self.caches.setdefault(name, self.open_cache())
        own = (body.get("prompt_cache_options") or {}).get("mode") != "explicit"
        return cache.serve(laid_out(body), self.clock(), reply, own=own)

    def _call_id(self) -> str:
        self.calls += 1
        return f"call_{self.calls:05d}"


Events = list[Body]


def check(body: Body, of_anthropic: bool) -> None:
    """Raise ``Refused`` for what a strict provider refuses, whatever its cache."""
    for message in body.get("messages") or []:
        content = message.get("content")
        for block in content if isinstance(content, list) else []:
            if block.get("type") == "text" and not block["text"].strip():
                raise Refused("messages: text content blocks must contain non-whitespace text")
            if "thinking" in str(block.get("type")) and "cache_control" in block:
                raise Refused("cache_control: thinking blocks may not be marked")
            if message["role"] == "assistant" and "prompt_cache_breakpoint" in block:
                raise Refused("prompt_cache_breakpoint: not on what the model said")
    if body.get("prompt_cache_retention") and body.get("prompt_cache_options"):
        raise Refused("prompt_cache_retention is not taken beside prompt_cache_options")
    if of_anthropic:
        roles = [message["role"] for message in body["messages"]]
        if any(old == new for old, new in pairwise(roles)):
            raise Refused("messages: roles must alternate")


class Handler(BaseHTTPRequestHandler):
    """One connection; the account hangs on the server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the test."""

    def do_GET(self) -> None:
        """The list of models."""
        self.send_body(200, {"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self) -> None:
        """One completion."""
        account: Account = self.server.account  # type: ignore[attr-defined]
        size = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(size)
        if len(raw) < size:
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            answer, events = account.receive(self.path, raw, headers)
        except Refused as refused:
            self.send_body(
                400, {"error": {"type": "invalid_request_error", "message": str(refused)}}
            )
            return
        if answer.status != 200:
            self.send_body(answer.status, {"error": {"message": f"status {answer.status}"}})
            return
        try:
            self.send_events(events, answer, account.over)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send_body(self, status: int, body: Body) -> None:
        """A plain JSON answer; another try need not wait."""
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, events: Events, answer: Answer, over: threading.Event) -> None:
        """A stream of server-sent events, closed by the server."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()
        if answer.breaks == "hang":
            over.wait()
        if not answer.breaks and events and "type" not in events[-1]:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


class CacheProvider:
    """The server; use it as a context manager. ``account`` may be changed while it runs."""

    def __init__(self, open_cache: Callable[[], Cache], **options: Any) -> None:
        self.account = Account(open_cache, **options)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.account = self.account  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def log(self) -> list[Received]:
        """What came in, oldest first."""
        return self.account.log

    def plays(self, answers: Iterable[Answer]) -> None:
        """Answer the next requests with these."""
        self.account.answers.extend(answers)

    def __enter__(self) -> CacheProvider:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.account.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
