from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.store import codes

from .crowd import clusters

ROTATION_3 = [-0.23012, 0.87814, -0.41943]
ROTATION_384 = [-0.032918, 0.061087, -0.072427]


def basis(rows: NDArray[np.float32]) -> codes.Basis:
    return codes.Basis(1, rows.mean(axis=0))


@pytest.mark.parametrize("dimensions", [2, 24, 384, 600])
def test_the_rotation_keeps_lengths_as_far_as_there_are_columns(dimensions: int) -> None:
    turned = codes.rotation(dimensions)

    assert turned.shape == (dimensions, codes.BITS)
    width = min(dimensions, codes.BITS)
    assert np.allclose(turned[:, :width].T @ turned[:, :width], np.eye(width), atol=1e-5)


def test_the_rotation_is_the_one_that_codes_on_file_were_made_with() -> None:
    assert codes.rotation(3)[:, 0].tolist() == pytest.approx(ROTATION_3, abs=1e-5)
    assert codes.rotation(384)[0, :3].tolist() == pytest.approx(ROTATION_384, abs=1e-5)


def test_signs_that_differ_are_counted_for_each_code() -> None:
    rows = clusters(100)
    made = codes.encode(basis(rows), rows)
    asked = codes.ask(basis(rows), rows[7])
    apart = np.empty(100, dtype=np.uint16)

    codes.differing(codes.columns(made), asked.words, apart)

    bits = np.unpackbits(made, axis=1)
    assert apart.tolist() == (bits != bits[7]).sum(axis=1).tolist()
    assert apart[7] == 0


def test_weighed_signs_are_the_sum_of_the_questions_numbers_with_the_codes_signs() -> None:
    rows = clusters(50)
    base = basis(rows)
    asked = codes.ask(base, rows[3])
    told = codes.likeness(codes.columns(codes.encode(base, rows)), asked)

    signs = np.where((rows - base.mean) @ codes.rotation(rows.shape[1]) > 0, 1, -1)
    expected = signs @ ((rows[3] - base.mean) @ codes.rotation(rows.shape[1]))
    assert told.tolist() == pytest.approx(expected.tolist(), rel=1e-3, abs=1e-3)


def test_the_nearest_are_among_those_that_codes_put_first_even_in_a_narrow_cone() -> None:
    rows = clusters(2_000)
    base = basis(rows)
    told = codes.likeness(codes.columns(codes.encode(base, rows)), codes.ask(base, rows[0]))

    assert (rows @ rows[0]).min() > 0.5
    nearest = np.argsort(-(rows @ rows[0]))[:10]
    assert set(nearest) <= set(np.argsort(-told)[:50])
