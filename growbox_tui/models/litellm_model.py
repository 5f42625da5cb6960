"""LitellmModel: a voice behind litellm, for every provider that is not spoken to directly.

litellm takes seconds to import, so it is imported in a thread at the first request. Its raw chunks
go through the same assembler as all others; what it would put together itself is never used.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from typing import Any

from growbox_tui.models.assembler import Assembler
from growbox_tui.models.cache_fields import FieldsInUse, fields_for
from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.daemon_thread import in_daemon_thread
from growbox_tui.models.http_stream import CONNECT_S, SILENCE_S, Silence
from growbox_tui.models.litellm_errors import error_of
from growbox_tui.models.litellm_guard import load_litellm
from growbox_tui.models.openai_body import render_messages, render_tools, response_format
from growbox_tui.models.openai_chunks import read_chunk
from growbox_tui.models.pairing import call_ids
from growbox_tui.models.protocol import Delta, ModelError, ModelFacts, Request
from growbox_tui.models.redaction import redact_error

_UNKNOWN = ModelFacts()


class LitellmModel:
    """One model by its litellm name. Without ``key`` and ``base_url`` litellm reads its own
    environment variables, so ``secrets`` are the values there that no error may show;
    ``takes_tools`` is what is known of the model beforehand."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        key: str = "",
        facts: ModelFacts = _UNKNOWN,
        takes_tools: bool = True,
        secrets: Collection[str] = (),
        silence_s: float = SILENCE_S,
    ) -> None:
        self._name = name
        self._base_url = base_url
        self._key = key
        self._facts = facts
        self._takes_tools = takes_tools
        self._secrets = (*secrets, key)
        self._silence_s = silence_s
        self._fields = FieldsInUse(fields_for(name, base_url or ""))

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
        """Whether it may be offered hands. One that is not known to lack them may, and says
        itself (``NoTools``) if it does."""
        return self._takes_tools

    @property
    def cache_rules(self) -> CacheRules:
        """What the cache of this provider promises."""
        return rules_for(self._name, self._facts, self._base_url or "", fields=self._fields.now)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """See ``Model.stream``."""
        try:
            asked = self._fields.ask(self._name, lambda: self._stream(request))
            async with aclosing(asked) as deltas:
                async for delta in deltas:
                    yield delta
        except ModelError as error:
            redact_error(error, self._secrets, public=self._name)
            raise

    async def _stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        litellm = await in_daemon_thread(load_litellm)
        assembler = Assembler(
            self._name,
            taken=call_ids(request.messages),
            max_output=request.max_output,
            tools=bool(request.tools),
        )
        silence = Silence(self._silence_s, self._name)
        chunks: Any = None
        try:
            chunks = await silence.wait(litellm.acompletion(**self._arguments(request)))
            while (chunk := await silence.wait(_next(chunks))) is not None:
                size = assembler.size
                for delta in read_chunk(assembler, chunk.model_dump(), who=self._name):
                    yield delta
                if assembler.size > size:
                    silence.touch()
        except ModelError:
            raise
        except Exception as error:  # litellm raises whatever its providers' own code does.
            if not assembler.finished:
                url = self._base_url or ""
                raise error_of(error, who=self._name, url=url, began=assembler.began) from error
        finally:
            if chunks is not None and hasattr(chunks, "aclose"):
                await chunks.aclose()
        for delta in assembler.flush():
            yield delta
        yield assembler.reply()

    def _arguments(self, request: Request) -> dict[str, Any]:
        messages, _ = render_messages(request, wire=self._name, fields=self._fields.now)
        arguments: dict[str, Any] = {
            "model": self._name,
            "messages": messages,
            "stream": True,
            "num_retries": 0,
            "max_retries": 0,
            "timeout": max(self._silence_s, CONNECT_S),
        }
        if self._fields.now.usage:
            arguments["stream_options"] = {"include_usage": True}
        if request.tools:
            arguments["tools"] = render_tools(request)
        if request.schema:
            arguments["temperature"] = 0
            arguments["response_format"] = response_format(request.schema)
        if request.max_output:
            arguments["max_tokens"] = request.max_output
        if self._base_url:
            arguments["api_base"] = self._base_url
        if self._key:
            arguments["api_key"] = self._key
        return arguments

    async def close(self) -> None:
        """Nothing is held between requests."""


async def _next(chunks: AsyncIterator[Any]) -> Any:
    return await anext(chunks, None)
