"""LitellmModel: a voice behind litellm, for every provider that is not spoken to directly.

litellm takes seconds to import, so it is imported in a thread at the first request. Its raw chunks
go through the same assembler as all others; what it would put together itself is never used.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any

from growbox_tui.models.assembler import Assembler
from growbox_tui.models.faults import error_for
from growbox_tui.models.http_stream import CONNECT_S, SILENCE_S, Silence
from growbox_tui.models.litellm_guard import load_litellm
from growbox_tui.models.openai_body import render_messages, render_tools
from growbox_tui.models.openai_chunks import read_chunk
from growbox_tui.models.pairing import call_ids
from growbox_tui.models.protocol import (
    CutStream,
    Delta,
    ModelError,
    ModelFacts,
    Overloaded,
    Request,
    Silent,
    TooLong,
    Unauthorised,
    UnknownModel,
    Unreachable,
)

_UNKNOWN = ModelFacts()


class LitellmModel:
    """One model by its litellm name. Without ``key`` and ``base_url`` litellm reads its own
    environment variables."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        key: str = "",
        facts: ModelFacts = _UNKNOWN,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._name = name
        self._base_url = base_url
        self._key = key
        self._facts = facts
        self._silence_s = silence_s

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
        """Always: providers that know no tools say so themselves."""
        return True

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """See ``Model.stream``."""
        litellm = await asyncio.to_thread(load_litellm)
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
                raise self._error(error, assembler) from error
        finally:
            if chunks is not None and hasattr(chunks, "aclose"):
                await chunks.aclose()
        for delta in assembler.flush():
            yield delta
        yield assembler.reply()

    def _arguments(self, request: Request) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._name,
            "messages": render_messages(request, wire=self._name),
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
            "timeout": max(self._silence_s, CONNECT_S),
        }
        if request.tools:
            arguments["tools"] = render_tools(request)
        if request.max_output:
            arguments["max_tokens"] = request.max_output
        if self._base_url:
            arguments["api_base"] = self._base_url
        if self._key:
            arguments["api_key"] = self._key
        return arguments

    def _error(self, error: Exception, assembler: Assembler) -> ModelError:
        kind, text = type(error).__name__, str(error)
        if kind == "ContextWindowExceededError":
            return TooLong(text, "Shorten the conversation: /nap clears it and keeps long memory.")
        if kind == "Timeout":
            return Silent(f"{self._name} sent nothing for too long")
        if kind == "AuthenticationError":
            return Unauthorised(text, "Set the key of this provider in the environment.")
        if "LLM Provider NOT provided" in text:
            return UnknownModel(f"litellm knows no provider for {self._name}.")
        if assembler.began:
            return CutStream(f"{self._name} broke off in the middle of its reply: {text}")
        status = getattr(error, "status_code", None)
        if kind == "APIConnectionError":
            return Unreachable(f"{self._name} cannot be reached: {text}", "Check the network.")
        if isinstance(status, int) and status >= 300:
            return error_for(status, _headers(error), text, who=self._name)
        return Overloaded(f"{self._name} failed: {text}", "Try again later.")

    async def close(self) -> None:
        """Nothing is held between requests."""


async def _next(chunks: AsyncIterator[Any]) -> Any:
    return await anext(chunks, None)


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in headers.items()}
