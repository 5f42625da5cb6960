"""Usage: the token counts of all providers, in one form.

A figure that was not said stays ``None``: neither zero nor an estimate may pass for a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from growbox_tui.agent.messages import Usage


def count(value: Any) -> int | None:
    """A token count from a number or numeric string; ``None`` for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, int | float) and 0 <= value < 1e12:
        return int(value)
    return None


def _first(raw: Mapping[str, Any], *names: str) -> int | None:
    """The largest of these figures that was said. A detail of 0 beside a top-level figure of 500
    is a gateway that fills in fields it does not know."""
    found = [number for name in names if (number := count(_dig(raw, name))) is not None]
    return max(found, default=None)


def _dig(raw: Mapping[str, Any], path: str) -> Any:
    value: Any = raw
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


_CACHE_READ = (
    "prompt_tokens_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cached_tokens",
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "cachedContentTokenCount",
)
_CACHE_WRITE = (
    "prompt_tokens_details.cache_write_tokens",
    "prompt_tokens_details.cache_creation_tokens",
    "prompt_tokens_details.cache_creation_input_tokens",
    "input_tokens_details.cache_write_tokens",
    "cache_creation_input_tokens",
    "cacheWriteInputTokens",
)
_OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens")
_REASONING = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "thoughtsTokenCount",
    "reasoning_tokens",
)


def read_usage(raw: Any) -> Usage | None:
    """A provider's usage object, whatever its dialect; ``None`` if it holds no figure at all.

    ``input`` is the whole prompt: prompt_tokens (cached included), DeepSeek's hit + miss, or
    Anthropic's sum of three. The cached part is clamped to the prompt.
    """
    if not isinstance(raw, Mapping):
        return None
    read, write = _first(raw, *_CACHE_READ), _first(raw, *_CACHE_WRITE)
    prompt = _first(raw, "prompt_tokens", "promptTokenCount")
    if not prompt:
        prompt = _sum(raw, "prompt_cache_hit_tokens", "prompt_cache_miss_tokens")
    if not prompt:
        prompt = _sum(raw, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    if not prompt:
        prompt = _sum(raw, "inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    if prompt:
        read = None if read is None else min(read, prompt)
        write = None if write is None else min(write, prompt)
    usage = Usage(prompt or None, _first(raw, *_OUTPUT), read, write, _first(raw, *_REASONING))
    return usage if usage.input or usage.output else None


def _sum(raw: Mapping[str, Any], first: str, *others: str) -> int | None:
    """The sum of these figures, where the first one was said."""
    if count(raw.get(first)) is None:
        return None
    return sum(count(raw.get(name)) or 0 for name in (first, *others))


def merge_raw(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Two usage objects of one stream as one: for each figure the larger one, because gateways
    send zeros first and the truth later, or the other way round."""
    merged = dict(before)
    for name, value in after.items():
        old, new = count(merged.get(name)), count(value)
        if isinstance(value, Mapping) and isinstance(merged.get(name), Mapping):
            merged[name] = merge_raw(merged[name], value)
        elif value is not None and not (old is not None and new is not None and new < old):
            merged[name] = value
    return merged
