"""Offered: the model names worth showing to someone who wants to choose."""

from __future__ import annotations

from collections.abc import Mapping

from growbox_tui.models.catalog import chat_names
from growbox_tui.models.factory import BUNDLED
from growbox_tui.models.providers import PROVIDERS, named


def offered(env: Mapping[str, str]) -> list[str]:
    """For each provider whose key is in the environment its usual model, then all that the table
    lists for it; last the bundled model, which needs no key."""
    names = []
    for provider in PROVIDERS.values():
        if named(env, provider.key_names)[1]:
            usual = [f"{provider.name}/{provider.model}"] if provider.model else []
            names += [*usual, *chat_names(provider.name)]
    return list(dict.fromkeys([*names, BUNDLED]))
