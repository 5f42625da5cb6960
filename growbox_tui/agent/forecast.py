"""Forecast: what a cache should serve of a prompt, and the same beside its report."""

from __future__ import annotations

from dataclasses import dataclass

from growbox_tui.agent.events import SegmentView, Shortfall


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a cache should serve of a prompt. All in the provider's tokens, as far as known."""

    segments: tuple[SegmentView, ...]
    tokens: int
    """What should be served."""
    cause: str
    """Why that is less than ``bound``, in words; empty where it is not."""
    kind: Shortfall = ""
    bound: int = 0
    """What was sent before, in whatever place: what the best cache could serve."""
    total: int = 0
    """The whole prompt."""
    most: int = 0
    """What would be served if requests that were never finished had been cached."""
    at: float = 0.0
    """When it is sent, in seconds."""
    told: tuple[int, int] | None = None
    """(whole prompt, served) as the voice itself foresaw them."""


@dataclass(frozen=True, slots=True)
class Settled:
    """A forecast beside its report."""

    predicted: int
    """The forecast again, now that the provider told how large the prompt is."""
    bound: int
    kind: Shortfall
    cause: str
    gap: float | None
    """Seconds since the request before; ``None`` for the first."""
    long_written: int = 0
    """Tokens of ``Usage.cache_write`` that went into entries that live long."""
