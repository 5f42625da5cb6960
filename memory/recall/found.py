"""Found: a place that some step of the ladder brought, and what is shown first. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from memory.recollection import Rung

SHOWN: tuple[Rung, ...] = ("jumps", "pins", "pointers", "anchors", "near", "scan", "reading")
"""Of what is as sure, what is shown first."""


@dataclass(slots=True)
class Found:
    """What is known of a place while a question climbs."""

    rung: Rung
    """The step that brought it."""
    score: float = 0.0
    """Comparable with others of the same step only."""
    ways: tuple[str, ...] = ()
    key: str = ""
    """The past question by which a pointer led here."""
    confirmed: bool = False
    """Whether a judge said yes."""
    placeholder: bool = False
    """Whether only the approximate index brought it."""


def order(found: Found, place: int) -> tuple[int, int, float, int]:
    """Sorts best first: where the user pointed, what was confirmed, where pointers lead, the rest;
    among these by step and score, and the newest first."""
    if found.rung == "jumps":
        group = 0
    else:
        group = 1 if found.confirmed else 2 if found.rung == "pointers" else 3
    return group, SHOWN.index(found.rung), -found.score, -place
