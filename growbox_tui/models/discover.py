"""Discover: which model to take when the user chose none, and why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from growbox_tui.models.factory import BUNDLED
from growbox_tui.models.http_stream import open_client
from growbox_tui.models.providers import (
    PROVIDERS,
    Provider,
    key_of,
    models_url,
    url_of,
    wire_headers,
)
from growbox_tui.models.reachability import host_of, is_address, is_loopback
from growbox_tui.models.usage import count

if TYPE_CHECKING:
    import httpx

CONNECT_S = 0.3
ASK_S = 2.0
"""Seconds: a server on this machine that does not connect or answer in these is not one."""

BETTER = (
    "Choose another with --model provider/name, GROWBOX_MODEL or /model; "
    "set a key such as OPENAI_API_KEY for a hosted one."
)
_NONE: Mapping[str, str] = MappingProxyType({})
_BY_LITELLM = {
    "gemini": (("GEMINI_API_KEY", "GOOGLE_API_KEY"), "gemini/gemini-pro-latest"),
    "cohere": (("COHERE_API_KEY", "CO_API_KEY"), "cohere/command-a-03-2025"),
}
_SERVERS = ("ollama", "lm_studio", "llamacpp", "hosted_vllm")
_TITLES = {
    "ollama": "ollama",
    "lm_studio": "LM Studio",
    "llamacpp": "the llama.cpp server",
    "hosted_vllm": "vLLM",
}
_MUTE = {
    *("embed", "embedding", "embeddings", "embedder", "bge", "minilm", "rerank", "reranker"),
    *("whisper", "transcribe", "tts", "moderation", "dall", "clip"),
}
"""Words in the name of a model that cannot talk."""
_KINDS = {
    **dict.fromkeys(("chat", "language", "llm", "vlm"), False),
    **dict.fromkeys(("embedding", "embeddings", "rerank", "moderation", "image"), True),
    **dict.fromkeys(("audio", "transcribe", "video"), True),
}
"""Whether a model is mute, by the ``type`` that some servers list."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that was found."""

    name: str
    """``provider/name``, for ``open_model``."""
    why: str
    how_to_choose_better: str
    context: int | None = None
    """Context size in tokens where a server said it, for ``open_model``."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A model in a server's list."""

    id: str
    context: int | None = None


async def choose(
    env: Mapping[str, str],
    *,
    base_urls: Mapping[str, str] = _NONE,
    key_envs: Mapping[str, str] = _NONE,
) -> Choice:
    """A provider whose key is in the environment, else a model server that answers, else the
    bundled model.

    ``base_urls`` (provider → URL) and ``key_envs`` (provider → the variable that holds its key)
    override what the environment says, as they do for ``open_model``. Never fails; asks nobody but
    servers that these, the environment or loopback name.
    """
    return (
        await _by_key(env, base_urls, key_envs)
        or await _by_server(env, base_urls, key_envs)
        or _bundled()
    )


def _bundled() -> Choice:
    return Choice(
        BUNDLED,
        "no key in the environment and no model server on this machine, so the small bundled "
        "model answers; it has no hands",
        BETTER,
    )


async def _by_key(
    env: Mapping[str, str], base_urls: Mapping[str, str], key_envs: Mapping[str, str]
) -> Choice | None:
    for provider in PROVIDERS.values():
        key_name, key = key_of(provider.name, provider.key_names, env, key_envs)
        url_name, url = url_of(provider, env, base_urls)
        open_here = is_loopback(url) and provider.name not in (*_SERVERS, *key_envs)
        if not (key or open_here) or not is_address(url or provider.base_url):
            continue
        found = f"{key_name or url_name} is set"
        if url or not provider.model:
            listed = await _first_model(provider, url or provider.base_url, key)
            if listed is not None:
                name = f"{provider.name}/{listed.id}"
                return Choice(
                    name, f"{found}, and its server lists it first", BETTER, listed.context
                )
            found += ", but its server lists no model" if url else ""
        if provider.model and key:
            return Choice(f"{provider.name}/{provider.model}", found, BETTER)
    for name, (names, model) in _BY_LITELLM.items():
        key_name, key = key_of(name, names, env, key_envs)
        if key:
            return Choice(model, f"{key_name} is set", BETTER)
    return None


async def _by_server(
    env: Mapping[str, str], base_urls: Mapping[str, str], key_envs: Mapping[str, str]
) -> Choice | None:
    """The first server, in the order of ``_SERVERS``, that lists a model. All are asked at once,
    each where its voice would ask it too; not those whose key was looked for in vain."""
    entries = [PROVIDERS[name] for name in _SERVERS if name not in key_envs]
    named_urls = {e.name: url_of(e, env, base_urls)[1] or e.base_url for e in entries}
    urls = {name: url for name, url in named_urls.items() if is_address(url)}
    open_ones = await asyncio.gather(*(_listens(url) for url in urls.values()))
    there = [name for name, listens in zip(urls, open_ones, strict=True) if listens]
    answers = await asyncio.gather(*(_first_model(PROVIDERS[n], urls[n], "") for n in there))
    for name, listed in zip(there, answers, strict=True):
        if listed is not None:
            where = host_of(models_url(urls[name], "openai"))
            why = f"{_TITLES[name]} answers on {where}"
            return Choice(f"{name}/{listed.id}", why, BETTER, listed.context)
    return None


async def _listens(url: str) -> bool:
    parts = urlsplit(models_url(url, "openai"))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(parts.hostname or "", port)
    except (OSError, TimeoutError, ValueError):
        return False  # ValueError: a host name that cannot be encoded
    writer.close()
    return True


async def _first_model(provider: Provider, url: str, key: str) -> Listed | None:
    """The first model of a server's list that can talk; ``None`` where nothing of use answers."""
    address = models_url(url, provider.wire)
    headers = wire_headers(provider.wire, key)
    client = await asyncio.to_thread(open_client, address)
    import httpx

    try:
        async with client, asyncio.timeout(ASK_S):
            response = await client.get(address, headers=headers)
            listed = first_of(response.json()) if response.status_code == 200 else None
            if listed is not None and listed.context is None and provider.name == "llamacpp":
                return Listed(listed.id, await _server_context(client, address))
            return listed
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError):
        # Whatever listens there is no model server that we could use.
        return None


async def _server_context(client: httpx.AsyncClient, address: str) -> int | None:
    """What llama.cpp's server says of the context it runs with."""
    response = await client.get(address.removesuffix("/v1/models") + "/props")
    value = response.json() if response.status_code == 200 else None
    settings = value.get("default_generation_settings") if isinstance(value, dict) else None
    return count(settings.get("n_ctx")) if isinstance(settings, dict) else None


def first_of(listing: Any) -> Listed | None:
    """The first model of a ``/v1/models`` answer that is not mute: one for embeddings, sound or
    pictures alone, by the kind that the server gives it or, without one, by its name."""
    data = listing.get("data") if isinstance(listing, dict) else None
    for item in data if isinstance(data, list) else []:
        name = item.get("id") if isinstance(item, dict) else None
        if isinstance(name, str) and name and not _mute(name, item.get("type")):
            sizes = (item.get(field) for field in ("max_model_len", "context_length", "n_ctx"))
            meta = item.get("meta")
            inner = meta.get("n_ctx") if isinstance(meta, dict) else None
            return Listed(name, next((n for size in (*sizes, inner) if (n := count(size))), None))
    return None


def _mute(name: str, kind: Any) -> bool:
    if isinstance(kind, str) and kind.lower() in _KINDS:
        return _KINDS[kind.lower()]
    # Whole words only: "eclipse" holds "clip" and talks.
    return bool(_MUTE.intersection(re.split(r"[^a-z]+", name.lower())))
