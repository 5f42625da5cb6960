"""Settings: defaults < config file < environment < flags; each value knows where it came from."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

Source = Literal["default", "file", "environment", "flag"]


class SettingsError(Exception):
    """A setting is wrong: ``text`` names the file, line and key, ``hint`` what to do."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can set."""

    config: Path
    """The config file; it need not exist."""
    data: Path
    """The folder of the memory file."""
    memory: Path
    """The memory file."""
    model: str = ""
    """``provider/name``; empty takes what is found."""
    theme: str = "growbox-dark"
    """A theme's name."""
    base_urls: Mapping[str, str] = field(default_factory=dict)
    """Provider → base URL, from ``[providers.NAME] base_url``."""
    key_envs: Mapping[str, str] = field(default_factory=dict)
    """Provider → name of the environment variable that holds its key (``key_env``)."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Setting → where its value came from; absent is ``default``."""

    @property
    def theme_folder(self) -> Path:
        """Where a user's own themes lie."""
        return self.config.parent / "themes"


def load(env: Mapping[str, str], **flags: str | None) -> Settings:
    """All settings. Flags: ``model``, ``theme``, ``memory``. Raises ``SettingsError``."""
    settings = _places(env)
    if settings.config.exists():
        settings = _from_file(settings)
    given = {"model": env.get("GROWBOX_MODEL"), "theme": env.get("GROWBOX_THEME")}
    for values, source in ((given, "environment"), (flags, "flag")):
        for name, value in values.items():
            if value:
                settings = _with(settings, name, value, source)  # type: ignore[arg-type]
    return settings


def _places(env: Mapping[str, str]) -> Settings:
    home = env.get("GROWBOX_HOME")
    if home:
        root = Path(home).expanduser().resolve()
        return Settings(root / "config.toml", root, root / "memory.db")
    from platformdirs import user_config_path, user_data_path

    data = user_data_path("growbox")
    return Settings(user_config_path("growbox") / "config.toml", data, data / "memory.db")


def _with(settings: Settings, name: str, value: str, source: Source) -> Settings:
    typed: Any = Path(value).expanduser().resolve() if name == "memory" else value
    changed = replace(settings, sources={**settings.sources, name: source})
    return replace(changed, **{name: typed})


_KEYS = ("model", "theme", "memory", "providers")
_PROVIDER_KEYS = ("base_url", "key_env")


def _from_file(settings: Settings) -> Settings:
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
    for key, value in body.items():
        if key not in _KEYS:
            raise _unknown(path, text, key, _KEYS)
        if key == "providers":
            settings = _providers(settings, text, value)
        elif isinstance(value, str):
            settings = _with(settings, key, value, "file")
        else:
            raise _wrong_type(path, text, key, "a text in quotes")
    return settings


def _providers(settings: Settings, text: str, value: Any) -> Settings:
    if not isinstance(value, dict):
        raise _wrong_type(settings.config, text, "providers", "tables: [providers.openai]")
    urls: dict[str, str] = {}
    keys: dict[str, str] = {}
    for provider, table in value.items():
        if not isinstance(table, dict):
            raise _wrong_type(settings.config, text, provider, f"a table: [providers.{provider}]")
        for key, entry in table.items():
            if key not in _PROVIDER_KEYS:
                raise _unknown(settings.config, text, key, _PROVIDER_KEYS)
            if not isinstance(entry, str):
                raise _wrong_type(settings.config, text, key, "a text in quotes")
            (urls if key == "base_url" else keys)[provider] = entry
    return replace(settings, base_urls=urls, key_envs=keys)


def line_of(text: str, key: str) -> int:
    """The line, counted from 1, on which a key is first set; 0 when it is not found."""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip().lstrip("[").replace('"', "")
        if bare.split("=")[0].strip(" ]").split(".")[-1] == key:
            return number
    return 0


def _unknown(path: Path, text: str, key: str, known: tuple[str, ...]) -> SettingsError:
    near = difflib.get_close_matches(key, known, 1, 0.5)
    hint = f"Did you mean “{near[0]}”?" if near else f"Known keys: {', '.join(known)}."
    return SettingsError(f"{path}, line {line_of(text, key)}: no setting is called “{key}”.", hint)


def _wrong_type(path: Path, text: str, key: str, wanted: str) -> SettingsError:
    line = line_of(text, key)
    return SettingsError(f"{path}, line {line}: “{key}” must be {wanted}.", "Mend that line.")


def save(settings: Settings, key: str, value: str) -> None:
    """Set one top-level key in the config file, leaving everything else in it as it stands.

    Raises ``SettingsError`` when the file cannot be written.
    """
    path = settings.config
    line = f'{key} = "{value.translate({34: chr(92) + chr(34), 92: chr(92) * 2})}"'
    try:
        lines = path.read_text("utf-8").split("\n") if path.exists() else []
        head = next((n for n, old in enumerate(lines) if old.lstrip().startswith("[")), len(lines))
        at = next((n for n in range(head) if lines[n].split("=")[0].strip() == key), None)
        if at is None:
            lines.insert(head if head < len(lines) else 0, line)
        else:
            lines[at] = line
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_suffix(".toml.new")
        fresh.write_text("\n".join(lines).rstrip("\n") + "\n", "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}", "The setting holds for this run only."
        ) from error
