"""Limits: how much of everything a conversation takes, and what models teach us of theirs."""

from __future__ import annotations

from dataclasses import dataclass


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
    attach_chars: int = 120_000
    """Characters of all files mentioned in one message."""
    unknown_context: int = 128_000
    """Context window assumed where a model's is not known."""
    full: float = 0.85
    """Share of the usable window at which an epoch ends."""
    keep: float = 0.4
    """Share of it that the tail keeps then."""
    region: float = 0.1
    """Share of it that remembered nodes keep then."""
    repairs: int = 3
    """Replies in a row in which every call was broken, after which the turn fails."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a model showed of itself when it refused a request."""

    context: int | None = None
    """Tokens of its context window, where its server stated or implied them."""
    tools: bool = True
    """Whether it takes requests that offer hands."""
    ratio: float = 1.0
    """The model's own tokens for one estimated token, as its provider last reported."""
