"""Cache fields: what a server may be sent about its prompt cache, and what it took badly.

A server that is not known to take a field is never sent it: a strict one refuses the whole request
for it. One that refuses all the same is asked again without, and not sent that field any more.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import urlsplit

from growbox_tui.models.model_family import claude, gpt_version, is_qwen, upstream
from growbox_tui.models.protocol import Delta, NoTools, Rejected, Reply, UnknownModel
from growbox_tui.models.providers import PROVIDERS

MarkField = Literal["", "cache_control", "prompt_cache_breakpoint"]

_OWN_DOMAINS = {
    "openai": ("openai.com",),
    "dashscope": ("aliyuncs.com",),
    "moonshot": ("moonshot.ai", "moonshot.cn"),
    "xai": ("x.ai",),
}
"""Domains of providers that have more servers than the one in ``providers``."""
_SMALL = re.compile(r"mini|nano|chat|pro\b")
"""Variants of OpenAI's models that are not known to keep a cache for a day."""


@dataclass(frozen=True, slots=True)
class CacheFields:
    """What one server is sent about its cache; nothing of it by default."""

    marks: MarkField = ""
    """The field of a content block that asks for an entry behind it."""
    long_marks: bool = False
    """Whether such a field may ask for an hour."""
    key: str = ""
    """The field that takes the session, so that it meets the machine that knows its prompt."""
    header: str = ""
    """The header that takes the session."""
    retention: str = ""
    """The value of ``prompt_cache_retention``."""
    options: bool = False
    """Whether ``prompt_cache_options`` turns off the mark that the provider sets itself."""
    cache_prompt: bool = False
    """Whether ``cache_prompt`` asks for the slot's last prompt to be kept."""
    usage: bool = True
    """Whether ``stream_options`` may ask for the usage figures of a stream."""

    def without(self, words: str) -> tuple[CacheFields, str]:
        """What is left when a server refused in these words, and the field that they name; the
        same and an empty string where they name none that was sent."""
        for name, change in self._droppable():
            if re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", words):
                return replace(self, **change), name  # type: ignore[arg-type]
        return self, ""

    def _droppable(self) -> list[tuple[str, dict[str, object]]]:
        """The fields that are sent, by the name that a refusal would use, the narrowest first."""
        marks: dict[str, object] = {"marks": "", "long_marks": False, "options": False}
        found: list[tuple[str, dict[str, object], object]] = [
            ("ttl", {"long_marks": False}, self.long_marks),
            (self.marks, marks, self.marks),
            ("prompt_cache_options", marks, self.options),
            (self.key, {"key": ""}, self.key),
            ("prompt_cache_retention", {"retention": ""}, self.retention),
            ("cache_prompt", {"cache_prompt": False}, self.cache_prompt),
            ("stream_options", {"usage": False}, self.usage),
        ]
        return [(name, change) for name, change, sent in found if sent]


def is_own(provider: str, base_url: str) -> bool:
    """Whether a base URL is a server of the provider's own; an empty one is."""
    host = _host(base_url)
    known = PROVIDERS.get(provider)
    if not host or (known is not None and host == _host(known.base_url)):
        return True
    return any(host == own or host.endswith(f".{own}") for own in _OWN_DOMAINS.get(provider, ()))


def _host(url: str) -> str:
    url = url.strip()
    return urlsplit(url if "://" in url else f"//{url}").hostname or ""


def fields_for(name: str, base_url: str = "") -> CacheFields:
    """What may be sent for a model ``provider/name`` to this server."""
    provider, model = upstream(name)
    if provider == "anthropic":
        return CacheFields(marks="cache_control", long_marks=True)  # Part of the format itself.
    if provider == "llamacpp":
        return CacheFields(cache_prompt=True)
    if provider in ("bedrock", "vertex_ai", "azure_ai") and (which := claude(model)):
        return CacheFields(marks="cache_control", long_marks=which.version >= (4, 5))
    if not is_own(provider, base_url):
        return CacheFields()
    match provider:
        case "openai":
            return _openai(model)
        case "dashscope" if is_qwen(model):
            return CacheFields(marks="cache_control")
        case "openrouter":
            return _openrouter(model)
        case "xai":
            return CacheFields(header="x-grok-conv-id")
        case "moonshot" | "mistral":
            return CacheFields(key="prompt_cache_key")
    return CacheFields()


def _openai(model: str) -> CacheFields:
    if marks_breakpoints(model):
        return CacheFields(marks="prompt_cache_breakpoint", key="prompt_cache_key", options=True)
    return CacheFields(key="prompt_cache_key", retention="24h" if keeps_a_day(model) else "")


def _openrouter(model: str) -> CacheFields:
    if marks_breakpoints(model):
        return CacheFields(marks="prompt_cache_breakpoint", key="session_id", options=True)
    marked = claude(model) or is_qwen(model) or model.startswith("google/gemini")
    return CacheFields(marks="cache_control" if marked else "", key="session_id")


def marks_breakpoints(model: str) -> bool:
    """Whether it is a model of OpenAI that caches by breakpoints only."""
    version = gpt_version(model)
    return version is not None and version >= (5, 6)


def keeps_a_day(model: str) -> bool:
    """Whether it is a model of OpenAI that keeps a cache for a day where it is asked to."""
    version = gpt_version(model)
    if version is None or version >= (5, 6):
        return False
    return (version == (4, 1) or version >= (5, 0)) and not _SMALL.search(model)


class FieldsInUse:
    """What one voice sends, and no longer sends since it was refused."""

    def __init__(self, fields: CacheFields) -> None:
        self.now = fields

    async def ask(
        self, who: str, once: Callable[[], AsyncGenerator[Delta, None]]
    ) -> AsyncGenerator[Delta, None]:
        """The deltas of one request; ``once`` sends it by what ``now`` says. A refusal that names
        one of the fields is followed by the same request without it, and told with the reply."""
        dropped: list[str] = []
        before = self.now
        while True:
            try:
                async with aclosing(once()) as deltas:
                    async for delta in deltas:
                        if dropped and isinstance(delta, Reply):
                            delta = replace(delta, notice=_told(who, dropped, delta.notice))
                        yield delta
                return
            except (Rejected, UnknownModel) as error:
                left, name = self.now.without(error.text)
                if isinstance(error, NoTools) or not name:
                    self.now = before  # It was not the fields: it is refused without them too.
                    raise
                self.now = left
                dropped.append(name)


def _told(who: str, dropped: list[str], notice: str) -> str:
    names = " and ".join(dropped)
    less = "usage is not reported" if dropped == ["stream_options"] else "less may be cached"
    told = f"{who} refused {names}; it is left out from now on, so {less}."
    return f"{notice} {told}".strip()
