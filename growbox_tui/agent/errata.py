"""Errata: what has changed of what stands in front of the conversation, told behind it.

Editing the front of a prompt costs all that a cache holds of it. So a change there travels as a
note with the user's next words, and comes to stand in the front when that is written anew anyway.
Until then each further epoch carries what differs. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import unified_diff
from typing import Any

GONE = "[No rule any more:]"
CONTEXT = 2
"""Lines around each change of the instructions that a note quotes."""


@dataclass(frozen=True, slots=True)
class Front:
    """What can change in front of a conversation while it goes on."""

    instructions: str = ""
    """The block of ``AGENTS.md`` and the like; empty where there is none."""
    rules: tuple[str, ...] = ()
    """The user's rules, one line each."""
    hands: tuple[str, ...] = ()
    """Canonical JSON of the hands that arrived later."""


@dataclass(frozen=True, slots=True)
class Errata:
    """What the model has been told of the front, and where."""

    stands: Front = field(default_factory=Front)
    """What the prompt begins with."""
    told: Front = field(default_factory=Front)
    """That, with all notes since."""

    def to_plain(self) -> dict[str, Any]:
        """For the memory file."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: Any) -> Errata:
        """What ``to_plain`` gave."""
        return cls(_front(plain["stands"]), _front(plain["told"]))


def _front(plain: Any) -> Front:
    return Front(plain["instructions"], tuple(plain["rules"]), tuple(plain["hands"]))


def written(now: Front) -> Errata:
    """Once the front has been written anew. Late hands never come to stand there."""
    front = replace(now, hands=())
    return Errata(front, front)


def corrections(before: Front, now: Front) -> tuple[str, ...]:
    """What is to be told to whoever knows ``before``; nothing where nothing has changed."""
    told = (
        _instructions(before.instructions, now.instructions),
        _rules(before.rules, now.rules),
        _hands(before.hands, now.hands),
    )
    return tuple(text for text in told if text)


def _instructions(before: str, now: str) -> str:
    if before == now:
        return ""
    if not now:
        return "[The project instructions were taken away: they do not hold any more.]"
    if not before:
        return f"[Project instructions have been added:]\n{now}"
    rows = list(unified_diff(before.split("\n"), now.split("\n"), n=CONTEXT, lineterm=""))[2:]
    diff = "\n".join(rows)
    if len(diff) >= len(now):
        return f"[The project instructions have changed. They now read:]\n{now}"
    return f"[The project instructions have changed. What is new holds:]\n{diff}"


def _rules(before: Sequence[str], now: Sequence[str]) -> str:
    added = [f"- {rule}" for rule in now if rule not in before]
    gone = [f"- {rule}" for rule in before if rule not in now]
    parts = ["[A rule of the user's, from now on:]", *added] if added else []
    parts += [GONE, *gone] if gone else []
    return "\n".join(parts)


def _hands(before: Sequence[str], now: Sequence[str]) -> str:
    added = [text for text in now if text not in before]
    names = {_name(text) for text in now}
    gone = [name for name in map(_name, before) if name not in names]
    parts = ["[Tools that came later; use them through call_tool:]", *added] if added else []
    parts += [f"[Tools that are not there any more: {', '.join(gone)}]"] if gone else []
    return "\n".join(parts)


def _name(text: str) -> str:
    return str(json.loads(text)["name"])
