"""Settings: defaults < config file < environment < flags; each value knows where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

Source = Literal["default", "file", "environment", "flag"]
L1Policy = Literal["literal", "soft", "hard"]


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
    window: int | Literal["full"] = 64_000
    """Tokens of a prompt; ``full`` takes all that the model does."""
    region: float | None = None
    """What memories and the past may take of it: a share of the window up to 1, tokens above;
    ``None`` is left to the economy."""
    l1_policy: L1Policy = "literal"
    """How what the user added while the agent ran is guarded when lines of the past are dropped."""
    keep_alive: bool = False
    """Whether the cache is kept alive between turns (``[warmth] keep_alive``)."""
    ceiling: float = 0.50
    """US dollars that this may cost between two turns (``[warmth] ceiling``)."""
    nap: bool = False
    """Whether to nap shortly before the cache expires (``[warmth] nap``)."""
    subconscious: str = ""
    """The model that reads memories exactly (``[subconscious] model``); empty is the bundled one,
    as far as it proves able."""
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
        from growbox_tui.config_file import from_file

        settings = from_file(settings)
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
