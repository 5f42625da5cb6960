"""Offered: the model names worth showing to someone who wants to choose."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from growbox_tui.models.catalog import chat_names
from growbox_tui.models.factory import BUNDLED
from growbox_tui.models.providers import PROVIDERS, key_of, url_of
from growbox_tui.models.reachability import is_address, is_loopback

_NONE: Mapping[str, str] = MappingProxyType({})


def offered(
    env: Mapping[str, str],
    *,
    base_urls: Mapping[str, str] = _NONE,
    key_envs: Mapping[str, str] = _NONE,
) -> list[str]:
    """For each hosted provider that can be asked its usual model, then all that the table lists
    for it; last the bundled model, which needs no key.

    A provider can be asked whose key is in the environment, or whose base URL is one of this
    machine. ``base_urls`` and ``key_envs`` are as for ``choose``.
    """
    names = []
    for provider in PROVIDERS.values():
        url = url_of(provider, env, base_urls)[1]
        hosted = not is_loopback(provider.base_url)
        open_here = hosted and is_address(url) and is_loopback(url)
        key = key_of(provider.name, provider.key_names, env, key_envs)[1]
        if key or (open_here and provider.name not in key_envs):
            usual = [f"{provider.name}/{provider.model}"] if provider.model else []
            names += [*usual, *chat_names(provider.name)]
    return list(dict.fromkeys([*names, BUNDLED]))
