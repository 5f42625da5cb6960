"""Actions: one table of what the user can do, for footer, palette, help and slash commands."""

from __future__ import annotations

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the user can do."""

    name: str
    words: str
    """What it does, as a sentence without an end."""
    key: str = ""
    """Textual's name of its key; several with commas; empty where it has none."""
    footer: str = ""
    """Its word in the footer; empty where it is not shown there."""
    command: str = ""
    """Its slash command with the slash; empty where it has none."""
    arguments: str = ""
    """What may follow the command, for people: ``[model]``."""


ACTIONS: tuple[Action, ...] = (
    Action("send", "Send what you wrote", "enter", "Send"),
    Action("newline", "Begin a new line", "ctrl+j,shift+enter", "Line"),
    Action("stop", "Stop the running turn", "escape", "Stop"),
    Action("help", "Show keys and commands", "f1", "Help", "/help"),
    Action("memory", "Show what is remembered", "f2", "Memory", "/memory"),
    Action(
        "nap",
        "Clear the conversation and the working set; long memory stays",
        "f8",
        "Nap",
        "/nap",
    ),
    Action("open", "Open or close the card in focus, or the last one", "ctrl+o", "Open"),
    Action(
        "resume", "Go on with an earlier conversation", "ctrl+r", "Sessions", "/resume", "[session]"
    ),
    Action("theme", "Choose the colours", "ctrl+t", "Theme", "/theme", "[name]"),
    Action("palette", "Find any command", "ctrl+p", "More"),
    Action("model", "Choose who answers", command="/model", arguments="[provider/name]"),
    Action("new", "Begin a new conversation", command="/new"),
    Action("cost", "Show what this session used and cost", command="/cost"),
    Action("continue", "Let a reply that was cut go on", command="/continue"),
    Action("retry", "Send the last words again", command="/retry"),
    Action("about", "Show version, licence and where growbox comes from", command="/about"),
    Action("page_up", "Scroll the conversation up", "pageup"),
    Action("page_down", "Scroll the conversation down", "pagedown"),
    Action("bottom", "Go to the end of the conversation", "ctrl+end"),
    Action("quit", "Leave growbox", "ctrl+q", command="/quit"),
)

CHIEF_KEYS = (
    "send", "stop", "help", "memory", "nap", "resume", "open", "theme", "newline", "palette"
)  # fmt: skip
"""The footer's order of keys."""


def by_name(name: str) -> Action:
    """The action of this name. Raises ``KeyError``."""
    for action in ACTIONS:
        if action.name == name:
            return action
    raise KeyError(name)


def by_command(word: str) -> Action | None:
    """The action of a slash command (``/nap``), or ``None`` where there is no such command."""
    return next((action for action in ACTIONS if action.command and action.command == word), None)


def commands() -> tuple[Action, ...]:
    """All that have a slash command, in the table's order."""
    return tuple(action for action in ACTIONS if action.command)


def nearest_command(word: str) -> str:
    """The slash command that is spelt most like ``word``; ``/help`` where none is near."""
    known = [action.command for action in commands()]
    return next(iter(difflib.get_close_matches(word.lower(), known, 1, 0.4)), "/help")


def footer_keys() -> list[tuple[str, str]]:
    """(key, label) of the footer, the most needed first and the palette last."""
    chosen = [by_name(name) for name in CHIEF_KEYS]
    return [(action.key.split(",")[0], action.footer) for action in chosen]
