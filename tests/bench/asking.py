"""What a fresh process measures of a memory file: ``python -m tests.bench.asking FOLDER FILE``.

FOLDER holds ``asked.npy``, ``questions.json`` and ``texts.json``. Prints one line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memory import Memory
from memory.recall import by_text
from memory.recollection import Query
from memory.store import vectors
from memory.store.database import Database, open_database
from memory.types import NewNode
from tests.bench.figures import percentile
from tests.bench.growing import DEPTH, STAMP, TEXT_CHARS

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDS = 3
TEXT_CANDIDATES = 50
INGESTED = 2_000
AT_ONCE = 50
"""Nodes that an import has under way at once."""


class Known:
    """An embedder of questions whose vectors are known."""

    stamp = STAMP

    def __init__(self, questions: Sequence[str], rows: NDArray[np.float32]) -> None:
        self._rows = dict(zip(questions, rows, strict=True))
        self.dimensions = rows.shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As known; nothing of another text."""
        none = np.zeros(self.dimensions, dtype=np.float32)
        return np.stack([self._rows.get(text, none) for text in texts])


def rss_mb() -> float:
    """The most that this program had resident, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not the figure of ``getrusage``, which begins with that of the process that started it.
        peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def medians(
    calls: Sequence[Callable[[], object]], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Milliseconds of each call, the median of so many rounds."""
    rounds: list[list[float]] = []
    for _ in range(ROUNDS):
        rounds.append([])
        for call in calls:
            begun = clock()
            call()
            rounds[-1].append((clock() - begun) * 1000)
    return [statistics.median(times) for times in zip(*rounds, strict=True)]


def of_vectors(db: Database, asked: NDArray[np.float32]) -> dict[str, Any]:
    """The nearest of each question, and what it took."""
    space = vectors.known_space(db, STAMP) or vectors.space_of(db, STAMP, asked.shape[1])
    rows = [row.astype("<f4").tobytes() for row in asked]
    begun = time.perf_counter()
    vectors.nearest(db, space, rows[0], DEPTH)
    first_ms = (time.perf_counter() - begun) * 1000
    found = [[place for place, _ in vectors.nearest(db, space, row, DEPTH)] for row in rows]
    clock, processor = time.perf_counter(), time.process_time()
    calls = [partial(vectors.nearest, db, space, row, DEPTH) for row in rows]
    ms = medians(calls)
    share = (time.process_time() - processor) / (time.perf_counter() - clock)
    busy = medians(calls, time.thread_time)
    held = db.codes[space].size if space in db.codes else 0
    return {
        "found": found,
        "first_ms": first_ms,
        "p50_ms": statistics.median(ms),
        "p95_ms": percentile(ms, 0.95),
        "p50_cpu_ms": statistics.median(busy),
        "p95_cpu_ms": percentile(busy, 0.95),
        "cpu_share": share,
        "bytes_per_node": held / max(1, vectors.count(db, space)),
    }


def of_words(db: Database, questions: Sequence[str]) -> dict[str, float]:
    """What full text takes."""
    ms = medians([partial(by_text.find, db, text, TEXT_CANDIDATES) for text in questions])
    return {"text_p50_ms": statistics.median(ms), "text_p95_ms": percentile(ms, 0.95)}


async def of_memory(
    path: Path, questions: Sequence[str], asked: NDArray[np.float32], texts: Sequence[str]
) -> dict[str, float]:
    """What whole recalls take, what is resident after all that was asked, and how many nodes are
    remembered in a second."""
    memory = await Memory.open(path, embedder=Known(questions, asked))
    try:
        ms = []
        await memory.recall(Query(questions[0]))
        for text in questions:
            begun = time.perf_counter()
            await memory.recall(Query(text))
            ms.append((time.perf_counter() - begun) * 1000)
        row = {"recall_p50_ms": statistics.median(ms), "recall_p95_ms": percentile(ms, 0.95)}
        row["rss_mb"] = rss_mb()
        row["alone_per_s"] = await ingested(memory, texts, 1)
        row["ingest_per_s"] = await ingested(memory, texts, AT_ONCE)
    finally:
        await memory.close()
    return row


async def ingested(memory: Memory, texts: Sequence[str], at_once: int) -> float:
    """Nodes remembered in a second, so many of them waited for at once."""
    begun = time.perf_counter()
    for start in range(0, INGESTED, at_once):
        said = [f"{texts[place % len(texts)][:TEXT_CHARS]} {place}"
                for place in range(start, start + at_once)]  # fmt: skip
        new = [NewNode("user", text, "/measured", "new") for text in said]
        await asyncio.gather(*map(memory.remember, new))
    return INGESTED / (time.perf_counter() - begun)


def main(folder: Path, path: Path) -> None:
    """Measure, and print one line."""
    asked = np.load(folder / "asked.npy")
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    open_database(path).close()
    db = open_database(path)
    row = of_vectors(db, asked)
    row |= of_words(db, questions)
    db.close()
    row |= asyncio.run(of_memory(path, questions, asked, texts))
    print(json.dumps(row))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
