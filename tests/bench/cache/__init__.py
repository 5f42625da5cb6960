"""What each prompt layout costs at a provider's prompt cache, replayed over recorded sessions.

The real prompt (memory, window, epochs, layout and marks of the product, on generated text of
the recorded sizes) next to what other agents do: append and compact at 80 % of the window, slide,
slide in batches, keep a memory at the head, rebuild every turn. ``gaps`` are the recorded pauses;
``warm`` is the same with pings that keep the cache alive, as many as cost less than one rewrite.

Percentages are per cent of all prompt tokens, and points between them. ``bound`` is what the best
cache could serve: all but what was never sent before. ``avoidable`` is bound less hit. A full miss
is self-made when less than a fifth of what a call repeats was served though nothing had expired.
``worst`` is the most that one request sent unserved. ``past`` is tokens, in a mean prompt, about
what had left the conversation. Costs are input only, in US dollars.

Where a provider sells entries that live longer, the product asks for them when pauses make them
pay. So that it is not compared only with an agent that does not, append and compact has a second
row with the same choice, the named figures take the cheaper of its rows, and the product has a
second row without.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from tests.bench.cache.layouts import AppendAndCompact
from tests.bench.cache.providers import PROVIDERS
from tests.bench.cache.report import curve_table, figures, table
from tests.bench.cache.runs import COMPETITORS, curve, growbox, known_rules, over
from tests.bench.cache.traces import load
from tests.bench.figures import Figures

APPEND = "append and compact"
"""The competitor that the figures compare with."""
LOWS = (2_000, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 12_000)
"""Low water marks of the curve."""


def _beside_the_checkout() -> Path:
    return Path(__file__).resolve().parents[3].parent / "shared" / "cases" / "agent_traces"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--traces", type=Path, help="folder of traces (*.jsonl)")
    parser.add_argument("--window", type=int, default=64_000, help="tokens of a prompt")
    parser.add_argument("--provider", choices=PROVIDERS, default="anthropic_5m")
    parser.add_argument("--no-curve", action="store_true", help="leave the curve out")
    parser.add_argument("--each", action="store_true", help="a line for each trace as well")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures, and whether no full miss was of our own making."""
    try:
        traces = load(given.traces or _beside_the_checkout())
    except (OSError, ValueError) as error:
        sys.exit(f"no traces can be read: {error}")
    provider = PROVIDERS[given.provider]
    rows = {
        name: over(traces, provider, partial(make, given.window))
        for name, make in COMPETITORS.items()
    }
    appends = [rows[APPEND]]
    ours = growbox(traces, given.provider, given.window)
    rows["growbox"] = ours.run
    rules = known_rules(given.provider)
    if rules.long_ttl_s is not None:
        lasting = over(traces, provider, lambda: AppendAndCompact(given.window, lasting=rules))
        appends.append(lasting)
        rows = {APPEND: rows[APPEND], f"{APPEND}, long entries where they pay": lasting} | rows
        rows["growbox, short entries"] = growbox(
            traces, given.provider, given.window, short=True
        ).run
    print(table(rows, each=given.each))
    if not given.no_curve:
        print(curve_table(curve(traces, given.provider, given.window, LOWS)))
    told = figures(ours, appends)
    return told, told["self_made_full_misses"] == 0
