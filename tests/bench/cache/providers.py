"""Providers: what a prompt cache serves of a request, and what it charges.

Written from what the providers say of their caches, and apart from the product's own forecast.
A prompt is a list of content blocks, each a name and its tokens; equal names are equal bytes. What
is served is a prefix of whole blocks. Left out: requests that another machine answers, entries
that a provider throws out early, limits of rate. So every figure is the best case.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

Blocks = Sequence[tuple[Hashable, int]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as a cache sees it."""

    blocks: Blocks
    at: float
    """Seconds."""
    marks: tuple[int, ...] = ()
    """Blocks behind which an entry is asked for."""
    long: tuple[int, ...] = ()
    """Those of them whose entries are to live long."""
    read_marks: tuple[int, ...] = ()
    """Blocks behind which an older entry may be read."""
    ends: tuple[int, ...] = ()
    """Last blocks of the messages of user and tools."""
    reply: Blocks = ()
    contents: Blocks = ()
    """What the blocks are made up of, where that is finer: by this is told what is sent anew."""

    @property
    def tokens(self) -> int:
        """Of the whole prompt."""
        return sum(tokens for _, tokens in self.blocks)


@dataclass(frozen=True, slots=True)
class Served:
    """How a prompt's tokens were come by; the three make up the prompt."""

    read: int
    written: int
    plain: int
    lasting: int = 0
    """Of those that were written, the ones that live long."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars a million tokens of input, and shares of it."""

    input: float
    read: float
    write: float
    long_write: float = 2.0

    def of(self, served: Served) -> float:
        """US dollars of one prompt."""
        written = self.write * (served.written - served.lasting)
        written += self.long_write * served.lasting
        return self.input * (self.read * served.read + written + served.plain) / 1e6


class Cache(Protocol):
    """What stays between requests."""

    ttl: float

    def serve(self, asked: Asked) -> Served:
        """Answer one request, and remember it."""


class Prefixes:
    """A number for every prefix that was ever seen: equal prefixes, equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Hashable], int] = {}

    def of(self, blocks: Blocks) -> list[tuple[int, int]]:
        """For each block the number of the prefix that ends with it, and the prefix's tokens."""
        found: list[tuple[int, int]] = []
        number = total = 0
        for name, tokens in blocks:
            number = self._numbers.setdefault((number, name), len(self._numbers) + 1)
            total += tokens
            found.append((number, total))
        return found


class PrefixCache:
    """Serves any leading part that it saw, in steps. With one slot only of the prompt that came
    last, as llama.cpp does."""

    def __init__(
        self,
        ttl: float,
        *,
        least: int = 0,
        step: int = 1,
        replies: bool = False,
        slot: bool = False,
    ) -> None:
        self.ttl = ttl
        self._least, self._step, self._replies, self._slot = least, step, replies, slot
        self._prefixes = Prefixes()
        self._alive: dict[int, float] = {}

    def serve(self, asked: Asked) -> Served:
        """Answer one request, and remember all of it."""
        path = self._prefixes.of(asked.blocks)
        total = path[-1][1] if path else 0
        longest = _longest(path, self._alive, asked.at - self.ttl)
        read = longest - longest % self._step
        read = 0 if read < self._least else min(read, max(0, total - 1))
        if self._slot:
            self._alive.clear()
        if self._replies and asked.reply:
            path = self._prefixes.of([*asked.blocks, *asked.reply])
        self._alive.update((number, asked.at) for number, _ in path)
        return Served(read, 0, total - read)


class MarkCache:
    """Serves a prefix only where an earlier request had a mark.

    ``lookback``: a mark finds an older entry at most so many blocks back, itself counted; ``None``
    finds entries at marks alone, the newest ``reads`` of them. ``implicit``: the provider sets a
    mark of its own at the newest message of user or tool, and reads at the older ones.
    ``long_ttl``: seconds of an entry that is asked to live long, where there are such; one that is
    alive already is read and not written anew, and keeps the life that it has.
    """

    def __init__(
        self,
        ttl: float,
        *,
        least: int,
        marks: int = 4,
        lookback: int | None = 20,
        implicit: bool = False,
        reads: int = 80,
        long_ttl: float | None = None,
    ) -> None:
        self.ttl = ttl
        self._long_ttl = long_ttl
        self._least, self._marks, self._lookback = least, marks, lookback
        self._implicit, self._reads = implicit, reads
        self._prefixes = Prefixes()
        self._entries: dict[int, tuple[float, float]] = {}
        """Prefix → (when it was last written or read, seconds that it lives)."""

    def serve(self, asked: Asked) -> Served:
        """Answer one request; keep what was marked, and refresh what was read."""
        path = self._prefixes.of(asked.blocks)
        total = path[-1][1] if path else 0
        marks = sorted({at for at in asked.marks if 0 <= at < len(path)})
        if self._implicit and asked.ends:
            marks = sorted({*marks[1 - self._marks :], asked.ends[-1]})
        marks = marks[-self._marks :]
        read = 0
        for at in self._readable(asked, marks, len(path)):
            number, tokens = path[at]
            if tokens >= self._least and self._alive(number, asked.at):
                self._entries[number] = asked.at, self._entries[number][1]
                read = tokens
                break
        end = long_end = 0
        for at in marks:
            number, tokens = path[at]
            if tokens < self._least:
                continue
            long = at in asked.long and self._long_ttl is not None
            life = self._long_ttl if long and self._long_ttl is not None else self.ttl
            if self._alive(number, asked.at):
                life = self._entries[number][1]
            self._entries[number] = asked.at, life
            end, long_end = tokens, tokens if long else long_end
        written = max(0, end - read)
        lasting = min(written, max(0, long_end - read))
        return Served(read, written, total - read - written, lasting)

    def _alive(self, number: int, now: float) -> bool:
        at, life = self._entries.get(number, (-1e18, 0.0))
        return now - at <= life

    def _readable(self, asked: Asked, marks: Sequence[int], blocks: int) -> list[int]:
        """Where an older entry may be found, longest prefix first."""
        if self._lookback is not None:
            seen = {at for mark in marks for at in range(mark - self._lookback + 1, mark + 1)}
            return sorted((at for at in seen if at >= 0), reverse=True)
        seen = {*asked.marks, *marks, *asked.read_marks}
        if self._implicit:
            seen.update(asked.ends)
        return sorted((at for at in seen if 0 <= at < blocks), reverse=True)[: self._reads]


class UnitCache:
    """Serves whole units only: a former prompt, a former prompt with its reply, and what two
    requests were found to have in common, from the third on."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl
        self._prefixes = Prefixes()
        self._units: dict[int, float] = {}
        self._seen: dict[int, float] = {}

    def serve(self, asked: Asked) -> Served:
        """Answer one request, and remember its units."""
        path = self._prefixes.of(asked.blocks)
        total = path[-1][1] if path else 0
        oldest = asked.at - self.ttl
        read = 0
        for number, tokens in reversed(path):
            if self._units.get(number, -1e18) >= oldest:
                self._units[number] = asked.at
                read = min(tokens, max(0, total - 1))
                break
        common = next((n for n, _ in reversed(path) if self._seen.get(n, -1e18) >= oldest), None)
        if common is not None:
            self._units[common] = asked.at
        self._seen.update((number, asked.at) for number, _ in path)
        if path:
            self._units[path[-1][0]] = asked.at
        if asked.reply:
            self._units[self._prefixes.of([*asked.blocks, *asked.reply])[-1][0]] = asked.at
        return Served(read, 0, total - read)


def _longest(path: Sequence[tuple[int, int]], alive: dict[int, float], oldest: float) -> int:
    for number, tokens in reversed(path):
        if alive.get(number, -1e18) >= oldest:
            return tokens
    return 0


@dataclass(frozen=True, slots=True)
class Provider:
    """A cache that can be started anew, and its prices."""

    price: Price
    cache: Callable[[], Cache]
    pings: int
    """Refreshing reads that cost less than one rewrite: the most that are worth a gap."""


SONNET = Price(2.00, 0.05, 1.25)
PROVIDERS = {
    "anthropic_5m": Provider(SONNET, lambda: MarkCache(300, least=512, long_ttl=3_600), 24),
    "anthropic_short": Provider(SONNET, lambda: MarkCache(300, least=512), 24),
    "anthropic_1h": Provider(Price(2.00, 0.05, 2.00), lambda: MarkCache(3_600, least=512), 24),
    "openai_auto": Provider(
        Price(2.50, 0.10, 1.00), lambda: PrefixCache(600, least=1_024, step=128), 9
    ),
    "gpt6_implicit": Provider(
        SONNET, lambda: MarkCache(1_800, least=1_024, lookback=None, implicit=True), 24
    ),
    "gpt6_explicit": Provider(SONNET, lambda: MarkCache(1_800, least=1_024, lookback=None), 24),
    "deepseek_v4": Provider(Price(0.30, 0.02, 1.00), lambda: UnitCache(86_400), 0),
    "llamacpp_slot": Provider(
        Price(1.00, 0.0, 1.0), lambda: PrefixCache(1e12, least=1, replies=True, slot=True), 0
    ),
}
"""``anthropic_short`` knows no long entries, so none are asked for; under ``anthropic_1h`` all are
long, whoever asks. Prices of the time when the traces were studied; of a local model, a million
prefilled tokens cost one."""
