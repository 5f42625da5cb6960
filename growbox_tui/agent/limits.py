"""Limits: how much of everything a conversation takes, and what models teach us of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of everything."""

    steps: int = 200
    """Replies in one turn."""
    result_chars: int = 16_000
    """Characters of a tool result that the model reads; the whole is kept by reference."""
    item_tokens: int = 300
    """Tokens of one recalled memory in the prompt."""
    recall_tokens: int = 1_500
    """Tokens that one recall may add to the prompt."""
    pin_tokens: int = 1_000
    """Tokens of a memory that the user pins or notes."""
    attach_chars: int = 120_000
    """Characters of all files mentioned in one message."""
    unknown_context: int = 128_000
    """Context window assumed where a model's is not known."""
    repairs: int = 3
    """Replies in a row in which every call was broken, after which the turn fails."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user set of the prompt's size."""

    window: int | None = 64_000
    """Tokens of a prompt; ``None`` for all that the model takes."""
    region: float | None = None
    """What the region may take: a share of the prompt up to 1, tokens above; ``None`` leaves it
    to the economy."""
    policy: Literal["literal", "soft", "hard"] = "literal"
    """How lines of what the user added while the agent ran are guarded in a sweep: as any other,
    until nothing else is left, or for good."""


@dataclass(frozen=True, slots=True)
class KeepWarm:
    """What the user wants done for a cache between turns. Nothing is, unless asked for."""

    keep_alive: bool = False
    """Read the prompt again shortly before its cache expires."""
    ceiling: float = 0.50
    """US dollars that this may cost between two turns."""
    nap: bool = False
    """Nap shortly before the cache expires."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a model showed of itself when it refused a request."""

    context: int | None = None
    """Tokens of its context window, where its server stated or implied them."""
    tools: bool = True
    """Whether it takes requests that offer hands."""
    ratio: float = 1.0
    """The model's own tokens for one estimated token, as its provider last reported."""
