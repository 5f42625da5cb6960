"""Runs: all layouts over all traces, with the recorded pauses and kept warm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from growbox_tui.models.cache_rules import CacheRules, rules_for
from growbox_tui.models.protocol import ModelFacts
from tests.bench.cache.layouts import AppendAndCompact, Layout, Rebuilt, Sliding
from tests.bench.cache.meter import Count, Meter, pooled
from tests.bench.cache.providers import PROVIDERS, Provider
from tests.bench.cache.standing import Standing, standing
from tests.bench.cache.traces import Trace

COMPETITORS: dict[str, Callable[[int], Layout]] = {
    "append and compact": lambda window: AppendAndCompact(window),
    "sliding": lambda window: Sliding(window),
    "sliding in batches": lambda window: Sliding(window, batch=0.5),
    "head memory, each call": lambda window: AppendAndCompact(window, memory="call"),
    "head memory, each turn": lambda window: AppendAndCompact(window, memory="turn"),
    "reference design": lambda window: Rebuilt(),
}
"""By the tokens of their window; the reference design has sizes of its own."""

MODELS = {
    "anthropic_5m": "anthropic/claude-sonnet-5-5",
    "anthropic_short": "anthropic/claude-sonnet-5-5",
    "anthropic_1h": "anthropic/claude-sonnet-5-5",
    "openai_auto": "openai/gpt-5.4",
    "gpt6_implicit": "openai/gpt-6.1-sol",
    "gpt6_explicit": "openai/gpt-6.1-sol",
    "deepseek_v4": "deepseek/deepseek-flash",
    "llamacpp_slot": "local/model",
}
"""Whose rules the product goes by at each provider."""


@dataclass(frozen=True, slots=True)
class Run:
    """One layout over all traces."""

    gaps: Mapping[str, Count]
    """By trace."""
    warm: Mapping[str, Count]

    @property
    def with_gaps(self) -> Count:
        """All traces together, with the recorded pauses."""
        return pooled(list(self.gaps.values()))

    @property
    def kept_warm(self) -> Count:
        """All traces together, with pings."""
        return pooled(list(self.warm.values()))


@dataclass(frozen=True, slots=True)
class Ours:
    """The real prompt over all traces."""

    run: Run
    raw_tail: int
    """Tokens of conversation, word for word, in a mean call."""
    least_tail: int
    """Tokens of the shortest tail that an epoch's end left."""
    epochs: int
    """How many epochs ended, kept warm."""
    foreseen: float
    """Share of calls, with the recorded gaps, that the product's ledger foresaw."""


def over(traces: Mapping[str, Trace], provider: Provider, make: Callable[[], Layout]) -> Run:
    """Run a layout over all traces, each from its beginning."""

    def all_of(warm: bool) -> dict[str, Count]:
        return {
            name: asyncio.run(Meter(provider, warm).run(trace, make()))
            for name, trace in traces.items()
        }

    return Run(all_of(False), all_of(True))


def growbox(
    traces: Mapping[str, Trace],
    provider: str,
    window: int,
    tail: int | None = None,
    *,
    short: bool = False,
) -> Ours:
    """Run the real prompt over all traces. ``tail``: its low water mark, if not the product's;
    ``short``: whether it goes without entries that live long."""
    rules = known_rules(provider)
    rules = replace(rules, long_ttl_s=None) if short else rules
    tails: list[int] = []
    counts: dict[bool, dict[str, Count]] = {False: {}, True: {}}
    raw = epochs = foreseen = 0
    for warm, found in counts.items():
        for name, trace in traces.items():
            layout, found[name] = asyncio.run(
                _replayed(name, trace, Meter(PROVIDERS[provider], warm), window, rules, tail)
            )
            tails += layout.tails[1:]
            raw += layout.raw
            epochs += len(layout.tails) - 1 if warm else 0
            foreseen += 0 if warm else layout.foreseen
    run = Run(counts[False], counts[True])
    calls = run.with_gaps.calls + run.kept_warm.calls
    share = foreseen / max(1, run.with_gaps.calls)
    return Ours(run, raw // max(1, calls), min(tails, default=0), epochs, share)


async def _replayed(
    name: str, trace: Trace, meter: Meter, window: int, rules: CacheRules, tail: int | None
) -> tuple[Standing, Count]:
    async with standing(name, trace, window, rules, tail) as layout:
        return layout, await meter.run(trace, layout)


def curve(
    traces: Mapping[str, Trace], provider: str, window: int, lows: Sequence[int]
) -> dict[int, Ours]:
    """The real prompt for each low water mark of the tail."""
    return {low: growbox(traces, provider, window, low) for low in lows}


def known_rules(provider: str) -> CacheRules:
    """What the product knows of that provider, prices included."""
    price = PROVIDERS[provider].price
    facts = ModelFacts(
        input_price=price.input / 1e6,
        cache_read_price=price.input * price.read / 1e6,
        cache_write_price=price.input * price.write / 1e6,
        min_cache_tokens=512 if provider.startswith("anthropic") else 0,
    )
    rules = rules_for(MODELS[provider], facts)
    return replace(rules, long_ttl_s=None) if provider == "anthropic_short" else rules
