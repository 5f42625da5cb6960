"""Providers: who speaks which wire format, at which address, with the key in which variable.

The variables are those that litellm reads, so that what works for it works here. A provider that
is not in this table is litellm's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Wire = Literal["openai", "anthropic"]

ANTHROPIC_VERSION = "2023-06-01"
"""The version of its format, which an Anthropic server demands to be told."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider."""

    name: str
    """The part of ``provider/name`` before the slash."""
    wire: Wire
    base_url: str
    key_names: tuple[str, ...]
    """Environment variables that may hold the key, the usual one first."""
    url_names: tuple[str, ...]
    """Environment variables that may hold another base URL."""
    model: str = ""
    """The model taken when only a key is found; empty where its server is asked for its list."""
    thinking_back: bool = True
    """Whether it takes its reasoning back with the calls that followed it."""
    id_form: str = ""
    """The form that it demands of call ids, see ``pairing.wire_id``."""


def _openai(
    name: str, base_url: str, stem: str, model: str = "", *, thinking: bool = True, form: str = ""
) -> Provider:
    urls = (f"{stem}_BASE_URL", f"{stem}_API_BASE")
    return Provider(name, "openai", base_url, (f"{stem}_API_KEY",), urls, model, thinking, form)


_TABLE = (
    Provider(
        "anthropic",
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
        "claude-sonnet-5-5",
    ),
    _openai("openai", "https://api.openai.com/v1", "OPENAI", "gpt-6.1-sol"),
    _openai("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK", "deepseek-v4-pro"),
    _openai("moonshot", "https://api.moonshot.ai/v1", "MOONSHOT", "kimi-k3"),
    _openai(
        "dashscope",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE",
        "qwen3-coder-plus",
    ),
    _openai("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER", "openrouter/auto"),
    _openai(
        "groq", "https://api.groq.com/openai/v1", "GROQ", "openai/gpt-oss-120b", thinking=False
    ),
    _openai(
        "mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL",
        "devstral-latest",
        thinking=False,
        form="mistral",
    ),
    _openai("xai", "https://api.x.ai/v1", "XAI", "grok-4.7", thinking=False),
    Provider(
        "together_ai",
        "openai",
        "https://api.together.xyz/v1",
        ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
        ("TOGETHERAI_BASE_URL", "TOGETHERAI_API_BASE"),
        thinking_back=False,
    ),
    Provider(
        "fireworks_ai",
        "openai",
        "https://api.fireworks.ai/inference/v1",
        ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
        ("FIREWORKS_BASE_URL", "FIREWORKS_API_BASE"),
        thinking_back=False,
    ),
    _openai("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS", thinking=False),
    Provider(
        "deepinfra",
        "openai",
        "https://api.deepinfra.com/v1/openai",
        ("DEEPINFRA_API_KEY",),
        ("DEEPINFRA_BASE_URL", "DEEPINFRA_API_BASE"),
    ),
    _openai("zai", "https://api.z.ai/api/paas/v4", "ZAI"),
    _openai("minimax", "https://api.minimax.io/v1", "MINIMAX"),
    Provider(
        "ollama",
        "openai",
        "http://127.0.0.1:11434/v1",
        ("OLLAMA_API_KEY",),
        ("OLLAMA_BASE_URL", "OLLAMA_API_BASE"),
    ),
    _openai("lm_studio", "http://127.0.0.1:1234/v1", "LM_STUDIO"),
    _openai("hosted_vllm", "http://127.0.0.1:8000/v1", "HOSTED_VLLM"),
    _openai("llamacpp", "http://127.0.0.1:8080/v1", "LLAMACPP"),
)

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in _TABLE}
"""By name, in the order in which keys are looked for."""

ALIASES = {
    "vllm": "hosted_vllm",
    "ollama_chat": "ollama",
    "lmstudio": "lm_studio",
    "llama_cpp": "llamacpp",
    "kimi": "moonshot",
    "qwen": "dashscope",
    "claude": "anthropic",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
}
"""Other words for a provider."""


def named(env: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    """The first of these variables that is set: its name and value, or two empty strings."""
    return next(((name, value) for name in names if (value := env.get(name, "").strip())), ("", ""))


def key_of(
    provider: str, names: tuple[str, ...], env: Mapping[str, str], key_envs: Mapping[str, str]
) -> tuple[str, str]:
    """The variable that holds a provider's key, and the key; empty strings where none is set.
    ``key_envs``, provider → variable, comes before ``names``, and then only that one counts."""
    chosen = key_envs.get(provider)
    return named(env, (chosen,) if chosen else names)


def url_of(
    provider: Provider, env: Mapping[str, str], base_urls: Mapping[str, str]
) -> tuple[str, str]:
    """What names another base URL for a provider, and the URL; empty strings where nothing does.
    ``base_urls``, provider → URL, comes before the environment."""
    if url := base_urls.get(provider.name, "").strip():
        return f"base_url of {provider.name}", url
    return named(env, provider.url_names)


def endpoint(base_url: str, wire: Wire) -> str:
    """The URL to post to. A base URL without a path gets ``/v1``, and one that names the endpoint
    already is left as it is."""
    base = base_url.strip().rstrip("/")
    if "://" not in base:
        base = f"http://{base}"
    tail = "/chat/completions" if wire == "openai" else "/messages"
    if base.endswith(tail):
        return base
    bare = urlsplit(base).path in ("", "/")
    if bare or (wire == "anthropic" and not base.endswith("/v1")):
        base += "/v1"
    return base + tail


def wire_headers(wire: Wire, key: str) -> dict[str, str]:
    """What every request of a wire format carries, by lower-case names: the key, if there is one,
    and the version where the format has one."""
    if wire == "openai":
        return {"authorization": f"Bearer {key}"} if key else {}
    version = {"anthropic-version": ANTHROPIC_VERSION}
    return {**version, "x-api-key": key} if key else version


def models_url(base_url: str, wire: Wire) -> str:
    """The URL that lists a server's models."""
    tail = "/chat/completions" if wire == "openai" else "/messages"
    return endpoint(base_url, wire).removesuffix(tail) + "/models"
