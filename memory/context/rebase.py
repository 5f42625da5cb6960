"""Rebase: what stands in the region of the next epoch. Pure, but for the summary chain, which is
told to let lines leave where there is no room for all.

While the cache is warm and there is room, what left the tail is only added behind what stands
there already, so the prefix through the old region is still served (an *advance*), up to what the
user dropped. A *sweep* takes out what is not wanted: one hole costs the whole suffix, so the first
hole makes all others free.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from memory.config import HALF_LIFE_EPOCHS
from memory.context.index_queue import IndexQueue
from memory.store.texts import clean
from memory.tokens import estimate
from memory.types import Budget, Item, Line

COLD_SLACK = 1.2
"""Times ``region_low`` that the region may be at a cold point without being swept down to it: what
little is over costs less than the loss of what would go."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """By what is decided."""

    queue: IndexQueue
    """With the nodes of the added items in it."""
    turn: int
    """The newest."""
    epoch: int
    """The number of the one that begins."""
    budget: Budget
    cold: bool
    """Whether no prefix is served any more, so that order costs nothing."""
    standing: frozenset[str]
    """Names of the standing items that still hold."""
    lines: frozenset[str]
    """Names of the items of all lines of the chain."""
    chain: Callable[[int], Iterable[Line]]
    """Lets lines leave until the others take about so many tokens; those others. Asked once at
    most."""


def plan(old: Sequence[Item], added: Sequence[Item], wanted: Wanted) -> tuple[Item, ...]:
    """The items of the next epoch's region, of at most ``budget.region_high`` tokens.

    Args:
        old: items of the epoch that ends, in order.
        added: items of what left the tail, in order; an item that stands already is passed over.
    """
    budget = wanted.budget
    by_name: dict[tuple[str, str], Item] = {}
    for item in (*old, *added):
        by_name.setdefault((item.node, item.kind), item)
    items = list(by_name.values())
    if not wanted.cold and _tokens(items) <= budget.region_high:
        return tuple(_without_dropped(items, wanted))
    items = [item for item in items if not _stale(item, wanted)]
    cold_most = min(budget.region_low * COLD_SLACK, budget.region_high)
    if _tokens(items) > (cold_most if wanted.cold else budget.region_low):
        items = _swept(items, wanted)
    if wanted.cold:
        items = _ordered(items, wanted)
    return tuple(items)


def held(item: Item, wanted: Wanted) -> bool:
    """Whether a sweep must leave the item: pinned, still standing, or found in this turn."""
    if item.kind == "standing":
        return item.node in wanted.standing
    if item.kind != "memory":
        return False
    queue = wanted.queue
    return item.node in queue.pinned or queue.found_in(item.node, wanted.turn)


def _stale(item: Item, wanted: Wanted) -> bool:
    """Whether an item is to go whenever any does."""
    if item.kind == "standing":
        return item.node not in wanted.standing
    if item.kind == "line":
        return item.node not in wanted.lines or item.node in wanted.queue.evicted
    return item.node in wanted.queue.evicted


def _without_dropped(items: Sequence[Item], wanted: Wanted) -> list[Item]:
    """Without what the user dropped; behind that hole nothing has to stay that is to go anyway."""
    dropped = (place for place, item in enumerate(items) if item.node in wanted.queue.evicted)
    first = next(dropped, len(items))
    return [*items[:first], *(item for item in items[first:] if not _stale(item, wanted))]


def _swept(items: Sequence[Item], wanted: Wanted) -> list[Item]:
    """What stays: what is held, then the chain's lines, then the hottest for their size."""
    low, high = wanted.budget.region_low, wanted.budget.region_high
    holding = [item for item in items if held(item, wanted)]
    left = high
    staying: set[tuple[str, str]] = set()
    pins = set(wanted.queue.pinned)
    for item in sorted(holding, key=lambda item: (item.node not in pins, -_worth(item, wanted))):
        if item.tokens <= left:
            staying.add((item.node, item.kind))
            left -= item.tokens
    left = max(0, low - (high - left))
    lines = _lines(items, min(left, wanted.budget.chain), wanted)
    staying |= {(item.node, item.kind) for item in lines}
    left -= _tokens(lines)
    others = [item for item in items if item.kind != "line" and not held(item, wanted)]
    # The newer of two that are wanted alike stays.
    others.reverse()
    for item in sorted(others, key=lambda item: -_worth(item, wanted)):
        if item.tokens <= left:
            staying.add((item.node, item.kind))
            left -= item.tokens
    return [item for item in items if (item.node, item.kind) in staying]


def _lines(items: Sequence[Item], budget: int, wanted: Wanted) -> list[Item]:
    """The lines that the chain keeps, whatever it keeps them by, within a budget: of those that
    it never lets go the newest."""
    names = {line_name(line) for line in wanted.chain(budget)}
    lines = [item for item in items if item.kind == "line" and item.node in names]
    over = _tokens(lines) - budget
    while over > 0:
        over -= lines.pop(0).tokens
    return lines


def line_name(line: Line) -> str:
    """The name of a line's item: its node, or its position where it has none."""
    return line.node or f"line:{line.seq}"


def standing_items(texts: Iterable[str], segment: int) -> list[Item]:
    """One item each, named by its words: a text that stands already is the same item."""
    return [
        Item(
            f"standing:{hashlib.sha256(text.encode()).hexdigest()[:12]}",
            *(text, estimate(text), "standing", segment),
        )
        for text in dict.fromkeys(map(clean, texts))
        if text
    ]


def _worth(item: Item, wanted: Wanted) -> float:
    """Heat for a token, aged by turns and by epochs: in one long turn all would be equally hot.
    What must stand comes before everything."""
    if item.kind == "standing":
        return inf
    fresh: float = 0.5 ** (max(0, wanted.epoch - item.segment) / HALF_LIFE_EPOCHS)
    return wanted.queue.heat(item.node, wanted.turn) * fresh / max(1, item.tokens)


def _ordered(items: Sequence[Item], wanted: Wanted) -> list[Item]:
    """The least likely to change first (Smith's rule, by classes): what is pinned, then by how
    many epochs each has stood; what holds until it is done comes last."""
    pins = set(wanted.queue.pinned)

    def hazard(item: Item) -> tuple[int, int]:
        if item.kind == "memory" and item.node in pins:
            return 0, 0
        return (2, 0) if item.kind == "standing" else (1, item.segment)

    return sorted(items, key=hazard)


def _tokens(items: Iterable[Item]) -> int:
    return sum(item.tokens for item in items)
