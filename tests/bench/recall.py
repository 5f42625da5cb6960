"""How well recall finds, how fast, in how much memory, and how still it is with nothing to find.

Reads question sets from a folder (``--data``: ``locomo/``, ``cmrc2018_zh/``, ``cosqa/``,
``memdaily_zh/``, ``beam/``; what is missing is left out), lets a memory remember and settle each
set's texts with the bundled embedders, and asks its questions by ``Memory.recall`` with a limit of
20, all bars on, as the product does. Beside it stand the plain ways of ``recall_rows`` over the
same texts in the same run. Per set: recall@5, 10 and 20 and nDCG@10 in per cent, milliseconds a
question, resident megabytes, and the share of another set's questions that bring nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2
from pathlib import Path

from memory.memory import Memory
from memory.protocols import Embedder
from memory.recollection import Query, Rung
from memory.types import NewNode
from tests.bench.figures import Figures, percentile
from tests.bench.known_vectors import KnownVectors
from tests.bench.recall_rows import Vectors, best, rows
from tests.bench.recall_sets import SETS, Ask, Corpus, read

LIMIT = 20
NOON = 1_750_000_000_000
PROJECT = "/measured"
FOREIGN = 50
"""Questions of another set that are asked of each corpus."""
CHEAP: frozenset[Rung] = frozenset({"pointers", "anchors", "scan"})
"""Steps that are left out: they learn from what was asked before, and here each question stands for
itself."""


class WalkingClock:
    """Goes on a second whenever it is asked, so that texts stand in their order, and leaps forward
    to when a text was said."""

    def __init__(self) -> None:
        self._now = 0

    def leap(self, at: int) -> None:
        """Be there, if that is not over."""
        self._now = max(self._now, at)

    def now(self) -> int:
        """The next second."""
        self._now += 1_000
        return self._now


@dataclass(slots=True)
class Tally:
    """What one set's questions came to, by the name of the way."""

    found: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    ms: list[float] = field(default_factory=list)
    quiet: list[bool] = field(default_factory=list)
    texts: int = 0
    settled_s: float = 0.0
    mb: float = 0.0

    def add(self, way: str, places: Sequence[int], right: frozenset[int]) -> None:
        """Count what a way found for a question."""
        shares = [len(right.intersection(places[:k])) / len(right) for k in (5, 10, 20)]
        self.found.setdefault(way, []).append((*shares, ndcg(places, right)))


def ndcg(places: Sequence[int], right: frozenset[int], k: int = 10) -> float:
    """Normalised discounted cumulative gain of the first ``k``, 0 to 1."""
    gain = sum(1 / log2(rank + 2) for rank, place in enumerate(places[:k]) if place in right)
    return gain / sum(1 / log2(rank + 2) for rank in range(min(k, len(right))))


async def filled(memory: Memory, corpus: Corpus, clock: WalkingClock) -> dict[str, int]:
    """Remember and settle a corpus; the place in it of each node's id."""
    place = {}
    # A file is written in the order of time, whatever the order of its conversations.
    for number in sorted(range(len(corpus.texts)), key=lambda n: (corpus.texts[n].at, n)):
        text = corpus.texts[number]
        clock.leap(text.at or NOON)
        new = NewNode(text.role, text.words, project=PROJECT, session=text.session)
        place[(await memory.remember(new)).id] = number
    await memory.settle(float("inf"))
    return place


async def asked(
    memory: Memory, corpus: Corpus, place: dict[str, int], foreign: Sequence[str], tally: Tally
) -> None:
    """Ask a corpus its own questions, and some that belong to another set."""

    async def places(question: str) -> list[int]:
        query = Query(question, PROJECT, limit=LIMIT, without=CHEAP)
        began = time.perf_counter()
        found = await memory.recall(query)
        tally.ms.append((time.perf_counter() - began) * 1_000)
        return [place[hit.node.id] for hit in found.hits]

    if corpus.asks:  # what is learned of a store once is no part of a question
        await places(corpus.asks[0].question)
        tally.ms.pop()
    for ask in corpus.asks:
        tally.add("growbox", await places(ask.question), ask.right)
    tally.mb = max(tally.mb, resident_mb())
    timed = len(tally.ms)
    for question in foreign:
        tally.quiet.append(not await places(question))
    del tally.ms[timed:]


async def measured(
    corpus: Corpus, embedder: Embedder, foreign: Sequence[str], tally: Tally
) -> None:
    """Fill a memory of its own with one corpus and ask it."""
    with tempfile.TemporaryDirectory() as folder:
        clock = WalkingClock()
        memory = await Memory.open(Path(folder) / "memory.db", embedder=embedder, clock=clock)
        try:
            began = time.perf_counter()
            place = await filled(memory, corpus, clock)
            tally.settled_s += time.perf_counter() - began
            tally.texts += len(corpus.texts)
            await asked(memory, corpus, place, foreign, tally)
        finally:
            await memory.close()


def compared(corpus: Corpus, vectors: Vectors, tally: Tally) -> None:
    """Ask the plain ways the same questions."""
    for name, scored in rows(corpus, vectors).items():
        for ask in corpus.asks:
            tally.add(name, best(scored(ask.question), LIMIT), ask.right)


def resident_mb() -> float:
    """Of this process, now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1_024
    return 0.0


def figures_of(name: str, tally: Tally) -> dict[str, float | int]:
    """The figures of one set, each named after it."""
    figures: dict[str, float | int] = {f"{name}_questions": len(tally.ms)}
    for way, found in tally.found.items():
        means = [100 * statistics.fmean(column) for column in zip(*found, strict=True)]
        for measure, mean in zip(("recall5", "recall10", "recall20", "ndcg10"), means, strict=True):
            figures[f"{name}_{way}_{measure}"] = round(mean, 2)
    plain = [figures[f"{name}_{way}_recall10"] for way in tally.found if way != "growbox"]
    if plain:
        figures[f"{name}_over_best_row"] = round(
            figures[f"{name}_growbox_recall10"] - max(plain), 2
        )
    figures[f"{name}_ms_p50"] = round(statistics.median(tally.ms), 1)
    figures[f"{name}_ms_p95"] = round(percentile(tally.ms, 0.95), 1)
    figures[f"{name}_resident_mb"] = round(tally.mb)
    figures[f"{name}_settled_per_s"] = round(tally.texts / max(tally.settled_s, 1e-9), 1)
    if tally.quiet:
        figures[f"{name}_foreign_quiet"] = round(100 * statistics.fmean(tally.quiet), 1)
    return figures


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What this bench asks for."""
    parser.add_argument("--data", type=Path, help="the folder of question sets")
    parser.add_argument("--only", choices=sorted(SETS), default="", help="measure one set")
    parser.add_argument("--no-rows", action="store_true", help="leave out the plain ways")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """All sets that are there; sound when there was one."""
    data = given.data or Path(__file__).resolve().parents[2].parent / "shared" / "cases"
    every = read(data)
    wanted = read(data, given.only) if given.only else every
    embedder = KnownVectors()
    vectors = None if given.no_rows else Vectors(embedder)
    figures: dict[str, float | int] = {}
    tallies: dict[str, Tally] = {}
    for name, corpora in wanted.items():
        tally = tallies[name] = Tally()
        foreign = [ask.question for ask in others(every, corpora[0].name)]
        for corpus in corpora:
            asyncio.run(measured(corpus, embedder, foreign, tally))
    for name, corpora in wanted.items():
        # After all memories, so that what the plain ways hold does not count as theirs.
        if vectors:
            for corpus in corpora:
                compared(corpus, vectors, tallies[name])
        figures |= figures_of(name, tallies[name])
    return figures, bool(figures)


def others(every: dict[str, list[Corpus]], name: str) -> list[Ask]:
    """Some questions of all sets that share no texts with this one."""
    kin = name.partition("_")[0]
    foreign = [c.asks for other, cs in every.items() if not other.startswith(kin) for c in cs[:1]]
    return [ask for asks in foreign for ask in asks[: FOREIGN // max(1, len(foreign))]]
