"""Catalog: context sizes and prices of models, from the table that litellm ships.

litellm itself is never imported for it, and its 3.4 MB of JSON are never parsed: the one entry is
found in the bytes and read from there. That takes milliseconds and leaves no memory behind.
"""

from __future__ import annotations

import difflib
import json
import mmap
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from growbox_tui.models.protocol import ModelFacts
from growbox_tui.models.providers import ALIASES, PROVIDERS

_FILE = "model_prices_and_context_window_backup.json"
_PROVIDERS_FILE = "provider_endpoints_support_backup.json"
_NAMES = re.compile(rb'^    "([^"\n]{1,120})": \{', re.MULTILINE)


def _folder() -> Path | None:
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(places))) if places else None


@contextmanager
def _table() -> Iterator[mmap.mmap | bytes]:
    folder = _folder()
    path = folder / _FILE if folder is not None else None
    if path is None or not path.is_file():
        yield b""
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as table:
        yield table


def _entry(table: mmap.mmap | bytes, name: str) -> dict[str, Any] | None:
    key = b"\n    " + json.dumps(name).encode() + b": "
    at = table.rfind(key)  # Of a name that stands there twice the last counts, as in JSON.
    return None if at < 0 else _read(table, at + len(key))


def _entries(table: mmap.mmap | bytes, name: str) -> Iterator[dict[str, Any]]:
    """The entries of a name's spellings, likeliest first; of another word for a model those of
    the model that is meant."""
    for spelling in spellings(name):
        entry = _entry(table, spelling)
        if entry is not None and isinstance(meant := entry.get("alias_of"), str):
            entry = _entry(table, meant)
        if entry is not None:
            yield entry


def _read(table: mmap.mmap | bytes, start: int) -> dict[str, Any]:
    end = table.find(b"\n    }", start)
    value = json.loads(table[start : end + 6])
    return value if isinstance(value, dict) else {}


def spellings(name: str) -> list[str]:
    """The names under which the table may list ``provider/name``, likeliest first."""
    provider, slash, bare = name.partition("/")
    if not slash:
        return [name]
    provider = ALIASES.get(provider, provider)
    found = [f"{provider}/{bare}", bare, *([bare.rpartition("/")[2]] if "/" in bare else [])]
    if "claude-" in bare:  # Resellers write the version with a dot.
        found.append(bare.rpartition("/")[2].replace(".", "-"))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=64)
def facts(name: str) -> ModelFacts:
    """What is known of a model by its ``provider/name`` or bare name; empty where nothing is."""
    with _table() as table:
        return next((_facts(entry) for entry in _entries(table, name)), ModelFacts())


@lru_cache(maxsize=64)
def takes_tools(name: str) -> bool:
    """Whether a model may be offered tools: as the first entry says that says it. Where none
    does it may: a refusal is noticed (``NoTools``), a hand that was never offered is not."""
    with _table() as table:
        for entry in _entries(table, name):
            said = entry.get("supports_function_calling")
            if isinstance(said, bool):
                return said
    return True


def _facts(entry: dict[str, Any]) -> ModelFacts:
    return ModelFacts(
        context=_whole(entry.get("max_input_tokens")) or _whole(entry.get("max_tokens")),
        max_output=_whole(entry.get("max_output_tokens")),
        input_price=_price(entry.get("input_cost_per_token")),
        output_price=_price(entry.get("output_cost_per_token")),
        cache_read_price=_price(entry.get("cache_read_input_token_cost")),
        cache_write_price=_price(entry.get("cache_creation_input_token_cost")),
        min_cache_tokens=_whole(entry.get("prompt_cache_min_tokens")) or 0,
    )


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _price(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def provider_of(name: str) -> str:
    """The provider of a bare model name, as the table has it; empty where it does not."""
    with _table() as table:
        entry = _entry(table, name)
    return str(entry.get("litellm_provider") or "") if entry else ""


def chat_names(provider: str) -> list[str]:
    """All ``provider/name`` of one provider that the table lists for chat, sorted."""
    found = set()
    with _table() as table:
        for match in _NAMES.finditer(table):
            name = match.group(1).decode()
            if "/" not in name or name.startswith(f"{provider}/"):
                entry = _read(table, match.end() - 1)
                talks = entry.get("mode") in ("chat", "responses")
                if talks and entry.get("litellm_provider") == provider:
                    found.add(f"{provider}/{name.removeprefix(f'{provider}/')}")
    return sorted(found)


def litellm_providers() -> frozenset[str]:
    """The providers that litellm knows, from its data files."""
    folder = _folder()
    path = folder / _PROVIDERS_FILE if folder is not None else None
    if path is None or not path.is_file():
        return frozenset()
    found = json.loads(path.read_bytes()).get("providers", {})
    return frozenset(found) | {"custom_openai"}


def nearest(name: str, limit: int = 3) -> list[str]:
    """Names like this one that do exist, likeliest first."""
    provider, slash, bare = name.partition("/")
    with _table() as table:
        listed = [match.group(1).decode() for match in _NAMES.finditer(table)]
    if not slash:
        close = difflib.get_close_matches(name, listed, limit, 0.6)
        return [full for item in close if (full := _full(item))]
    known = {*PROVIDERS, *ALIASES, *litellm_providers()}
    right = (
        provider
        if provider in known
        else next(iter(difflib.get_close_matches(provider, known, 1, 0.6)), "")
    )
    if not right:
        return []
    right = ALIASES.get(right, right)
    names = chat_names(right)
    close = difflib.get_close_matches(f"{right}/{bare}", names, limit, 0.6)
    return close or ([f"{right}/{bare}"] if right != provider else [])


def _full(name: str) -> str:
    if "/" in name:
        return name
    provider = provider_of(name)
    return f"{provider}/{name}" if provider in PROVIDERS else ""
