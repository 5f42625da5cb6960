"""Story: a session's requests as the cache saw them, one row each, and what they come to.

Pure. Every figure is in the provider's own tokens where the provider reported, else estimated.
What is not known is ``None`` in a row and is counted in the totals, never taken for zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from growbox_tui.agent.events import Shortfall


@dataclass(frozen=True, slots=True)
class StoryRow:
    """One request."""

    request: int
    """Counts requests of the session from 1."""
    at: int
    """When it was answered, milliseconds since the epoch."""
    model: str
    epoch: int
    tokens: int
    """Of the whole prompt."""
    predicted: int
    reported: int | None
    """Tokens that the cache served; ``None`` when the provider did not say."""
    bound: int
    """Tokens that were sent before in any place: what the best cache could serve."""
    kind: Shortfall
    cause: str
    cost: float | None
    """US dollars."""
    saved: float | None
    """US dollars less than without a cache; below zero where writing cost more than it brought."""
    lost: float | None
    """US dollars more than if the cache had served the bound."""

    @property
    def avoidable(self) -> int:
        """Tokens that could have been served and were not; none where nothing was reported."""
        return 0 if self.reported is None else max(0, self.bound - self.reported)

    @property
    def missed(self) -> bool:
        """Whether less was served than the forecast said, or the prefix broke."""
        return self.kind not in ("", "first", "step", "minimum", "not reported")


@dataclass(frozen=True, slots=True)
class Totals:
    """What some requests come to."""

    requests: int = 0
    unreported: int = 0
    """Requests of which the provider did not say what was served. The tokens leave them out."""
    unpriced: int = 0
    """Requests whose price is not known. The dollars leave them out."""
    tokens: int = 0
    served: int = 0
    bound: int = 0
    avoidable: int = 0
    cost: float = 0.0
    saved: float = 0.0
    lost: float = 0.0

    @property
    def hit(self) -> float | None:
        """The served share of the tokens, 0 to 1; ``None`` where nothing was reported."""
        return self.served / self.tokens if self.tokens else None


@dataclass(frozen=True, slots=True)
class Story:
    """A session's requests, oldest first, and what this session, today and all time come to."""

    rows: tuple[StoryRow, ...] = ()
    session: Totals = Totals()
    today: Totals = Totals()
    ever: Totals = Totals()


def total(rows: Iterable[StoryRow]) -> Totals:
    """What the rows come to."""
    told = tuple(rows)
    reported = [row for row in told if row.reported is not None]
    priced = [row for row in told if row.cost is not None]
    return Totals(
        requests=len(told),
        unreported=len(told) - len(reported),
        unpriced=len(told) - len(priced),
        tokens=sum(row.tokens for row in reported),
        served=sum(row.reported or 0 for row in reported),
        bound=sum(row.bound for row in reported),
        avoidable=sum(row.avoidable for row in reported),
        cost=sum(row.cost or 0.0 for row in priced),
        saved=sum(row.saved or 0.0 for row in priced),
        lost=sum(row.lost or 0.0 for row in priced),
    )
