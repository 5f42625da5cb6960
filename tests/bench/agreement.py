"""Whether the ledger's forecast is what providers' caches then report, over whole sessions.

Real sessions, with memory and wires, are held against a loopback provider that keeps a prompt cache
by its own rules: they append, call tools one by one and many at once, end epochs warm and cold, let
entries expire, change the model and come back, nap, go on in another process, break and are
stopped. For each model of a cache it prints the calls, how many were forecast to the token, within
one step of the cache and within one part in a hundred of the prompt, and the causes that are named
for the rest. Exit code 1 when one call in a hundred differs, or one that differs has no cause of
that: that the provider or the forecast's estimate was off, not why little was forecast.

With ``--peers FOLDER`` the program itself is run as well against the ``fake_provider.py`` that lies
there, with ``--report-cache``.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from growbox_tui.agent.events import PromptBuilt, UsageReported
from tests.bench.agreement_life import live
from tests.bench.figures import Figures
from tests.bench.peers import against_peer
from tests.doubles.cached_session import VOICES, Life
from tests.doubles.hands import of

ENOUGH = 0.99


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--model", choices=VOICES, action="append", help="only this one")
    parser.add_argument("--peers", type=Path, help="the folder of fake_provider.py")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="a line for each call")


@dataclass(frozen=True, slots=True)
class Tally:
    """How forecasts compare with reports."""

    calls: int
    foretold: int
    """Forecast to the token before the request went out."""
    foretold_near: int
    """Forecast then within a step, or one part in a hundred of the prompt."""
    exact: int
    """To the token, once the size of the whole prompt was told."""
    stepped: int
    """Within one step of the cache."""
    near: int
    """Within one part in a hundred of the prompt."""
    causes: Counter[str]
    """Of those further apart."""
    nameless: int
    """Of those, the ones without a cause of that very difference."""

    @property
    def agrees(self) -> bool:
        """Whether enough of them are equal, and every other has a name."""
        return self.near >= ENOUGH * self.calls and not self.nameless


def tally(reports: Sequence[UsageReported], built: Sequence[PromptBuilt], step: int = 1) -> Tally:
    """Compare all requests of a session that were answered."""
    before = {event.request: event.predicted for event in built}
    known = [each for each in reports if each.cache_read is not None]
    gaps = [abs((each.predicted or 0) - (each.cache_read or 0)) for each in known]
    fine = [max(step, (each.input or 0) // 100) for each in known]
    early = [abs(before[each.request] - (each.cache_read or 0)) for each in known]
    near = [gap <= most for gap, most in zip(gaps, fine, strict=True)]
    apart = [each for each, same in zip(known, near, strict=True) if not same]
    return Tally(
        len(known),
        sum(gap == 0 for gap in early),
        sum(gap <= most for gap, most in zip(early, fine, strict=True)),
        sum(gap == 0 for gap in gaps),
        sum(gap <= step for gap in gaps),
        sum(near),
        Counter(each.kind for each in apart),
        sum(not named(each) for each in apart),
    )


def named(report: UsageReported) -> bool:
    """Whether a difference of forecast and report has a cause. Why the forecast itself is less
    than was sent before explains nothing of it."""
    less = (report.cache_read or 0) < (report.predicted or 0)
    kinds = ("provider", "estimate") if less else ("surplus", "estimate")
    return report.kind in kinds and bool(report.cause)


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures, and whether all agree."""
    found = {name: lived(name, given.seed, given.verbose) for name in given.model or VOICES}
    if given.peers:
        found["peer"] = tally(*against_peer(given.peers), step=128)
    print(f"{'cache':<16} calls foretold exact step  1 %   causes of the rest")
    for name, each in found.items():
        rest = ", ".join(f"{kind} {times}" for kind, times in each.causes.most_common())
        print(
            f"{name:<16} {each.calls:5} {each.foretold:8} {each.exact:5} {each.stepped:4} "
            f"{each.near:4}   {rest}"
        )
    calls = sum(each.calls for each in found.values())
    figures: Figures = {
        "calls": calls,
        "foretold_exactly": sum(each.foretold for each in found.values()) / calls,
        "foretold_within_1_percent": sum(each.foretold_near for each in found.values()) / calls,
        "equal_to_the_token": sum(each.exact for each in found.values()) / calls,
        "equal_within_a_step": sum(each.stepped for each in found.values()) / calls,
        "equal_within_1_percent": sum(each.near for each in found.values()) / calls,
        "nameless": sum(each.nameless for each in found.values()),
    }
    return figures, all(each.agrees for each in found.values())


def lived(name: str, seed: int, verbose: bool = False) -> Tally:
    """One session before one provider."""
    with tempfile.TemporaryDirectory() as folder:
        life = asyncio.run(live(VOICES[name], Path(folder) / "memory.db", seed))
    if verbose:
        print(f"--- {name}")
        for each in of(life.events, UsageReported):
            print(
                f"{each.request:4} {each.model:28} {each.input!s:>7} forecast "
                f"{each.predicted!s:>7} read {each.cache_read!s:>7} bound {each.bound!s:>7} "
                f"{each.kind}: {each.cause}"
            )
    return of_life(life)


def of_life(life: Life) -> Tally:
    """The same of a session that has ended."""
    step = life.session.talk.cache_rules.step
    return tally(of(life.events, UsageReported), of(life.events, PromptBuilt), step)
