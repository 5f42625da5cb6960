"""OpenAIModel: a voice behind the chat completion format, at any base URL."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from growbox_tui.models.assembler import Assembler
from growbox_tui.models.conversation import converse
from growbox_tui.models.http_stream import SILENCE_S, HttpStream, Silence
from growbox_tui.models.openai_body import render_body
from growbox_tui.models.openai_chunks import read_chunk
from growbox_tui.models.pairing import call_ids
from growbox_tui.models.protocol import Delta, ModelFacts, Rejected, Request
from growbox_tui.models.providers import endpoint, wire_headers

_UNKNOWN = ModelFacts()


class OpenAIModel:
    """One model of one server.

    ``name`` is ``provider/name``; ``model`` the server's own name for it. ``key`` is sent to
    ``base_url`` and nowhere else. ``silence_s`` is the longest wait for content, in seconds.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        model: str = "",
        key: str = "",
        key_name: str = "",
        facts: ModelFacts = _UNKNOWN,
        thinking_back: bool = True,
        id_form: str = "",
        silence_s: float = SILENCE_S,
    ) -> None:
        self._name = name
        self._model = model or name.partition("/")[2] or name
        self._facts = facts
        self._key_name = key_name
        self._thinking_back = thinking_back
        self._id_form = id_form
        self._silence_s = silence_s
        self._include_usage = True
        url = endpoint(base_url, "openai")
        self._is_openai = (urlsplit(url).hostname or "") == "api.openai.com"
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            **wire_headers("openai", key),
        }
        self._http = HttpStream(url, headers, name, key_name)

    @property
    def name(self) -> str:
        """``provider/name``."""
        return self._name

    @property
    def facts(self) -> ModelFacts:
        """Context size and prices, as far as they are known."""
        return self._facts

    @property
    def takes_tools(self) -> bool:
        """Always: servers that know no tools say so themselves."""
        return True

    def body(self, request: Request) -> str:
        """The request's body, exactly as it is sent."""
        return render_body(
            request,
            model=self._model,
            wire=self._name,
            id_form=self._id_form,
            thinking_back=self._thinking_back,
            include_usage=self._include_usage,
            output_field="max_completion_tokens" if self._is_openai else "max_tokens",
            cache_key=self._is_openai,
        )

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """See ``Model.stream``."""
        try:
            async with aclosing(self._once(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        except Rejected as error:
            # A strict server that does not know the option: ask again without it, from now on.
            if not self._include_usage or "stream_options" not in error.text:
                raise
            self._include_usage = False
        async with aclosing(self._once(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def _once(self, request: Request) -> AsyncGenerator[Delta, None]:
        assembler = Assembler(
            self._name,
            taken=call_ids(request.messages),
            max_output=request.max_output,
            tools=bool(request.tools),
        )
        silence = Silence(self._silence_s, self._name)
        talk = converse(
            self._http, self.body(request), assembler, silence, self._read, self._read_whole
        )
        async with aclosing(talk) as deltas:
            async for delta in deltas:
                yield delta

    def _read(self, assembler: Assembler, kind: str, value: Any, source: str) -> list[Delta]:
        if kind == "error" and isinstance(value, dict):
            value = {"error": value.get("error") or value}
        return read_chunk(assembler, value, who=self._name, source=source, key_name=self._key_name)

    def _read_whole(self, assembler: Assembler, kind: str, value: Any, source: str) -> list[Delta]:
        deltas = self._read(assembler, kind, value, source)
        if not isinstance(value.get("choices"), list):
            raise ValueError("it holds no choices")
        return deltas

    async def close(self) -> None:
        """Close all connections."""
        await self._http.close()
