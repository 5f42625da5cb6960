"""Adding standardised scores."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.hyperspace.fusion import fuse
from memory.hyperspace.metrics import pair_quantile, standardise

SCORES = st.dictionaries(st.integers(1, 40), st.floats(-50, 50, width=32), max_size=20)


@given(SCORES, SCORES, st.randoms())
def test_the_order_of_the_lists_does_not_matter(text, vector, chance) -> None:
    straight = fuse({"text": list(text.items()), "vector": list(vector.items())})
    shuffled = [list(text.items()), list(vector.items())]
    for ranking in shuffled:
        chance.shuffle(ranking)
    assert fuse({"vector": shuffled[1], "text": shuffled[0]}) == straight


@given(SCORES, SCORES)
def test_every_candidate_comes_once_with_the_ways_that_found_it(text, vector) -> None:
    fused = fuse({"text": list(text.items()), "vector": list(vector.items())})
    assert sorted(seq for seq, _, _ in fused) == sorted(text.keys() | vector.keys())
    for seq, _, ways in fused:
        assert set(ways) == {w for w, s in (("text", text), ("vector", vector)) if seq in s}


def test_what_both_ways_found_comes_before_what_one_found() -> None:
    fused = fuse({"text": [(1, 5.0), (2, 5.0), (3, 1.0)], "vector": [(2, 0.9), (4, 0.8), (5, 0.1)]})
    assert fused[0][0] == 2


def test_a_lone_hit_stands_out_against_a_long_list_of_the_other_way() -> None:
    crowd = [(seq, 0.5 + seq / 1000) for seq in range(10, 50)]
    fused = fuse({"text": [(1, 7.0)], "vector": crowd}, floors={"text": 0.0})
    assert fused[0][0] == 1


def test_equal_scores_come_newest_first() -> None:
    assert [seq for seq, _, _ in fuse({"text": [(1, 2.0), (3, 2.0), (2, 2.0)]})] == [3, 2, 1]


def test_a_heavier_way_decides() -> None:
    rankings = {"text": [(1, 2.0), (2, 1.0)], "time": [(2, 2.0), (1, 1.0)]}
    assert fuse(rankings, {"time": 2.0})[0][0] == 2
    assert fuse(rankings, {"text": 2.0})[0][0] == 1


def test_nothing_fused_is_nothing() -> None:
    assert fuse({}) == []
    assert fuse({"text": []}) == []


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
