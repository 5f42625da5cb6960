"""Themes: TOML files to Textual themes.

A file's keys are the fields of Textual's ``Theme``, and ``[variables]`` holds what its style
sheets call ``$name``: Textual's own variables and growbox's (``OWN``). Only ``name`` and
``primary`` are required. A theme with a mistake is told of and left out; the others load.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from growbox_tui.theme_colours import COLOURS, completed, derived

if TYPE_CHECKING:
    from textual.theme import Theme

BUNDLED = ("growbox-dark", "growbox-light", "moss", "paper", "contrast")
DEFAULT = BUNDLED[0]

OWN: dict[str, str] = {
    "prefix-hit": "#2A6B45",
    "prefix-hit-text": "#F1F8F3",
    "prefix-new": "#E3B23C",
    "prefix-new-text": "#1B1503",
    "prefix-broken": "#A83A26",
    "prefix-broken-text": "#FFF3F0",
    "heat-hot": "#7BB661",
    "heat-warm": "#5F9A6C",
    "heat-cool": "#6F8077",
}
"""Our variables, with what stands in where no theme of ours is active."""

STYLE_WORDS = frozenset(
    {"none", "not", "bold", "b", "dim", "d", "italic", "i", "underline", "u", "strike", "s",
     "reverse", "r", "blink"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loaded:
    """The themes that can be used, and a sentence for each mistake found on the way."""

    themes: list[Theme]
    problems: list[str]


class _Mistake(Exception):
    """What is wrong with a theme, and with which key (empty: with the file as a whole)."""

    def __init__(self, key: str, words: str, section: str = "") -> None:
        super().__init__(words)
        self.key = key
        self.words = words
        self.section = section


def variable_defaults() -> dict[str, str]:
    """Our own variables for ``App.get_theme_variable_defaults``."""
    return dict(OWN)


def load_themes(folders: Iterable[Path] = ()) -> Loaded:
    """The bundled themes, then every ``*.toml`` of ``folders`` in the order of their names.

    A later theme takes the place of an earlier one of the same name. Never raises: a file that
    cannot be read or is wrong becomes a sentence in ``problems``, and a missing folder is empty.
    """
    found: dict[str, Theme] = {}
    problems: list[str] = []
    bundled = resources.files("themes")
    files: list[tuple[str, Traversable]] = [
        (f"{name}.toml", bundled / f"{name}.toml") for name in BUNDLED
    ]
    for folder in folders:
        files += [(str(path), path) for path in sorted(folder.glob("*.toml"))]
    for shown, file in files:
        try:
            theme = parse_theme(shown, file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{shown}: the theme cannot be read: {error}")
        except ValueError as error:
            problems.append(str(error))
        else:
            found[theme.name] = theme
    return Loaded(list(found.values()), problems)


def names_theme(problems: Iterable[str], name: str) -> bool:
    """Whether one of the problems is why the theme of this name is missing."""
    return any(re.search(rf"(?:^|[/\\]){re.escape(name)}\.toml\b", words) for words in problems)


def parse_theme(file: str, text: str) -> Theme:
    """The theme that ``text`` describes; ``file`` is only named in errors.

    Raises ``ValueError`` with one sentence: file, line, key, and the nearest right one.
    """
    from textual.theme import Theme

    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(_not_toml(file, text, str(error))) from error
    try:
        _check(body)
    except _Mistake as mistake:
        line = _line_of(text, mistake.key, mistake.section)
        place = f"{file}, line {line}" if line else file
        raise ValueError(f"{place}: {mistake.words}") from mistake
    theme = Theme(**completed(body))
    theme.variables = {**derived(theme), **theme.variables}
    return theme


# ---- checking --------------------------------------------------------------------------------


def _check(body: Mapping[str, Any]) -> None:
    """Raise ``_Mistake`` for the first thing that Textual could not use."""
    kinds: dict[str, Callable[[str, Any], None]] = {
        "name": _check_name,
        "dark": _check_kind(bool, "true or false"),
        "ansi": _check_kind(bool, "true or false"),
        "luminosity_spread": _check_kind(float, "a number such as 0.15"),
        "text_alpha": _check_kind(float, "a number such as 0.95"),
        "variables": _check_variables,
        **dict.fromkeys(COLOURS, _check_colour),
    }
    for key, value in body.items():
        if key not in kinds:
            raise _Mistake(key, f'unknown key "{key}"{_nearest(key, kinds)}')
        kinds[key](key, value)
    for key in ("name", "primary"):
        if key not in body:
            raise _Mistake("", f'the key "{key}" is missing; a theme needs "name" and "primary"')


def _check_name(key: str, value: Any) -> None:
    # Textual reads a comma in a theme's name as a list of names.
    if not isinstance(value, str) or not re.fullmatch(r"[^\s,]+", value):
        raise _Mistake(key, f'"{key}" must be a word without spaces and commas, not {value!r}')


def _check_kind(kind: type[bool] | type[float], words: str) -> Callable[[str, Any], None]:
    def check(key: str, value: Any) -> None:
        fits = isinstance(value, bool) if kind is bool else type(value) in (int, float)
        if not fits:
            raise _Mistake(key, f'"{key}" must be {words}, not {value!r}')

    return check


def _check_colour(key: str, value: Any, section: str = "") -> None:
    from textual.color import Color, ColorParseError

    wrong = _Mistake(
        key, f'"{key}" must be a colour such as "#7BB661" or "teal", not {value!r}', section
    )
    if not isinstance(value, str):
        raise wrong
    try:
        Color.parse(value)
    except ColorParseError as error:
        raise wrong from error


def _check_variables(_key: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise _Mistake("variables", '"variables" must be a table: [variables]')
    known = _variable_names()
    for key, setting in value.items():
        if key not in known:
            words = f'unknown variable "{key}"{_nearest(key, known)}'
            raise _Mistake(key, words, "variables")
        if key in OWN:
            _check_colour(key, setting, "variables")
        elif key.endswith("-style"):
            if not isinstance(setting, str) or not set(setting.split()) <= STYLE_WORDS:
                words = f'"{key}" must be a text style such as "bold underline", not {setting!r}'
                raise _Mistake(key, words, "variables")
        elif not (isinstance(setting, str) and _is_keyword(setting)):
            bare = re.sub(r"\s+\d+(\.\d+)?%$", "", setting) if isinstance(setting, str) else setting
            _check_colour(key, bare, "variables")


def _is_keyword(value: str) -> bool:
    return re.fullmatch(r"auto(\s+\d+(\.\d+)?%)?|initial|transparent", value) is not None


def _variable_names() -> set[str]:
    from textual.theme import Theme

    return set(Theme(name="any", primary="#7BB661").to_color_system().generate()) | set(OWN)


def _nearest(key: str, right: Iterable[str]) -> str:
    """`` (did you mean "accent"?)``, or nothing where no right key comes near."""
    near = difflib.get_close_matches(key, sorted(right), n=1, cutoff=0.5)
    return f' (did you mean "{near[0]}"?)' if near else ""


def _line_of(text: str, key: str, section: str) -> int | None:
    """The line (from 1) that sets ``key`` in ``section``; tomllib keeps no positions."""
    if not key:
        return None
    here = ""
    sets = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*(=|\.)""")
    for number, line in enumerate(text.split("\n"), start=1):
        header = re.match(r"""\s*\[\s*["']?([^\]"']+?)["']?\s*\]""", line)
        if header:
            here = header[1]
            if here == key:
                return number
        elif here == section and sets.match(line):
            return number
    return None


def _not_toml(file: str, text: str, words: str) -> str:
    """The parser's complaint with its place where all our sentences have it."""
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", words)
    if found is None:
        return f"{file}: not valid TOML: {words}"
    line = found[1] or str(len(text.rstrip().split("\n")))
    return f"{file}, line {line}: not valid TOML: {words[: found.start()]}"
