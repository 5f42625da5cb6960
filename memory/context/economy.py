"""Economy: how large tail and region may grow, from what the provider charges. Pure.

Everything here is in estimated tokens, and prices are shares of the price of one uncached input
token. A prefix that is served costs ``read`` each time; one that must be written anew ``write``.

The law of all of it is that of the economic order quantity. Ending an epoch costs a set-up: what
is kept behind the edit is written anew, ``(write - read)`` dearer than being read. Not ending it
costs a holding: ``read`` on each call for what could have gone. The sum of the two is least where
the amount ordered at once is the root of twice the demand times set-up over holding, and it is
flat there: half or twice the amount costs a quarter more of a small part of the bill.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory.types import Budget

START_RATE = 700.0
"""Tokens that a call appends, before any was seen: the mean of recorded sessions of coding agents
(a reply, its results, now and then a question)."""

RATE_PRIOR = 8
"""Calls that the starting rate counts for."""

RATE_MEMORY = 64
"""Calls over which the rate is averaged in the long run. One giant of 10,000 tokens moves it by
150, and the slack by a tenth."""

TAIL_LOW_SHARE = 0.056
"""Of the window: what an epoch keeps of the conversation, word for word. Each token of it is
written anew at every epoch's end, so it is the price of a large tail: of 64,000 it is 3,600, which
hold the last exchanges whole and, with a gap of an eighth, never less than 3,100."""

TAIL_LOW_LEAST = 3_000
"""Tokens of raw conversation below which a model loses the thread; small windows give a quarter."""

SLACK = 1.3
"""Times the cheapest slack. Over recorded sessions that costs 3 % of the input bill, saves a fifth
of the rewrites and the user's waiting for them, and shows the model a quarter more of the
conversation word for word; half as much again costs 2 % more for 0.1 points of hit ratio."""

TAIL_SHARE = 0.6
"""Of what is left beside tools and system: the most that the tail may take, however cheap reads
are. A local model reads for nothing, and the root would grow without end."""

LEAST_SLACK_SHARE = 1 / 8
"""Of what is left beside tools and system: the least slack, however dear reads are. A tail that
moves at every call is the one thing that no cache can serve."""

REGION_SHARE = 0.52
"""Of the window: the region. It is read on each call, and what it holds is what is left of a long
session: 33,000 of 64,000, of which the mean prompt of recorded sessions holds 19,000."""

SWEEP = 2.0
"""Times the cheapest batch that a sweep takes out of the region, for the same reasons as ``SLACK``:
behind the first hole of a sweep all is written anew, which is the longest wait that there is."""

REGION_LEAST = 0.54
"""Of the region: what a sweep leaves at least, so that no memory is lost to arithmetic. Of 64,000
it is 18,000: with 6,000 of tools and system text a sweep is still served a fifth of what it
repeats."""

CHAIN_SHARE = 0.5
"""Of a swept region: lines. The other half is excerpts, memories, and what stands."""

CONDENSE_MOST = 0.6
"""Of what leaves the tail: what an empty region keeps of it. There is room, and a session that
begins to forget has no other place for what it knew."""

CONDENSE_LEAST = 0.08
"""The same once the region is full: every token that comes in then is written, drives another one
out, and brings the next sweep nearer. With a share of 0.2 throughout, a session of the same bill
carries a tenth less of its past."""

RESERVE_SHARE = 1 / 64
"""Of the window: left empty, since tokens are estimated."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a provider's cache charges, as shares of the price of an uncached input token."""

    read: float = 0.1
    """For a token that was served; 0 for a local model, 1 where nothing is cached."""
    write: float = 1.25
    """For a token that is written anew; 1 where there is no surcharge."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.read) and math.isfinite(self.write)):
            raise ValueError("a price is a finite number")
        if self.read < 0 or self.write < 0:
            raise ValueError("a price is not below 0")

    @property
    def set_up(self) -> float:
        """What a token costs more when it is written than when it is read; 0 if it does not."""
        return max(0.0, self.write - self.read)


@dataclass(frozen=True, slots=True)
class AppendRate:
    """Tokens that one call appends to the prompt: a mean in which the past fades."""

    tokens: float = START_RATE
    calls: int = 0
    """How many calls it was learnt from."""

    def after(self, appended: int) -> AppendRate:
        """The rate once one more call has appended so many tokens (below 0 counts as 0)."""
        weight = 1 / min(RATE_MEMORY, RATE_PRIOR + self.calls + 1)
        return AppendRate(self.tokens + weight * (max(0, appended) - self.tokens), self.calls + 1)

    def to_plain(self) -> dict[str, float]:
        """For the memory file."""
        return {"tokens": self.tokens, "calls": self.calls}

    @classmethod
    def from_plain(cls, plain: Mapping[str, float]) -> AppendRate:
        """What ``to_plain`` gave. Raises ``KeyError`` or ``ValueError`` for anything else."""
        tokens, calls = float(plain["tokens"]), int(plain["calls"])
        if not math.isfinite(tokens) or tokens < 0 or calls < 0:
            raise ValueError(f"no append rate: {dict(plain)}")
        return cls(tokens, calls)


def order_quantity(demand: float, set_up: float, holding: float) -> float:
    """The amount at which set-up and holding cost the same, so that their sum is least.

    Args:
        demand: units used in one step.
        set_up: cost of one order.
        holding: cost of one unit for one step; at 0 the answer is infinite.
    """
    if demand <= 0 or set_up <= 0:
        return 0.0
    return math.inf if holding <= 0 else math.sqrt(2 * demand * set_up / holding)


def ring_slack(rate: float, low: float, prices: Prices) -> float:
    """By how much the tail may outgrow ``low`` tokens at the least cost: ``x*``.

    Each end of an epoch writes the kept ``low`` tokens anew; each call reads, on average, half of
    the slack. ``rate``: tokens that a call appends. Infinite where reads are free.
    """
    return order_quantity(rate, prices.set_up * low, prices.read)


def region_batch(growth: float, kept: float, prices: Prices) -> float:
    """How much one sweep takes out of the region at the least cost: ``y*``.

    ``growth``: tokens that a call adds to the region in the long run; ``kept``: tokens behind the
    first hole of a sweep, which are written anew.
    """
    return order_quantity(growth, prices.set_up * kept, prices.read)


def budget(
    window: int,
    fixed: int,
    rate: AppendRate | float,
    prices: Prices,
    *,
    region: int | None = None,
    tail: int | None = None,
    filled: int = 0,
) -> Budget:
    """How much of everything a prompt may hold.

    Args:
        window: tokens of the whole prompt, the reply's room left out already.
        fixed: tokens of tools, system and rules.
        rate: tokens that a call appends.
        region: tokens that the user wants the region to have; ``None`` is a share of the window.
        tail: tokens of conversation that an epoch shall keep; ``None`` is a share of the window.
        filled: tokens that stand in the region: the fuller, the less is kept of what leaves.

    All of it fits as long as ``fixed`` does. Raises ``ValueError`` for a window below 1.
    """
    if window < 1:
        raise ValueError(f"a window of {window} tokens holds nothing")
    appended = rate.tokens if isinstance(rate, AppendRate) else rate
    room = max(0, window - fixed - math.ceil(window * RESERVE_SHARE))
    low = _tail_low(window, room) if tail is None else max(0, min(tail, room // 3))
    slack = max(SLACK * ring_slack(appended, low, prices), room * LEAST_SLACK_SHARE)
    high = int(min(low + slack, room * TAIL_SHARE))
    wanted = int(window * REGION_SHARE) if region is None else max(0, region)
    region_high = min(wanted, room - high)
    kept = (region_high + low + high) / 2
    batch = SWEEP * region_batch(appended * CONDENSE_LEAST, kept, prices)
    region_low = int(max(region_high - batch, region_high * REGION_LEAST))
    sizes = Budget(window, low, high, region_low, region_high, int(region_low * CHAIN_SHARE))
    return replace(sizes, condense=_condense(filled, region_low))


def _tail_low(window: int, room: int) -> int:
    """A share of the window, but not less than a model needs, and never most of the room."""
    wanted = max(window * TAIL_LOW_SHARE, min(TAIL_LOW_LEAST, window / 4))
    return int(min(wanted, room / 3))


def _condense(filled: int, region_low: int) -> float:
    """The share that stays of what leaves the tail, falling as the region fills."""
    full = min(1.0, max(0, filled) / max(1, region_low))
    return CONDENSE_MOST - full * (CONDENSE_MOST - CONDENSE_LEAST)
