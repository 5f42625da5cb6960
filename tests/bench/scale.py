"""How vector search, whole recalls and writing stand up to a growing memory.

The texts of the question sets (``--data``) are embedded and widened to each size by mixes of near
pairs (see ``widen``). For each size a fresh process asks real questions, each three times, and the
medians of these are what is told:

p50_ms, p95_ms      the ten nearest of the largest size, in two stages
p50_100k_ms         the same at 100,000 nodes, if that is one of the sizes
recall10            share of the ten nearest by exact cosine that are among them, at the largest
rss_mb              the most it had resident, above the same program with an empty memory; whole
                    recalls are part of it, embedders are not
ingest_per_s        ``Memory.remember`` with fifty under way, without embedding, at the largest
bytes_per_node      resident codes
cpu_share           processor time by time on the clock while asking; below .9 others were computing
                    or the disk was waited for: ``p50_cpu_ms`` and ``p95_cpu_ms`` leave that out

and in the table, for each size, the first question of a process (codes are read), full text, whole
recalls, the growth of the time since the size before, nodes remembered one after the other
(``alone_per_s``: each waits for a sync of the disk), and vectors put in a second.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory.hyperspace.embedders.choose import choose
from memory.hyperspace.spaces import spaces
from tests.bench.figures import Figure, Figures
from tests.bench.growing import DEPTH, Growing
from tests.bench.widen import texts_of, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SIZES = (10_000, 100_000, 1_000_000)
DIMENSIONS = 384
COLUMNS = (
    *("nodes", "first_ms", "p50_ms", "p95_ms", "growth", "recall10", "rss_mb", "bytes_per_node"),
    *("text_p50_ms", "text_p95_ms", "recall_p50_ms", "recall_p95_ms", "ingest_per_s"),
    *("alone_per_s", "put_per_s", "file_mb", "cpu_share", "p50_cpu_ms", "p95_cpu_ms"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "cases")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--texts", type=int, default=4_000, help="texts that are embedded at most")
    parser.add_argument("--vectors", type=Path, help="a folder with texts.npy and questions.npy")
    parser.add_argument("--keep", type=Path, help="make the memory file here, and leave it")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures at the largest size, and a table by size."""
    import numpy as np

    texts, base, questions, asked = material(given)
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        np.save(here / "asked.npy", asked)
        (here / "questions.json").write_text(json.dumps(questions), "utf-8")
        (here / "texts.json").write_text(json.dumps(texts), "utf-8")
        empty = worker(here, here / "empty.db")
        growing = Growing(given.keep or here / "memory.db", texts, base, asked)
        for size in sorted(set(given.sizes)):
            growing.to(size)
            row = worker(here, growing.path)
            found = row.pop("found")
            row |= {"nodes": size, "put_per_s": growing.put_per_s, "file_mb": growing.file_mb}
            row["recall10"] = shared(found, growing.nearest)
            row["rss_mb"] -= empty["rss_mb"]
            row["growth"] = row["p50_ms"] / rows[-1]["p50_ms"] if rows else 1.0
            rows.append(row)
        growing.close()
    print(table_by_size(rows))
    return figures(rows), True


def worker(folder: Path, path: Path) -> dict[str, Any]:
    """What a fresh process measures of a memory file, with one thread for numbers."""
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.asking", str(folder), str(path)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | one, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"the measuring process failed:\n{done.stderr}")
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def shared(found: list[list[int]], nearest: list[list[int]]) -> float:
    """The mean share of the nearest that were found."""
    hits = [len(set(some) & set(all_of)) for some, all_of in zip(found, nearest, strict=True)]
    return sum(hits) / (DEPTH * len(hits))


def table_by_size(rows: list[dict[str, float]]) -> str:
    """One line a size."""
    lines = [" ".join(f"{name:>14}" for name in COLUMNS)]
    for row in rows:
        cells = (
            f"{row[name]:,.0f}" if row[name] >= 1000 else f"{row[name]:.3g}" for name in COLUMNS
        )
        lines.append(" ".join(f"{cell:>14}" for cell in cells))
    return "\n".join(lines)


def figures(rows: list[dict[str, float]]) -> dict[str, Figure]:
    """What the largest size came to, and each size by name."""
    found: dict[str, Figure] = {name: rows[-1][name] for name in ("p50_ms", "p95_ms")}
    for row in rows:
        if row["nodes"] == 100_000:
            found["p50_100k_ms"] = row["p50_ms"]
    for name in ("recall10", "rss_mb", "ingest_per_s", "bytes_per_node", "cpu_share", "p50_cpu_ms"):
        found[name] = rows[-1][name]
    for row in rows:
        for name in COLUMNS[1:]:
            found[f"{name}_{row['nodes']:.0f}"] = row[name]
    return found


def material(
    given: argparse.Namespace,
) -> tuple[list[str], NDArray[np.float32], list[str], NDArray[np.float32]]:
    """Texts and their vectors, questions and theirs."""
    import numpy as np

    texts, questions = texts_of(given.data)
    if not texts:
        raise SystemExit(f"no question sets in {given.data}: name a folder with --data")
    if given.vectors is not None:
        base = np.load(given.vectors / "texts.npy")
        asked = np.load(given.vectors / "questions.npy")
    else:
        texts = texts[:: max(1, len(texts) // given.texts)][: given.texts]
        questions = questions[:: max(1, len(questions) // given.questions)]
        base, asked = embedded(texts), embedded(questions)
    step = max(1, len(questions) // given.questions)
    questions, asked = questions[::step][: given.questions], asked[::step][: given.questions]
    good = [n for n, row in enumerate(base) if row.any()]
    texts, base = [texts[n] for n in good], unit(base[good])
    told = [n for n, row in enumerate(asked) if row.any()]
    return texts, base, [questions[n] for n in told], unit(asked[told])


def embedded(texts: list[str]) -> NDArray[np.float32]:
    """Vectors by the first of the product's embedders that gives ``DIMENSIONS`` numbers. Where none
    does zeros are added, which changes no cosine and costs the same."""
    import numpy as np

    there = spaces(choose())
    embedder = next((each for each in there if each.dimensions == DIMENSIONS), there[0])
    rows = np.concatenate([embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])
    return np.pad(rows, ((0, 0), (0, max(0, DIMENSIONS - rows.shape[1]))))
