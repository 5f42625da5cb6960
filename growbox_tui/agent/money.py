"""Money: what a request cost, and what a cache saved of it. US dollars; unknown stays unknown."""

from __future__ import annotations

from dataclasses import dataclass

from growbox_tui.agent.messages import Usage
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import ModelFacts


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars a token; ``None`` is not known."""

    input: float | None
    output: float | None
    read: float | None
    write: float | None
    long_write: float | None

    def to_plain(self) -> list[float | None]:
        """For the memory file."""
        return [self.input, self.output, self.read, self.write, self.long_write]


@dataclass(frozen=True, slots=True)
class Bill:
    """What one request came to."""

    cost: float | None = None
    saved: float | None = None
    """Less than without a cache; below zero where writing cost more than reading brought."""
    lost: float | None = None
    """More than if the cache had served all that was sent before."""


def prices(facts: ModelFacts, rules: CacheRules) -> Prices:
    """A model's prices. A price list that says nothing, or zero, of writing means with a cache by
    marks that the provider's own rule holds (unknown where it says nothing), and with any other
    that what is stored costs what any input does."""
    plain, write = facts.input_price, facts.cache_write_price
    if plain is not None and not write:
        by_marks = rules.kind == "marks"
        write = plain * rules.write if by_marks and write == 0 else None if by_marks else plain
    lasting = None if plain is None or write is None else plain * rules.long_write
    return Prices(plain, facts.output_price, facts.cache_read_price, write, lasting)


def bill(price: Prices, usage: Usage, *, long_written: int = 0, bound: int = 0) -> Bill:
    """What a request came to, as far as prices and counts are known.

    ``long_written`` is the part of ``usage.cache_write`` that went into entries that live long,
    ``bound`` what was sent before.
    """
    if usage.input is None or usage.output is None or price.input is None or price.output is None:
        return Bill()
    read, write = usage.cache_read or 0, usage.cache_write or 0
    long = min(long_written, write)
    fresh = max(0, usage.input - read - write)
    parts = ((read, price.read), (write - long, price.write), (long, price.long_write))
    if any(tokens and each is None for tokens, each in parts):
        return Bill()
    spoken = usage.output * price.output
    stored = sum(tokens * (each or 0.0) for tokens, each in parts[1:])
    unserved = fresh * price.input + stored
    cost = unserved + read * (price.read or 0.0) + spoken
    saved = usage.input * price.input + spoken - cost
    if usage.cache_read is None:
        return Bill(cost)
    missing, left = max(0, min(bound, usage.input) - read), usage.input - read
    lost = None
    if not missing:
        lost = 0.0
    elif price.read is not None:
        lost = missing * (unserved / left - price.read)
    return Bill(cost, saved, lost)
