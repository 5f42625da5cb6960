"""Whether memory gets cheaper and better with use: the learning protocol, run on the product.

A simulated reader reads what pointers propose, then what search brings, until it has read what a
question needs. The product's own recall is asked and told what was needed. Plain retrieval, an
exact memo, a blind cache, reference pointers and an ideal memo stand beside it: over the same
ranking, and (``mix_``) over the ranking that the reference figures were made with.
``_vs_reference`` is against the reference pointers as they were published, over their own ranking;
``_vs_same`` against the same pointers over the product's. Means of splits with paired 90 %
intervals. Bars are on: search brings what lies above them, and what stands beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.figures import Figures

if TYPE_CHECKING:
    from tests.bench.learning.corpus import Corpus

CASES = Path(__file__).resolve().parents[3].parent / "shared" / "cases"
LIES = 0.05
"""How often a lying reader takes a wrong proposal for good."""
ABLATION_SEEDS = 3
"""Splits on which each mechanism is switched off."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What this bench asks for."""
    parser.add_argument("--data", type=Path, default=CASES, help="a folder that holds locomo/")
    parser.add_argument("--seeds", type=int, default=10, help="splits; each takes some minutes")
    parser.add_argument("--talks", type=int, help="only the first so many conversations")
    parser.add_argument("--short", action="store_true", help="no drift, no lies, no ablations")
    parser.add_argument("--file", type=Path, help="keep the filled memory file here, or take it")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """All figures; sound when there was something to measure."""
    from tests.bench.learning.corpus import load

    folder = given.data / "locomo"
    if not (folder / "locomo10.json").is_file():
        return {}, False
    corpus = load(folder, given.talks)
    return asyncio.run(_measured(given, corpus)), True


async def _measured(given: argparse.Namespace, corpus: Corpus) -> Figures:
    from memory.hyperspace.embedders.choose import choose
    from tests.bench.learning.report import Report
    from tests.bench.learning.run import field_of, ground
    from tests.bench.learning.store import Remembered

    report = Report(len(corpus.turns), len(corpus.questions))
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            embedder = Remembered(choose())
            base = await ground(corpus, Path(folder), embedder, stack, given.file)
            for seed in range(given.seeds):
                async with AsyncExitStack() as inner:
                    field = await field_of(base, seed, inner, drifts=not given.short)
                    await report.add(field, short=given.short, ablate=seed < ABLATION_SEEDS)
    return report.figures()
