"""Cache rules: what a provider's prompt cache promises, as figures that a forecast can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

CacheKind = Literal["none", "prefix", "marks", "units", "slot"]
"""``prefix``: any leading part, in steps. ``marks``: only up to where a request asked for an entry.
``units``: only whole stored requests and replies. ``slot``: the one prompt that came last."""


@dataclass(frozen=True, slots=True)
class CacheRules:
    """One provider's cache. Prices are shares of the input price."""

    kind: CacheKind
    ttl_s: float
    """Seconds that an entry lives after it was last written or read."""
    min_tokens: int = 0
    """A shorter prefix is not served."""
    step: int = 1
    """Served tokens are a multiple of this."""
    max_marks: int = 4
    """Entries that one request may write."""
    lookback: int | None = None
    """Content blocks that a mark looks back over for an older entry; ``None`` is all of them."""
    read_marks: int = 0
    """Marks that one request may offer for reading, where more than are written."""
    implicit: bool = False
    """Whether the provider sets a mark of its own at the newest user or tool message."""
    caches_reply: bool = False
    """Whether the reply is cached behind its prompt."""
    read: float = 0.1
    write: float = 1.0
    long_ttl_s: float | None = None
    """Seconds of a long entry, where there are such."""
    long_write: float = 2.0
    reports: bool = True
    """Whether usage tells what was served."""
