"""Story: a session's requests as the cache saw them, one row each, and what they come to.

Every figure is in the provider's own tokens where the provider reported, else estimated. What is
not known is ``None`` in a row and is counted in the totals, never taken for zero.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from growbox_tui.agent.events import Shortfall

NO_MISS = ("", "first", "step", "minimum", "not reported", "surplus", "estimate")
"""Classes of a shortfall at which nothing broke and nobody failed."""


@dataclass(frozen=True, slots=True)
class StoryRow:
    """One request."""

    request: int
    """Counts requests of the session from 1."""
    at: int
    """When it was answered, milliseconds since the epoch, UTC."""
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
        return self.kind not in NO_MISS


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
    pings: tuple[StoryRow, ...] = ()
    """Requests that only kept the cache alive; they have no number, and are in the totals."""


class Records(Protocol):
    """Where the records of requests are kept. ``memory.Memory`` fits it."""

    async def requests(self, session: str) -> list[tuple[int, int, str]]:
        """(milliseconds, epoch, record) of each request of a session, oldest first."""

    async def request_figures(self, names: Sequence[str], since: int = 0) -> list[tuple[Any, ...]]:
        """These fields of the records of all sessions from a time on, oldest first."""


async def read(records: Records, session: str, now: float) -> Story:
    """The story of a session. ``now``: seconds since the epoch; today is the day that it is then
    where we are."""
    kept = await records.requests(session)
    day = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    ever = await records.request_figures(FIGURES)
    today = await records.request_figures(FIGURES, int(day.timestamp() * 1000))
    # In a thread: years of requests take longer than a screen may wait.
    return await asyncio.to_thread(_told, kept, today, ever)


def _told(
    kept: Sequence[tuple[int, int, str]],
    today: Sequence[tuple[Any, ...]],
    ever: Sequence[tuple[Any, ...]],
) -> Story:
    rows = [row(*each) for each in kept]
    return Story(
        rows=tuple(each for each in rows if each.request),
        session=total(rows),
        today=added(today),
        ever=added(ever),
        pings=tuple(each for each in rows if not each.request),
    )


def row(at: int, epoch: int, record: str) -> StoryRow:
    """A request as it was recorded, by this version of growbox or an earlier one."""
    said: dict[str, Any] = json.loads(record)
    read = said.get("cache_read")
    predicted = said.get("predicted") or 0
    return StoryRow(
        request=said.get("request") or 0,
        at=at,
        model=said.get("model") or "",
        epoch=epoch,
        tokens=said.get("input") or said.get("estimated") or 0,
        predicted=predicted,
        reported=read,
        bound=said["bound"] if said.get("bound") is not None else max(predicted, read or 0),
        kind=said.get("kind") or "",
        cause=said.get("cause") or "",
        cost=said.get("cost"),
        saved=said.get("saved"),
        lost=said.get("lost"),
    )


def total(rows: Iterable[StoryRow]) -> Totals:
    """What the rows come to."""
    return added(
        (row.tokens, None, row.predicted, row.reported, row.bound, row.cost, row.saved, row.lost)
        for row in rows
    )


FIGURES = ("input", "estimated", "predicted", "cache_read", "bound", "cost", "saved", "lost")
"""The fields of a record that totals are made of, in the order in which ``added`` takes them."""


def added(figures: Iterable[tuple[Any, ...]]) -> Totals:
    """What records come to, of which only ``FIGURES`` were read."""
    requests = unreported = unpriced = tokens = served = bound = avoidable = 0
    money = [0.0, 0.0, 0.0]
    for size, estimated, predicted, read, told, *dollars in figures:
        requests += 1
        if read is None:
            unreported += 1
        else:
            tokens += size or estimated or 0
            served += read
            before = max(predicted or 0, read) if told is None else told
            bound += before
            avoidable += max(0, before - read)
        if dollars[0] is None:
            unpriced += 1
        else:
            money = [sum_ + (more or 0.0) for sum_, more in zip(money, dollars, strict=True)]
    return Totals(requests, unreported, unpriced, tokens, served, bound, avoidable, *money)
