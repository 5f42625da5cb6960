"""Shown memories: what the panel and the last recall show, to be pinned, let go or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, WindowItemView

Verb = Literal["pin", "unpin", "drop"]
"""What can be done with one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory on the screen."""

    address: str
    label: str
    at: str
    """UTC, ``YYYY-MM-DD HH:MM``."""
    pinned: bool
    leaving: bool = False
    in_message: bool = False
    """Whether it stands in a message of the conversation, and leaves only with that."""


def shown_memories(window: Sequence[WindowItemView], hits: Sequence[HitView]) -> list[Shown]:
    """Each memory once: those before the model, hottest first, then those of the last recall."""
    found = {
        item.address: Shown(
            *(item.address, item.label, item.at, item.pinned, item.leaving),
            in_message=item.place == "tail",
        )
        for item in window
    }
    for hit in hits:
        found.setdefault(hit.address, Shown(hit.address, hit.text, hit.at, False))
    return list(found.values())


def offered(verb: Verb, window: Sequence[WindowItemView], hits: Sequence[HitView]) -> list[Shown]:
    """The memories with which this can be done: only what stands before the model can leave it."""
    match verb:
        case "pin":
            return [memory for memory in shown_memories(window, hits) if not memory.pinned]
        case "unpin":
            return [memory for memory in shown_memories(window, hits) if memory.pinned]
        case "drop":
            return [memory for memory in shown_memories(window, ()) if not memory.leaving]


def matching(memories: Sequence[Shown], words: str) -> list[Shown]:
    """The memory of this address, else those whose label holds every word, in any case."""
    words = words.strip()
    if exact := [memory for memory in memories if memory.address == words]:
        return exact
    parts = words.casefold().split()
    return [memory for memory in memories if all(part in memory.label.casefold() for part in parts)]
