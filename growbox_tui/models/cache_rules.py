"""Cache rules: what a provider's prompt cache promises, as figures that a forecast can use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol, runtime_checkable

from growbox_tui.models.cache_fields import CacheFields, fields_for, is_own
from growbox_tui.models.model_family import claude, gpt_version, is_qwen, upstream
from growbox_tui.models.protocol import Model, ModelFacts

CacheKind = Literal["none", "prefix", "marks", "units", "slot"]
"""``prefix``: any leading part, in steps. ``marks``: only up to where a request asked for an entry.
``units``: only whole stored requests and replies. ``slot``: the one prompt that came last."""

FOR_EVER = 1e9
"""Seconds, for what does not expire while its process runs."""
DAY_S = 86_400.0
HOUR_S = 3600.0
STICKY_S = 600.0
"""Seconds of idleness after which OpenRouter may choose another server."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """One provider's cache. Prices are shares of the input price."""

    kind: CacheKind
    ttl_s: float
    """Seconds that an entry lives after it was last written or read."""
    min_tokens: int = 0
    """A shorter prefix is not served."""
    step: int = 1
    """Served tokens are a multiple of this."""
    max_marks: int = 4
    """Entries that one request may write; 0 where a request cannot ask for any."""
    lookback: int | None = None
    """Content blocks that a mark looks back over for an older entry; ``None`` is all of them."""
    read_marks: int = 0
    """Marks that one request may offer for reading, where more than are written."""
    implicit: bool = False
    """Whether the provider sets a mark of its own at the newest user or tool message of a request
    that carries none."""
    caches_reply: bool = False
    """Whether the reply is cached behind its prompt."""
    read: float = 0.1
    write: float = 1.0
    long_ttl_s: float | None = None
    """Seconds of a long entry, where there are such."""
    long_write: float = 2.0
    reports: bool = True
    """Whether usage tells what was served."""


@runtime_checkable
class Caches(Protocol):
    """A voice that knows the cache of the server that it really asks."""

    @property
    def cache_rules(self) -> CacheRules:
        """As ``rules_for`` says, without what its server refused."""


NONE = CacheRules("none", 0.0, read=1.0, reports=False)
UNKNOWN = CacheRules("prefix", 300.0, min_tokens=1024, step=128, read=0.5, reports=False)
"""What most servers do at the least."""
_LOCAL = CacheRules("slot", FOR_EVER, caches_reply=True, read=0.0)
_SCRIPTED = CacheRules("slot", FOR_EVER, read=0.1)
_SERVED_HERE = CacheRules("prefix", HOUR_S, read=0.0, reports=False)
_OF_ITS_KIND = {
    "local": _LOCAL,
    "script": _SCRIPTED,
    "llamacpp": _LOCAL,
    "hosted_vllm": replace(_SERVED_HERE, step=16),
    "sglang": _SERVED_HERE,
    "ollama": replace(_SERVED_HERE, ttl_s=300.0),  # It unloads an idle model then.
    "lm_studio": _SERVED_HERE,
}
"""Servers that cache by what they are, at whatever address."""
_CLAUDE = CacheRules(
    "marks", 300.0, min_tokens=1024, lookback=20, write=1.25, long_ttl_s=HOUR_S, long_write=2.0
)
_BREAKPOINTS = CacheRules(
    "marks", 1800.0, min_tokens=1024, read_marks=80, implicit=True, write=1.25
)
_AUTOMATIC = CacheRules("prefix", STICKY_S, min_tokens=1024, step=128, read=0.5)
_UNITS = CacheRules("units", DAY_S, caches_reply=True, read=0.02)
_MOONSHOT = CacheRules("prefix", STICKY_S, step=256)
_GEMINI = CacheRules("prefix", 300.0)
_QWEN = CacheRules("marks", 300.0, min_tokens=1024, lookback=20, write=1.25)
_QWEN_IMPLICIT = CacheRules("prefix", 300.0, min_tokens=1024, read=0.2)
_GROK = CacheRules("prefix", STICKY_S, step=128, read=0.25)
_MISTRAL = CacheRules("prefix", 300.0, read=0.1)


def rules_of(model: Model) -> CacheRules:
    """The rules of a voice's cache: by its own word, else by its name."""
    return model.cache_rules if isinstance(model, Caches) else rules_for(model.name, model.facts)


def rules_for(
    name: str, facts: ModelFacts, base_url: str = "", *, fields: CacheFields | None = None
) -> CacheRules:
    """The rules of the cache behind ``provider/name`` at this server; an empty base URL is the
    provider's own. ``fields`` is what a request may carry there, if not what usually may.

    Prices are the model's own where they are known. Where nothing is known of a server, it is
    expected to do what most do at the least.
    """
    fields = fields_for(name, base_url) if fields is None else fields
    provider, model = upstream(name)
    if provider == "openrouter" and is_own(provider, base_url):
        return _sticky(model, facts, fields)
    return _of_server(provider, model, facts, fields, base_url)


def _of_server(
    provider: str, model: str, facts: ModelFacts, fields: CacheFields, base_url: str
) -> CacheRules:
    if provider in _OF_ITS_KIND:
        return _OF_ITS_KIND[provider]
    if provider == "anthropic" or (claude(model) and fields.marks):
        return _claude(facts, fields)
    if not is_own(provider, base_url) and provider not in _BY_LITELLM:
        return _priced(UNKNOWN, facts)
    return _of_maker(provider, model, facts, fields)


_BY_LITELLM = ("gemini", "vertex_ai", "azure")
"""Providers that litellm speaks to, at addresses that depend on the account."""


def _of_maker(provider: str, model: str, facts: ModelFacts, fields: CacheFields) -> CacheRules:
    """The rules by who serves a model, which on OpenRouter is part of the model's name."""
    match provider:
        case "openai" | "azure":
            return _openai(model, facts, fields)
        case "deepseek":
            return _priced(_UNITS, facts)
        case "moonshot" | "moonshotai":
            short = model.rpartition("/")[2].startswith("kimi-k3")
            return _priced(replace(_MOONSHOT, ttl_s=300.0) if short else _MOONSHOT, facts)
        case "dashscope" | "qwen":
            return _qwen(model, facts, fields)
        case "gemini" | "vertex_ai" | "google":
            return _gemini(model, facts, fields)
        case "xai" | "x-ai":
            return _priced(_GROK, facts)
        case "mistral" | "mistralai":
            return _priced(_MISTRAL, facts)
    return _priced(UNKNOWN, facts)


def _sticky(model: str, facts: ModelFacts, fields: CacheFields) -> CacheRules:
    """OpenRouter's: the upstream's, as long as the same upstream is asked."""
    maker, _, bare = model.partition("/")
    if maker == "anthropic" or claude(bare):
        rules = _claude(facts, fields)
    else:
        rules = _of_maker(maker, bare, facts, fields)
    return replace(rules, ttl_s=min(rules.ttl_s, STICKY_S), long_ttl_s=None)


def _claude(facts: ModelFacts, fields: CacheFields) -> CacheRules:
    if not fields.marks:
        return NONE
    rules = replace(_CLAUDE, min_tokens=facts.min_cache_tokens or _CLAUDE.min_tokens)
    return _priced(rules if fields.long_marks else replace(rules, long_ttl_s=None), facts)


def _openai(model: str, facts: ModelFacts, fields: CacheFields) -> CacheRules:
    version = gpt_version(model)
    if version is not None and version >= (5, 6):
        marks = _BREAKPOINTS if fields.marks else replace(_BREAKPOINTS, max_marks=0)
        return _priced(marks, facts)
    kept = fields.retention or version == (5, 5)
    return _priced(replace(_AUTOMATIC, ttl_s=DAY_S) if kept else _AUTOMATIC, facts)


def _qwen(model: str, facts: ModelFacts, fields: CacheFields) -> CacheRules:
    if not fields.marks:
        return _priced(_QWEN_IMPLICIT if is_qwen(model) else UNKNOWN, facts)
    rules = _priced(_QWEN, facts)
    # The catalog may list the price of an implicit hit, which is another one.
    return replace(rules, read=min(rules.read, _QWEN.read), write=max(rules.write, _QWEN.write))


def _gemini(model: str, facts: ModelFacts, fields: CacheFields) -> CacheRules:
    least = facts.min_cache_tokens or (4096 if "pro" in model or "gemini-3." in model else 1024)
    if fields.marks:
        # Only the last mark counts there, and what it stored is read at no other place.
        return _priced(CacheRules("marks", 300.0, min_tokens=least, max_marks=1), facts)
    return _priced(replace(_GEMINI, min_tokens=least), facts)


def _priced(rules: CacheRules, facts: ModelFacts) -> CacheRules:
    """The rules with the model's own price ratios, where its prices are known. Only caches by
    marks charge for writing; a price of nothing means there that it costs what any input does."""
    if not facts.input_price:
        return rules
    if facts.cache_read_price is not None:
        rules = replace(rules, read=round(facts.cache_read_price / facts.input_price, 6))
    if facts.cache_write_price and rules.kind == "marks":
        rules = replace(rules, write=round(facts.cache_write_price / facts.input_price, 6))
    return rules
