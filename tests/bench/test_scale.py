"""The bench of scale counts rightly; what it measures is left to it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from memory.store import vectors
from memory.store.database import open_database
from tests.bench.growing import STAMP, Growing
from tests.bench.scale import COLUMNS, figures, shared, table_by_size
from tests.bench.widen import CHUNK, NEAR, near_pairs, unit, widened


def base(rows: int = 60) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return unit(np.random.default_rng(1).standard_normal((rows, 8)).astype(np.float32))


def test_real_texts_come_first_and_mixes_lie_near_those_they_come_from() -> None:
    texts = base()
    (of, rows), (further_of, further) = islice(widened(texts), 2)

    assert of[:60].tolist() == list(range(60))
    assert np.allclose(rows[:60], texts)
    assert rows.shape == further.shape == (CHUNK, 8)
    assert np.linalg.norm(further, axis=1) == pytest.approx(1, abs=1e-5)
    own = np.einsum("ij,ij->i", further, texts[further_of]).mean()
    assert own > (further @ texts.T).mean() + 0.3


def test_the_same_vectors_are_made_each_time() -> None:
    first, second = (next(islice(widened(base()), 1, None))[1] for _ in range(2))

    assert np.array_equal(first, second)


def test_no_text_is_its_own_neighbour() -> None:
    near = near_pairs(base())

    assert near.shape == (60, NEAR)
    assert not (near == np.arange(60)[:, None]).any()


def test_the_nearest_of_a_growing_file_are_those_of_all_that_is_in_it(tmp_path: Path) -> None:
    asked = base(5)[:, :8]
    growing = Growing(tmp_path / "m.db", [f"text {n}" for n in range(60)], base(), asked)
    growing.to(1)
    db = open_database(growing.path, reading=True)
    space = vectors.known_space(db, STAMP)
    assert space is not None

    for row, nearest in zip(asked, growing.nearest, strict=True):
        found = vectors.nearest(db, space, row.tobytes(), 10, exact=True)
        assert {place for place, _ in found} == set(nearest)
    assert vectors.count(db, space) == CHUNK
    db.close()
    growing.close()


def test_the_share_that_was_found_is_a_mean_over_questions() -> None:
    nearest = [list(range(10)), list(range(10, 20))]

    assert shared([list(range(10)), list(range(15, 25))], nearest) == 0.75


def test_figures_are_those_of_the_largest_size_and_each_by_its_name() -> None:
    rows = [dict.fromkeys(COLUMNS, 1.0) | {"nodes": 100_000.0},
            dict.fromkeys(COLUMNS, 2.0) | {"nodes": 1_000_000.0}]  # fmt: skip

    found = figures(rows)

    assert (found["p50_ms"], found["p50_100k_ms"], found["p95_ms_100000"]) == (2.0, 1.0, 1.0)
    assert len(table_by_size(rows).splitlines()) == 3
