"""OpenAIModel: a voice behind the chat completion format, at any base URL."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from growbox_tui.models.assembler import Assembler
from growbox_tui.models.cache_fields import CacheFields, FieldsInUse, fields_for
from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.conversation import converse
from growbox_tui.models.http_stream import SILENCE_S, HttpStream, Silence
from growbox_tui.models.openai_body import render_body
from growbox_tui.models.openai_chunks import read_chunk
from growbox_tui.models.pairing import call_ids
from growbox_tui.models.protocol import Delta, ModelFacts, Request
from growbox_tui.models.providers import endpoint, wire_headers

_UNKNOWN = ModelFacts()


class OpenAIModel:
    """One model of one server.

    ``name`` is ``provider/name``; ``model`` the server's own name for it. ``key`` is sent to
    ``base_url`` and nowhere else. ``fields`` is what its server may be sent about its cache, if not
    what its name and address say; ``alternate`` whether its template refuses two messages of the
    user in a row. ``silence_s`` is the longest wait for content, in seconds.
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
        fields: CacheFields | None = None,
        alternate: bool = False,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._name = name
        self._model = model or name.partition("/")[2] or name
        self._facts = facts
        self._key_name = key_name
        self._thinking_back = thinking_back
        self._id_form = id_form
        self._silence_s = silence_s
        self._alternate = alternate
        self._fields = FieldsInUse(fields_for(name, base_url) if fields is None else fields)
        # Who gives the fields knows the server behind another address for the provider's own.
        self._rules_url = base_url if fields is None else ""
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

    @property
    def cache_rules(self) -> CacheRules:
        """What this server's cache promises."""
        return rules_for(self._name, self._facts, self._rules_url, fields=self._fields.now)

    def body(self, request: Request) -> str:
        """The request's body, exactly as it is sent."""
        return render_body(
            request,
            model=self._model,
            wire=self._name,
            id_form=self._id_form,
            thinking_back=self._thinking_back,
            output_field="max_completion_tokens" if self._is_openai else "max_tokens",
            fields=self._fields.now,
            alternate=self._alternate,
        )

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """See ``Model.stream``."""
        asked = self._fields.ask(self._name, lambda: self._once(request))
        async with aclosing(asked) as deltas:
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
        header = self._fields.now.header
        talk = converse(
            self._http,
            self.body(request),
            assembler,
            silence,
            self._read,
            self._read_whole,
            {header: request.session} if header and request.session else {},
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
