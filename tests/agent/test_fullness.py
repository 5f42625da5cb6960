"""When an epoch should end, by sizes alone."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.fullness import (
    FORCED,
    Fill,
    forced,
    outgrown,
    smaller,
    sweeps,
    worth_sweeping,
)
from memory.types import Budget

SIZES = Budget(10_000, 1_000, 3_000, 2_000, 4_000, 1_500, condense=0.2)
SOME = Fill(room=10_000, front=1_000, region=1_000, tail=3_000)


def test_a_tail_has_outgrown_its_part_above_its_high_mark() -> None:
    assert not outgrown(SOME, SIZES)
    assert outgrown(replace(SOME, tail=3_001), SIZES)


def test_a_tail_that_an_end_left_large_is_left_until_it_has_grown() -> None:
    left = replace(SOME, tail=3_900, settled=3_000)

    assert not outgrown(left, SIZES)
    assert outgrown(replace(left, tail=4_001), SIZES)


def test_no_end_helps_where_the_front_alone_is_larger() -> None:
    full = Fill(room=1_000, front=1_000, region=0, tail=9_000)

    assert not outgrown(full, SIZES)
    assert forced(full) == FORCED[-1:]
    assert forced(SOME) == FORCED


def test_a_cold_point_is_worth_a_sweep_well_over_a_low_mark() -> None:
    assert not worth_sweeping(Fill(10_000, 0, 2_400, 1_200), SIZES)
    assert worth_sweeping(Fill(10_000, 0, 2_401, 0), SIZES)
    assert worth_sweeping(Fill(10_000, 0, 0, 1_201), SIZES)
    assert not worth_sweeping(Fill(10_000, 0, 0, 1_201, settled=1_100), SIZES)


def test_a_warm_end_sweeps_where_what_leaves_the_tail_finds_no_room() -> None:
    assert not sweeps(Fill(10_000, 0, 3_600, 3_000), SIZES)
    assert sweeps(Fill(10_000, 0, 3_601, 3_000), SIZES)


@given(
    room=st.integers(1, 50_000),
    front=st.integers(0, 60_000),
    share=st.sampled_from(FORCED),
)
def test_smaller_sizes_fit_behind_the_front(room: int, front: int, share: float) -> None:
    made = smaller(Fill(room, front, 0, 0), SIZES, share)

    assert 1 <= made.tail_low <= made.tail_high
    assert 0 <= made.chain <= made.region_low == made.region_high
    assert made.tail_high + made.region_high <= max(1, (room - front) * share)
