"""HTTP under the two direct wire formats: one POST, and its answer as events.

The rules for every request: no redirect is followed, so a key never reaches another host; loopback
is never reached through a proxy; the wait for content is limited, and pings do not extend it.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar, cast
from urllib.parse import urlsplit

from growbox_tui.models.catalog import nearest
from growbox_tui.models.faults import error_for
from growbox_tui.models.protocol import BadReply, ModelError, Silent, UnknownModel
from growbox_tui.models.reachability import cannot_reach, is_loopback
from growbox_tui.models.redaction import redact_error, secrets_of
from growbox_tui.models.sse import EventParser, EventTooLong, ServerEvent

if TYPE_CHECKING:
    import httpx

SILENCE_S = 60.0
CONNECT_S = 10.0
MAX_BODY = 4_194_304
"""Bytes of an answer that is not streamed."""
MAX_STREAM = 67_108_864
"""Bytes of a whole stream, framing included."""
MAX_ERROR = 65_536
"""Bytes read of an error's body."""

Value = TypeVar("Value")


class StreamBroken(Exception):
    """The connection ended or failed in the middle of an answer."""


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer that came in one piece although a stream was asked for."""

    text: str


class Silence:
    """How long the answer may still stand still. Only time spent waiting counts, so a slow reader
    does not make the provider look silent."""

    def __init__(self, limit_s: float, who: str) -> None:
        self._limit = self._left = limit_s
        self._who = who

    def touch(self) -> None:
        """Content came."""
        self._left = self._limit

    def shorten(self, limit_s: float) -> None:
        """Wait no longer than this from now on."""
        self._limit = min(self._limit, limit_s)
        self._left = min(self._left, self._limit)

    async def wait(self, coming: Awaitable[Value]) -> Value:
        """What comes. Raises ``Silent`` when it takes too long."""
        clock = asyncio.get_running_loop()
        started = clock.time()
        try:
            async with asyncio.timeout(self._left):
                return await coming
        except TimeoutError:
            raise Silent(
                f"{self._who} sent no content for {self._limit:g} seconds",
                "Try again, or choose another model with /model.",
            ) from None
        finally:
            self._left = max(0.0, self._left - (clock.time() - started))


def load_httpx() -> ModuleType:
    """httpx without its command line, whose colours and options are a third of its import."""
    if "httpx" not in sys.modules:
        # None makes the import fail, for which httpx has a way of its own.
        sys.modules["httpx._main"] = cast("ModuleType", None)
        try:
            return importlib.import_module("httpx")
        finally:
            del sys.modules["httpx._main"]
    return sys.modules["httpx"]


def open_client(url: str) -> httpx.AsyncClient:
    """An HTTP client for one base URL; imports httpx."""
    load_httpx()
    import httpx

    verify: bool | object = False  # Plain HTTP has no certificates to look at.
    if urlsplit(url).scheme == "https":
        context = httpx.create_ssl_context()
        context.load_default_certs()  # Beside the bundled roots: a company's own are only here.
        verify = context
    return httpx.AsyncClient(
        verify=verify,  # type: ignore[arg-type]
        follow_redirects=False,
        trust_env=not is_loopback(url),
        timeout=httpx.Timeout(None, connect=CONNECT_S),
    )


class HttpStream:
    """Posts requests to one URL. ``who`` names it in errors, ``key_name`` is the environment
    variable that holds its key; ``headers`` may hold the key itself and are never shown."""

    def __init__(self, url: str, headers: Mapping[str, str], who: str, key_name: str) -> None:
        self.url = url
        self.damaged = False
        """Whether a byte of the answer was no UTF-8."""
        self.ended = False
        """Whether the server ended the answer; what is read then may be half an event."""
        self._headers = dict(headers)
        self._secrets = secrets_of(url, headers)
        self.who = who
        self._key_name = key_name
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def redact(self, error: ModelError) -> None:
        """Take the key out of an error, wherever the provider may have repeated it."""
        redact_error(error, self._secrets, public=self.who)

    async def events(
        self, body: str, silence: Silence, headers: Mapping[str, str]
    ) -> AsyncGenerator[ServerEvent | Whole, None]:
        """The answer's events, or the one ``Whole`` that it is; ``headers`` are this request's
        own. Raises ``StreamBroken`` when it
        breaks, and the ``ModelError`` of a refusal."""
        self.damaged = self.ended = False
        if self._client is None:
            # Off the loop: the first import of httpx and the roots of trust take a moment.
            self._client = await asyncio.to_thread(open_client, self.url)
        import httpx

        try:
            request = self._client.build_request(
                "POST",
                self.url,
                headers={**self._headers, **headers},
                content=body.encode("utf-8"),
            )
            response = await silence.wait(self._client.send(request, stream=True))
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise cannot_reach(error, who=self.who, url=self.url) from error
        try:
            if not response.is_success:
                raise await self._refusal(response, silence)
            async with aclosing(self._read(response, silence)) as events:
                async for event in events:
                    yield event
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise StreamBroken(str(error) or type(error).__name__) from error
        finally:
            await response.aclose()

    async def _read(
        self, response: httpx.Response, silence: Silence
    ) -> AsyncGenerator[ServerEvent | Whole, None]:
        parser = EventParser()
        start, total, streamed = b"", 0, False
        async with aclosing(_portions(response)) as portions:
            while (portion := await silence.wait(anext(portions, None))) is not None:
                total += len(portion)
                if total > MAX_STREAM:
                    raise BadReply(f"{self.who} sent more than {MAX_STREAM} bytes")
                if not streamed:
                    start += portion
                    if len(start) > MAX_BODY:
                        raise BadReply(f"{self.who} sent a body of more than {MAX_BODY} bytes")
                    if not _is_stream(start):
                        continue
                    streamed, portion = True, start
                for event in self._fed(parser, portion):
                    yield event
        self.ended = True
        for event in parser.close():
            yield event
        self.damaged = self.damaged or parser.damaged
        if not streamed and start.strip():
            yield self._whole(start)

    def _fed(self, parser: EventParser, portion: bytes) -> list[ServerEvent]:
        try:
            return parser.feed(portion)
        except EventTooLong as error:
            raise BadReply(f"{self.who} sent too much at once: {error}") from error
        finally:
            self.damaged = self.damaged or parser.damaged

    def _whole(self, body: bytes) -> Whole:
        text = body.decode("utf-8-sig", "replace")
        if text.lstrip().startswith("<"):
            raise BadReply(
                f"{self.who} answered with a web page, not with the model's protocol",
                f"Check the base URL: {self.url} was asked.",
            )
        return Whole(text)

    async def _refusal(self, response: httpx.Response, silence: Silence) -> ModelError:
        import httpx

        body = b""
        # The status alone says enough where the words behind it do not come whole.
        with suppress(httpx.TransportError, httpx.DecodingError, Silent):
            async with aclosing(_portions(response)) as portions:
                while len(body) < MAX_ERROR:
                    portion = await silence.wait(anext(portions, None))
                    if portion is None:
                        break
                    body += portion
        headers = {name.lower(): value for name, value in response.headers.items()}
        text = body[:MAX_ERROR].decode("utf-8", "replace")
        error = error_for(
            response.status_code, headers, text, who=self.who, key_name=self._key_name
        )
        if isinstance(error, UnknownModel):
            near = [name for name in await asyncio.to_thread(nearest, self.who) if name != self.who]
            error.hint += f" Models with such a name: {', '.join(near)}." if near else ""
        return error


def _portions(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes. httpx promises an iterator only; closing it at once, and not when it
    is collected, is what frees the connection of a cancelled request."""
    return cast("AsyncGenerator[bytes, None]", response.aiter_bytes())


def _is_stream(start: bytes) -> bool:
    """Whether a body that begins so is a stream of events. JSON and web pages are told by their
    first character, because content types lie; blank beginnings decide nothing."""
    begin = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not begin or start in (b"\xef", b"\xef\xbb"):
        return False
    return begin[:1] not in b"{[<"
