"""Meter: runs a layout over a trace against a provider, and counts what was served."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

from tests.bench.cache.layouts import Layout, cut
from tests.bench.cache.providers import Asked, Cache, Provider, Served
from tests.bench.cache.traces import Recorded

PING_SHARE = 0.9
"""Of an entry's life: when a ping refreshes it."""
FULL_MISS = 0.2
"""A call is a full miss when less than this share of what it repeats was served."""


@dataclass(slots=True)
class Count:
    """What some calls come to. Tokens, and US dollars of input."""

    calls: int = 0
    """Model calls for replies."""
    requests: int = 0
    """All requests, housekeeping too; pings left out."""
    pings: int = 0
    total: int = 0
    read: int = 0
    new: int = 0
    """Tokens of contents that had not been sent before in this trace."""
    cost: float = 0.0
    """Pings too."""
    worst: int = 0
    """The most that was not served in one request."""
    largest: int = 0
    """The largest prompt."""
    full_misses: int = 0
    """Full misses that neither the first call nor an expired cache explains."""
    past: int = 0
    """Over all calls: tokens in the prompt about what had left the conversation."""

    @property
    def hit(self) -> float:
        """Per cent of all prompt tokens that were served."""
        return 100 * self.read / max(1, self.total)

    @property
    def bound(self) -> float:
        """Per cent that the best cache could have served: all but what was new."""
        return 100 * (1 - self.new / max(1, self.total))

    @property
    def avoidable(self) -> float:
        """Points between the two."""
        return self.bound - self.hit

    @property
    def of_bound(self) -> float:
        """Per cent of the bound that was reached."""
        return 100 * self.hit / max(1e-9, self.bound)

    @property
    def carried(self) -> float:
        """Tokens about the past in a call's prompt, on average."""
        return self.past / max(1, self.calls)


def pooled(counts: Sequence[Count]) -> Count:
    """The sum of several traces."""
    found = Count()
    for one in counts:
        for name in ("calls", "requests", "pings", "total", "read", "new", "cost"):
            setattr(found, name, getattr(found, name) + getattr(one, name))
        found.full_misses += one.full_misses
        found.past += one.past
        found.worst = max(found.worst, one.worst)
        found.largest = max(found.largest, one.largest)
    return found


@dataclass(slots=True)
class Meter:
    """One trace's run."""

    provider: Provider
    warm: bool
    """Whether pings keep the cache alive while nobody works."""
    count: Count = field(default_factory=Count)
    _cache: Cache = field(init=False)
    _seen: set[Hashable] = field(default_factory=set)
    _last: Asked | None = None
    _alive: float | None = None
    """When an entry was last written or read."""
    _pinged: int = 0
    """Pings since the last request."""

    def __post_init__(self) -> None:
        self._cache = self.provider.cache()

    async def run(self, trace: Sequence[Recorded], layout: Layout) -> Count:
        """Replay the trace: a request before each reply but one that opens the conversation."""
        for place, message in enumerate(trace):
            if message.role == "assistant" and place:
                at = trace[place - 1].at
                await self._keep_alive(at, layout)
                for asked in await layout.ask(at, cut(place, message)):
                    await layout.told(self._send(asked))
                self.count.calls += 1
                self.count.past += layout.past
            elif message.role == "user":
                await self._keep_alive(message.at, layout)
            await layout.take(place, message)
        return self.count

    async def _keep_alive(self, until: float, layout: Layout) -> None:
        """Ping until then, as long as it costs less than the rewrite that it saves."""
        last = self._last
        if not self.warm or last is None or self._alive is None:
            return
        if until - self._alive <= self._cache.ttl:
            return
        while self._pinged < self.provider.pings:
            at = self._alive + PING_SHARE * self._cache.ttl
            if at >= until:
                break
            served = self._cache.serve(replace(last, at=at, reply=()))
            self.count.cost += self.provider.price.of(served)
            self.count.pings += 1
            self._pinged += 1
            self._alive = at
            await layout.pinged(at, served)

    def _send(self, asked: Asked) -> Served:
        served = self._cache.serve(asked)
        self._tell(asked, served)
        self._last, self._alive, self._pinged = asked, asked.at, 0
        return served

    def _tell(self, asked: Asked, served: Served) -> None:
        count, total = self.count, asked.tokens
        if served.read + served.written + served.plain != total:
            raise ValueError("a provider lost tokens")
        expired = self._alive is not None and asked.at - self._alive > self._cache.ttl
        count.requests += 1
        count.total += total
        count.read += served.read
        count.cost += self.provider.price.of(served)
        count.worst = max(count.worst, total - served.read)
        count.largest = max(count.largest, total)
        new = 0
        for name, tokens in asked.contents or asked.blocks:
            if name not in self._seen:
                self._seen.add(name)
                new += tokens
        count.new += new
        if self._last is not None and not expired and served.read < FULL_MISS * (total - new):
            count.full_misses += 1
