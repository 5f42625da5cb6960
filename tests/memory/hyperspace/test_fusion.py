"""Adding standardised scores."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.hyperspace.fusion import weigh
from memory.hyperspace.metrics import pair_quantile, standardise

SIGNALS = st.lists(
    st.tuples(st.none() | st.floats(-50, 50, width=32), st.floats(-50, 50, width=32)), max_size=20
)
EQUAL = {"any": {"text": 1.0, "vector": 1.0}}


def scored(rows, weights=EQUAL, kinds=None) -> list[float]:
    signals = {"text": [row[0] for row in rows], "vector": [row[1] for row in rows]}
    return weigh(signals, kinds or ["any"] * len(rows), weights)


@given(SIGNALS, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(rows, chance) -> None:
    order = list(range(len(rows)))
    chance.shuffle(order)
    straight = scored(rows)
    assert scored([rows[place] for place in order]) == [straight[place] for place in order]


def test_what_both_signals_favour_comes_before_what_one_does() -> None:
    scores = scored([(5.0, 0.1), (5.0, 0.9), (1.0, 0.8), (1.0, 0.1)])
    assert max(scores) == scores[1]


def test_a_lone_hit_stands_out_against_a_long_list_of_the_other_signal() -> None:
    scores = scored([(7.0, 0.5), *((0.0, 0.5 + place / 1000) for place in range(40))])
    assert max(scores) == scores[0]


def test_each_kind_of_content_has_weights_of_its_own() -> None:
    weights = {"prose": {"text": 1.0}, "code": {"vector": 2.0}}
    rows = [(2.0, 1.0), (1.0, 2.0), (1.0, 2.0)]
    prose, code, other = scored(rows, weights, ["prose", "code", "prose"])
    assert code == pytest.approx(2 * standardise([1.0, 2.0, 2.0])[1])
    assert prose > 0 > other


def test_what_has_no_such_signal_stands_at_its_mean() -> None:
    scores = scored([(None, 1.0), (3.0, 1.0), (1.0, 1.0)])
    assert scores == [0.0, 1.0, -1.0]


def test_a_scale_does_not_matter() -> None:
    rows = [(1.0, 3.0), (2.0, 1.0), (4.0, 2.0)]
    assert scored([(1000 * a + 7, b) for a, b in rows]) == pytest.approx(scored(rows))


def test_nothing_weighed_is_nothing() -> None:
    assert weigh({}, [], EQUAL) == []


@given(st.lists(st.floats(-1e6, 1e6), max_size=30))
def test_standard_scores_keep_the_order_and_balance(scores) -> None:
    result = standardise(scores)
    assert abs(fsum(result)) < 1e-3
    for (a, z), (b, y) in zip(zip(scores, result), zip(scores[1:], result[1:])):  # noqa: B905
        assert not (a < b and z > y)


def test_the_quantile_of_pairs_leaves_out_a_vectors_likeness_to_itself() -> None:
    rows = np.eye(8, dtype=np.float32)
    assert pair_quantile(rows, 1.0) == 0
    with pytest.raises(ValueError, match="fewer than two"):
        pair_quantile(rows[:1], 0.5)
