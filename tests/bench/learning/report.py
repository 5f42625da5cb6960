"""The report: which arms run on a split, and how their figures are put together."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from tests.bench.learning.figures import harmed, of_run, summary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from tests.bench.learning.run import Field
    from tests.bench.learning.stream import Pass

COMPARED = ("reworded_tokens_ratio", "reworded_recall10", "sibling_recall10")
"""Figures that are also told against the reference pointers."""


@dataclass(slots=True)
class Report:
    """Figures of all splits so far."""

    turns: int
    questions: int
    held: dict[str, list[float]] = field(default_factory=dict)
    """Name of a figure → one value a split."""
    sizes: dict[str, int] = field(default_factory=dict)

    async def add(self, one: Field, *, short: bool, ablate: bool) -> None:
        """Run all arms on one split."""
        split = one.split
        self.sizes = {
            "seen": len(split.seen),
            "sibling": len(split.sibling),
            "unseen": len(split.unseen),
            "stale": len(split.stale),
        }
        own = of_run(await one.own("own"))
        self._keep("", own)
        same, published = {}, {}
        for name in ("none", "exact", "blind", "reference", "ideal"):
            same = of_run(await one.reference(name))
            published = of_run(await one.reference(name, mixed=True))
            self._keep(f"{name}_", same)
            self._keep(f"mix_{name}_", published)
            if name == "reference":
                self._keep("", {f"{n}_vs_reference": own[n] - published[n] for n in COMPARED})
                self._keep("", {f"{n}_vs_same": own[n] - same[n] for n in COMPARED})
        if not short:
            await self._lied(one)
        if ablate and not short:
            await self._ablated(one, own)
        print(f"split {one.seed}: " + _told(own), file=sys.stderr, flush=True)

    async def _lied(self, one: Field) -> None:
        from tests.bench.learning import LIES

        run = await one.own("lied", LIES, only=_still)
        unseen = [pair for name, rows in run.items() if name.startswith("unseen") for pair in rows]
        every = [pair for rows in run.values() for pair in rows]
        self._keep("", {"lying_reader_harmed": harmed(unseen), "lying_harmed_all": harmed(every)})

    async def _ablated(self, one: Field, own: dict[str, float]) -> None:
        """Each mechanism switched off, or on, against the whole."""
        from memory.recall import ladder, learned_weights

        runs = {
            "no_pointers": await one.own("no_pointers", without=("pointers",)),
            "no_anchors": await one.own("no_anchors", without=("anchors",)),
            "negative_keys": await one.own("negative_keys", complains=True),
        }
        for name, run in runs.items():
            self._differ(name, of_run(run), own)
        with changed(ladder, "LIFTED", 0.0):
            self._differ("no_boosts", of_run(await one.own("no_boosts")), own)
        with changed(learned_weights, "WEIGHT", 0.0):
            self._differ("no_learned_weights", of_run(await one.own("no_weights")), own)

    def _differ(self, name: str, figures: dict[str, float], own: dict[str, float]) -> None:
        self._keep(f"{name}_", {key: figures[key] - own[key] for key in own if key in figures})

    def _keep(self, prefix: str, figures: dict[str, float]) -> None:
        for name, value in figures.items():
            self.held.setdefault(prefix + name, []).append(value)

    def figures(self) -> dict[str, float | int]:
        """Means, and the ends of their intervals (``_lo``, ``_hi``)."""
        made: dict[str, float | int] = {"turns": self.turns, "questions": self.questions}
        made |= self.sizes
        for name, values in self.held.items():
            if name.startswith(("none_", "exact_", "blind_", "ideal_", "mix_", "no_")):
                made[name] = fmean(values)
                continue
            mean, low, high = summary(values)
            made |= {name: mean, f"{name}_lo": low, f"{name}_hi": high}
        return made


@contextmanager
def changed(module: ModuleType, name: str, value: float) -> Iterator[None]:
    """A figure of the product, changed for a while."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def _still(one: Pass) -> bool:
    return not one.drifted


def _told(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in figures.items())
