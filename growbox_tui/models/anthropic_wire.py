"""AnthropicModel: a voice behind the Anthropic messages format."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from growbox_tui.models.anthropic_body import render_body
from growbox_tui.models.anthropic_events import BlockReader
from growbox_tui.models.assembler import Assembler
from growbox_tui.models.cache_fields import FieldsInUse, fields_for
from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.conversation import converse
from growbox_tui.models.http_stream import SILENCE_S, HttpStream, Silence
from growbox_tui.models.pairing import call_ids
from growbox_tui.models.protocol import Delta, ModelFacts, Request
from growbox_tui.models.providers import endpoint, wire_headers

DEFAULT_OUTPUT = 8192
MAX_OUTPUT = 32_000
"""Tokens. The format demands a limit; more than this would only eat into the context window, from
which the server subtracts it."""
_UNKNOWN = ModelFacts()


class AnthropicModel:
    """One model behind one server of this format; parameters as of ``OpenAIModel``."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        model: str = "",
        key: str = "",
        key_name: str = "",
        facts: ModelFacts = _UNKNOWN,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._name = name
        self._model = model or name.partition("/")[2] or name
        self._facts = facts
        self._key_name = key_name
        self._silence_s = silence_s
        self._fields = FieldsInUse(fields_for("anthropic/"))
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            **wire_headers("anthropic", key),
        }
        self._http = HttpStream(endpoint(base_url, "anthropic"), headers, name, key_name)

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
        """Always."""
        return True

    @property
    def cache_rules(self) -> CacheRules:
        """What this server's cache promises."""
        return rules_for(f"anthropic/{self._model}", self._facts, fields=self._fields.now)

    def max_tokens(self, request: Request) -> int:
        """The output limit that is sent: the request's own, else the model's, within reason."""
        return request.max_output or min(self._facts.max_output or DEFAULT_OUTPUT, MAX_OUTPUT)

    def body(self, request: Request) -> str:
        """The request's body, exactly as it is sent."""
        return render_body(
            request,
            model=self._model,
            wire=self._name,
            max_tokens=self.max_tokens(request),
            fields=self._fields.now,
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
            max_output=self.max_tokens(request),
            tools=bool(request.tools or request.schema),
        )
        reader = BlockReader(self._name, self._key_name)
        silence = Silence(self._silence_s, self._name)
        talk = converse(
            self._http, self.body(request), assembler, silence, reader.read, reader.read_whole
        )
        async with aclosing(talk) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Close all connections."""
        await self._http.close()
