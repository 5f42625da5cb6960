"""Config file: what ``config.toml`` says, checked; each mistake is named with its line."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from growbox_tui.settings import L1Policy, Settings, SettingsError

LEAST_WINDOW = 2_000
"""Tokens of the smallest prompt that can be asked for: tools, system text and a few words."""


def from_file(settings: Settings) -> Settings:
    """The settings with what the config file says. Raises ``SettingsError``."""
    path = settings.config
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"{path} cannot be read: {error}", "Mend or remove the file."
        ) from error
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{path} is not TOML: {error}", "Mend that line, or remove the file."
        ) from error
    return _File(path, text).read(settings, body)


class Unfit(Exception):
    """A value is not of the kind that its key wants; the text says what it wants."""


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise Unfit("a text in quotes")
    return value


def _path(value: Any) -> Any:
    return Path(_text(value)).expanduser().resolve()


def _window(value: Any) -> Any:
    if value == "full":
        return value
    if isinstance(value, bool) or not isinstance(value, int) or value < LEAST_WINDOW:
        raise Unfit(f'a number of tokens from {LEAST_WINDOW:,} on, or "full" in quotes')
    return value


def _region(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Unfit("a share of the window from 0 to 1, such as 0.4, or a number of tokens")
    return float(value)


def _policy(value: Any) -> Any:
    if value not in get_args(L1Policy):
        raise Unfit(f"one of {', '.join(get_args(L1Policy))}, in quotes")
    return value


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return value


def _dollars(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise Unfit("US dollars as a number, such as 0.50")
    return float(value)


Check = Callable[[Any], Any]
"""From a TOML value to the setting's own; raises ``Unfit``."""

_TOP: Mapping[str, Check] = {
    "model": _text,
    "theme": _text,
    "memory": _path,
    "window": _window,
    "region": _region,
    "l1_policy": _policy,
}
_WARMTH: Mapping[str, Check] = {"keep_alive": _flag, "ceiling": _dollars, "nap": _flag}
_SUBCONSCIOUS: Mapping[str, Check] = {"model": _text}
_PROVIDER: Mapping[str, Check] = {"base_url": _text, "key_env": _text}
_KEYS = (*_TOP, "warmth", "subconscious", "providers")


@dataclass(frozen=True, slots=True)
class _File:
    """The file that is read, for naming places in it."""

    path: Path
    text: str

    def read(self, settings: Settings, body: Mapping[str, Any]) -> Settings:
        for key, value in body.items():
            if key == "providers":
                settings = self._providers(settings, value)
            elif key == "warmth":
                for name, entry in self._table(key, value, "a table: [warmth]").items():
                    settings = self._set(settings, name, entry, _WARMTH)
            elif key == "subconscious":
                for name, entry in self._table(key, value, "a table: [subconscious]").items():
                    named = self._checked(name, entry, _SUBCONSCIOUS, tuple(_SUBCONSCIOUS))
                    told = {**settings.sources, key: "file"}
                    settings = replace(settings, subconscious=named, sources=told)
            else:
                settings = self._set(settings, key, value, _TOP, _KEYS)
        return settings

    def _set(
        self,
        settings: Settings,
        key: str,
        value: Any,
        checks: Mapping[str, Check],
        known: tuple[str, ...] = (),
    ) -> Settings:
        checked = self._checked(key, value, checks, known or tuple(checks))
        changed = replace(settings, sources={**settings.sources, key: "file"})
        return replace(changed, **{key: checked})

    def _providers(self, settings: Settings, value: Any) -> Settings:
        urls: dict[str, str] = {}
        keys: dict[str, str] = {}
        tables = self._table("providers", value, "tables: [providers.openai]")
        for provider, table in tables.items():
            said = self._table(provider, table, f"a table: [providers.{provider}]")
            for key, entry in said.items():
                checked = self._checked(key, entry, _PROVIDER, tuple(_PROVIDER))
                (urls if key == "base_url" else keys)[provider] = checked
        return replace(settings, base_urls=urls, key_envs=keys)

    def _table(self, key: str, value: Any, wanted: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(key, wanted)
        return value

    def _checked(
        self, key: str, value: Any, checks: Mapping[str, Check], known: tuple[str, ...]
    ) -> Any:
        if key not in checks:
            raise self._unknown(key, known)
        try:
            return checks[key](value)
        except Unfit as error:
            raise self._wrong(key, str(error)) from None

    def _unknown(self, key: str, known: tuple[str, ...]) -> SettingsError:
        near = difflib.get_close_matches(key, known, 1, 0.5)
        hint = f"Did you mean “{near[0]}”?" if near else f"Known keys: {', '.join(known)}."
        line = line_of(self.text, key)
        return SettingsError(f"{self.path}, line {line}: no setting is called “{key}”.", hint)

    def _wrong(self, key: str, wanted: str) -> SettingsError:
        line = line_of(self.text, key)
        return SettingsError(
            f"{self.path}, line {line}: “{key}” must be {wanted}.", "Mend that line."
        )


def line_of(text: str, key: str) -> int:
    """The line, counted from 1, on which a key is first set; 0 when it is not found."""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip().lstrip("[").replace('"', "")
        if bare.split("=")[0].strip(" ]").split(".")[-1] == key:
            return number
    return 0
