"""Fullness: whether an epoch should end, and how small the next one has to start. Pure.

Decided by sizes alone, in estimated tokens, so that whatever replays a conversation decides as the
conversation itself does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.types import Budget

FORCED = (1.0, 0.7, 0.4, 0.2)
"""Shares of the room tried one after another while a prompt stays too large."""
COLD_SLACK = 1.2
"""Times its low mark that tail or region may be at a cold point before that is worth a sweep."""


@dataclass(frozen=True, slots=True)
class Fill:
    """How full a prompt is, in estimated tokens."""

    room: int
    """What a prompt may take."""
    front: int
    """Tools, system text and rules."""
    region: int
    tail: int
    settled: int = 0
    """The tail that the last epoch's end left; 0 where none has ended yet."""

    @property
    def fits(self) -> bool:
        """Whether the whole prompt has room."""
        return self.front + self.region + self.tail <= self.room


def outgrown(fill: Fill, sizes: Budget) -> bool:
    """Whether the tail has outgrown its part, and an end of the epoch would help. A tail that an
    epoch's end left larger than it should be is left until it has grown."""
    unmoved = fill.settled + (sizes.tail_high - sizes.tail_low) // 2 if fill.settled else 0
    return fill.tail > max(sizes.tail_high, unmoved) and fill.front < fill.room


def worth_sweeping(fill: Fill, sizes: Budget) -> bool:
    """Whether an end of the epoch at a cold point would make the prompt much smaller."""
    large = fill.tail > max(sizes.tail_low, fill.settled) * COLD_SLACK
    return large or fill.region > sizes.region_low * COLD_SLACK


def sweeps(fill: Fill, sizes: Budget) -> bool:
    """Whether an epoch's end will sweep the region though the cache is warm."""
    leaving = max(0, fill.tail - sizes.tail_low)
    return fill.region + leaving * sizes.condense > sizes.region_high


def forced(fill: Fill) -> tuple[float, ...]:
    """The shares of the room to try, one after another, until the prompt fits. Where its front
    alone is larger, no share of nothing would make a difference, and one is enough."""
    return FORCED if fill.front < fill.room else FORCED[-1:]


def smaller(fill: Fill, sizes: Budget, share: float) -> Budget:
    """Sizes for a share of what the front leaves of the room; the region is swept as well."""
    left = max(0, int((fill.room - fill.front) * share))
    low = max(1, min(sizes.tail_low, left // 2))
    region = min(sizes.region_low, left // 3)
    return replace(
        sizes,
        tail_low=low,
        tail_high=max(low, left - region),
        region_low=region,
        region_high=region,
        chain=min(sizes.chain, region),
    )
