"""Shown memories: what the panel and the last recall show, as things that a pin can take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, WindowItemView


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory on the screen."""

    address: str
    label: str
    at: str
    """UTC, ``YYYY-MM-DD HH:MM``."""
    pinned: bool


def shown_memories(window: Sequence[WindowItemView], hits: Sequence[HitView]) -> list[Shown]:
    """Each memory once: those before the model, hottest first, then those of the last recall."""
    found = {item.address: Shown(item.address, item.label, item.at, item.pinned) for item in window}
    for hit in hits:
        found.setdefault(hit.address, Shown(hit.address, hit.text, hit.at, False))
    return list(found.values())


def matching(memories: Sequence[Shown], words: str) -> list[Shown]:
    """The memory of this address, else those whose label holds every word, in any case."""
    words = words.strip()
    if exact := [memory for memory in memories if memory.address == words]:
        return exact
    parts = words.casefold().split()
    return [memory for memory in memories if all(part in memory.label.casefold() for part in parts)]
