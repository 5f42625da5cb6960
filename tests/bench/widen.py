"""Vectors of real texts, and many more that lie between near ones of them.

What is measured at a million depends on how vectors lie: random ones are all equally far, which no
text is. So the texts of the question sets are embedded, and the rest are mixes of two near ones and
a little noise, which keeps the clusters and what lies between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NEAR = 8
"""A mix is of a text and one of its so many nearest."""
NOISE = 0.2
"""Length of the noise that is added to a mix, as a share of the mix's."""
CHUNK = 2_000
"""Vectors made at once."""


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows at length 1."""
    import numpy as np

    made: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made.astype(np.float32)


def near_pairs(base: NDArray[np.float32]) -> NDArray[np.intp]:
    """Shape (n, NEAR): the nearest others of each row."""
    import numpy as np

    near = np.empty((len(base), NEAR), dtype=np.intp)
    for start in range(0, len(base), CHUNK):
        cosines = base[start : start + CHUNK] @ base.T
        rows = np.arange(len(cosines))
        cosines[rows, rows + start] = -2.0
        near[start : start + len(rows)] = np.argpartition(-cosines, NEAR, axis=1)[:, :NEAR]
    return near


def widened(
    base: NDArray[np.float32], seed: int = 0
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
    """Unit rows without end, ``CHUNK`` at a time, and which row of ``base`` each comes from: first
    those of ``base``, then mixes. The same for the same seed."""
    import numpy as np

    draw, near = np.random.default_rng(seed), near_pairs(base)
    for start in count(0, CHUNK):
        of = draw.integers(0, len(base), CHUNK)
        other = near[of, draw.integers(0, NEAR, CHUNK)]
        share = draw.uniform(0, 1, (CHUNK, 1)).astype(np.float32)
        noise = draw.standard_normal((CHUNK, base.shape[1]), dtype=np.float32)
        mixed = unit(share * base[of] + (1 - share) * base[other])
        rows = unit(mixed + NOISE / np.sqrt(base.shape[1]) * noise)
        own = base[start : start + CHUNK]
        of[: len(own)] = np.arange(start, start + len(own))
        rows[: len(own)] = own
        yield of, rows


def texts_of(data: Path) -> tuple[list[str], list[str]]:
    """The texts and the questions of the sets in a folder, each once, in a settled order."""
    texts: list[str] = []
    questions: list[str] = []
    locomo = data / "locomo" / "locomo10.json"
    for talk in filter(None, json.loads(locomo.read_text("utf-8")) if locomo.is_file() else ()):
        for number in range(1, 60):
            for turn in talk["conversation"].get(f"session_{number}", ()):
                texts.append(f"{turn['speaker']}: {turn['text']}")
        questions += [row["question"] for row in talk["qa"]]
    cmrc = data / "cmrc2018_zh" / "cmrc2018_dev.json"
    for row in json.loads(cmrc.read_text("utf-8")) if cmrc.is_file() else ():
        texts.append(row["context_text"])
        questions += [asked["query_text"] for asked in row["qas"]]
    cosqa = data / "cosqa"
    if cosqa.is_dir():
        texts += json.loads((cosqa / "code_idx_map.txt").read_text("utf-8"))
        asked = (cosqa / "cosqa-retrieval-test-500.json").read_text("utf-8")
        questions += [row["doc"] for row in json.loads(asked)]
    return list(dict.fromkeys(texts)), list(dict.fromkeys(questions))
