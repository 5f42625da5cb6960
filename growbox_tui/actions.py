"""Actions: one table of what the user can do, for footer, palette, help and slash commands."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal


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
    Action("stop", "Stop the running turn, or go back to writing", "escape", "Stop"),
    Action("help", "Show keys and commands", "f1", "Help", "/help"),
    Action(
        "memory",
        "Show the map of memory: what was read, learned and owed, and what the model has before it",
        "f2",
        "Memory",
        "/memory",
    ),
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
    Action(
        "grants",
        "Show which commands are always allowed in this folder, or forget them",
        command="/grants",
        arguments="[clear]",
    ),
    Action("cache", "Show what the cache served of each prompt", command="/cache"),
    Action(
        "rules",
        "Show what you stated as rules; add, change or delete them",
        command="/rules",
        arguments="[add TEXT | drop N]",
    ),
    Action(
        "recall",
        "Ask memory, and see each step of the search; dig deeper, or read everything",
        command="/recall",
        arguments="TEXT",
    ),
    Action("why", "Explain how the last recall came about", command="/why"),
    Action(
        "wrong",
        "Say that the last recall, or a memory of it, was not what you meant; it digs deeper",
        command="/wrong",
        arguments="[words or mem://…]",
    ),
    Action(
        "pin",
        "Keep a memory before the model",
        command="/pin",
        arguments="[words or mem://…]",
    ),
    Action("unpin", "Let a pinned memory go", command="/unpin", arguments="[words or mem://…]"),
    Action(
        "drop",
        "Have a memory leave the prompt when this epoch ends",
        command="/drop",
        arguments="[words or mem://…]",
    ),
    Action(
        "remember",
        "Keep words for ever, and let the model read them with your next ones",
        command="/remember",
        arguments="TEXT",
    ),
    Action("compact", "Begin a new epoch now, with a shorter prompt", command="/compact"),
    Action(
        "warm",
        "Keep the prompt cache alive between turns, or let it go; or tell which",
        command="/warm",
        arguments="[on | off]",
    ),
    Action("new", "Begin a new conversation", command="/new"),
    Action("cost", "Show what this session used and cost", command="/cost"),
    Action("continue", "Let the model go on (says “continue”)", command="/continue"),
    Action("retry", "Send the last words again", command="/retry"),
    Action("about", "Show version, licence and where growbox comes from", command="/about"),
    Action("page_up", "Scroll the conversation up", "pageup"),
    Action("page_down", "Scroll the conversation down", "pagedown"),
    Action("bottom", "Go to the end of the conversation", "ctrl+end"),
    Action("quit", "Leave growbox", "ctrl+q", "Quit", "/quit"),
)

Moment = Literal["idle", "running", "asked", "approval", "line", "card", "recall"]
"""``asked``: a question is open and the user writes. ``approval``: an approval has the focus.
``line``: a line to answer in has it. ``card``: a card has it. ``recall``: an open recall card has
it."""

Keys = tuple[tuple[str, str], ...]
_REST: Keys = (
    ("memory", ""), ("nap", ""), ("resume", ""), ("open", ""), ("theme", ""), ("quit", ""),
    ("newline", ""),
)  # fmt: skip
_FOOTERS: dict[Moment, Keys] = {
    "idle": (("send", ""), ("help", ""), *_REST),
    "running": (("send", "Add"), ("stop", ""), ("help", ""), ("quit", ""), *_REST),
    "asked": (
        ("tab", "Answer"),
        ("send", "Add"),
        ("stop", ""),
        ("open", ""),
        ("help", ""),
        ("quit", ""),
        *_REST,
    ),
    "approval": (("open", "Whole"), ("stop", "Write"), ("help", ""), ("quit", "")),
    "line": (("send", "Answer"), ("stop", "Back"), ("help", ""), ("quit", "")),
    "card": (("send", "Open"), ("stop", "Write"), ("help", ""), *_REST),
    "recall": (("send", "Close"), ("w", "Wrong"), ("stop", "Write"), ("help", ""), *_REST),
}
"""Which keys the footer shows at which moment, the most needed first, and what they do then
where that is not what they do as a rule."""


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


def footer_keys(moment: Moment) -> list[tuple[str, str]]:
    """(key, label) of the footer, the most needed first and the palette last."""
    keys: dict[str, str] = {}
    for name, label in (*_FOOTERS[moment], ("palette", "")):
        action = next((action for action in ACTIONS if action.name == name), None)
        key = action.key.split(",")[0] if action else name
        keys.setdefault(key, label or (action.footer if action else ""))
    return list(keys.items())
