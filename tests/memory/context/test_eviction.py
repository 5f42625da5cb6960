"""Two-stage eviction: the worked example to 1e-6, its edges, and its laws."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.eviction import (
    Eviction,
    Policy,
    cosine,
    relevance,
    score,
    two_stage,
)
from memory.types import Line

NOW = 1_000_000_000
SOFT, HARD = Policy(protect="soft"), Policy(protect="hard")
QUERY = [0.5, 0.3, 0.8, 0.1]


def line(
    seq: int, tokens: int, judged: float | None, seconds: float, supplement: bool = False
) -> Line:
    at = NOW - int(seconds * 1000)
    role = "user" if seq in (1, 3, 4) else "assistant"
    return Line(
        *(seq, seq, role, f"line {seq}", tokens, at, at, f"node{seq}"),
        relevance=judged,
        supplement=supplement,
    )


FIVE = (
    line(1, 60, 0.90, 0),
    line(2, 80, 0.85, 0),
    line(3, 40, 0.20, 400, supplement=True),
    line(4, 50, 0.10, 600),
    line(5, 70, 0.15, 600),
)


def seqs(lines: tuple[Line, ...]) -> list[int]:
    return [line.seq for line in lines]


def left(eviction: Eviction) -> list[int]:
    return [leaving.line.seq for leaving in eviction.out]


def test_the_example_has_five_lines_of_300_tokens() -> None:
    assert (len(FIVE), sum(line.tokens for line in FIVE)) == (5, 300)


def test_stage_one_alone_brings_the_example_to_180() -> None:
    done = two_stage(FIVE, 200, NOW)

    assert left(done) == [4, 5]
    assert [leaving.stage for leaving in done.out] == [1, 1]
    assert (seqs(done.kept), done.tokens, done.over_budget) == ([1, 2, 3], 180, False)


def test_stage_two_takes_the_supplement_where_it_is_literal() -> None:
    done = two_stage(FIVE, 150, NOW)

    assert left(done) == [4, 5, 3]
    assert done.out[-1].stage == 2
    assert done.out[-1].score == pytest.approx(0.12537680, abs=1e-6)
    assert (seqs(done.kept), done.tokens) == ([1, 2], 140)


def test_the_scores_of_the_example_are_exact() -> None:
    expected = [0.74327869, 0.71246914, 0.12537680, 0.06425435, 0.09314968]

    assert [score(line, NOW) for line in FIVE] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("budget", "policy", "kept", "tokens", "over"),
    [
        *((budget, policy, [1, 2, 3], 180, False) for budget in (180, 249, 300)
          for policy in (Policy(), SOFT, HARD)),
        *((budget, Policy(), [1, 2], 140, False) for budget in (140, 179)),
        *((budget, policy, [1, 3], 100, False) for budget in (100, 140, 179)
          for policy in (SOFT, HARD)),
        *((budget, Policy(), [1], 60, False) for budget in (60, 100, 139)),
        *((budget, policy, [3], 40, False) for budget in (40, 60, 99) for policy in (SOFT, HARD)),
        # The last one stays, so nothing empties the chain.
        *((budget, Policy(), [1], 60, True) for budget in (-1, 0, 39, 59)),
        *((budget, policy, [3], 40, True) for budget in (-1, 0, 30, 39) for policy in (SOFT, HARD)),
    ],
)  # fmt: skip
def test_each_policy_keeps_what_the_table_says(
    budget: int, policy: Policy, kept: list[int], tokens: int, over: bool
) -> None:
    done = two_stage(FIVE, budget, NOW, policy=policy)

    assert (seqs(done.kept), done.tokens, done.over_budget) == (kept, tokens, over)


def test_a_softly_protected_supplement_outlives_a_relevant_line() -> None:
    done = two_stage(FIVE, 150, NOW, policy=SOFT)

    assert left(done) == [4, 5, 2]
    assert done.out[-1].score == pytest.approx(0.71246914, abs=1e-6)


def test_hard_protection_ends_over_budget_and_not_in_a_loop() -> None:
    two = (*FIVE, line(6, 90, 0.0, 5000, supplement=True))

    done = two_stage(two, 30, NOW, policy=HARD)

    assert (seqs(done.kept), done.over_budget) == ([3, 6], True)


@pytest.mark.parametrize(
    ("budget", "kept"),
    [(400, [1, 2, 3, 4, 5]), (300, [1, 2, 3, 4, 5]), (299, [1, 2, 3, 5]), (250, [1, 2, 3, 5]),
     (249, [1, 2, 3]), (180, [1, 2, 3]), (150, [1, 2])],
)  # fmt: skip
def test_a_gated_stage_one_stops_as_soon_as_the_lines_fit(budget: int, kept: list[int]) -> None:
    assert seqs(two_stage(FIVE, budget, NOW, policy=Policy(stage_one="gated")).kept) == kept


def test_stage_one_drops_under_budget_too_unless_it_is_gated() -> None:
    assert seqs(two_stage(FIVE, 400, NOW).kept) == [1, 2, 3]


def test_one_line_that_is_too_large_stays_and_the_flag_tells() -> None:
    done = two_stage([line(1, 500, 0.9, 0)], 100, NOW)

    assert (seqs(done.kept), done.over_budget) == ([1], True)


def test_stage_one_never_takes_the_last_line_either() -> None:
    done = two_stage([line(1, 5, 0.1, 900), line(2, 5, 0.2, 900), line(3, 5, 0.1, 900)], 100, NOW)

    assert (seqs(done.kept), left(done)) == ([2], [1, 3])


def test_both_boundaries_are_strict() -> None:
    lines = [line(1, 10, 0.3, 900), line(2, 10, 0.1, 300), line(3, 10, 0.1, 300.001)]

    assert seqs(two_stage(lines, 100, NOW).kept) == [1, 2]


def test_a_supplement_is_shielded_in_stage_one() -> None:
    lines = [line(1, 10, 0.0, 9999, supplement=True), line(2, 10, 0.9, 0)]

    assert seqs(two_stage(lines, 100, NOW).kept) == [1, 2]


@pytest.mark.parametrize("judged", [nan, None, inf, -inf])
def test_an_unknown_relevance_is_not_low_and_counts_half(judged: float | None) -> None:
    lines = [FIVE[0], replace(FIVE[1], relevance=judged), *FIVE[2:]]

    done = two_stage(lines, 150, NOW)

    assert seqs(done.kept) == [1, 2]
    assert score(lines[1], NOW) == pytest.approx(0.3 + 0.4 * (0.5 + 0.5 / 81), abs=1e-9)
    old = line(9, 10, judged, 9999)
    assert seqs(two_stage([old, FIVE[0]], 100, NOW).kept) == [9, 1]


@pytest.mark.parametrize("first", [True, False])
def test_a_nan_makes_the_order_of_the_others_no_garbage(first: bool) -> None:
    odd, low, high = line(7, 10, nan, 10), line(8, 10, 0.35, 10), line(9, 10, 0.9, 10)
    lines = [odd, low, high] if first else [low, high, odd]

    assert left(two_stage(lines, 20, NOW)) == [8]


@pytest.mark.parametrize(
    "vector",
    [(), (0.1,), (0.0, 0.0, 0.0, 0.0), (nan, 0.0, 0.0, 1.0), (inf, 0.0, 0.0, 1.0),
     (1.0, -inf, 0.0, 0.0), None],
)  # fmt: skip
def test_a_vector_that_cannot_be_compared_gives_way_to_the_relevance(
    vector: tuple[float, ...] | None,
) -> None:
    judged = replace(FIVE[0], embedding=vector)

    assert score(judged, NOW, QUERY) == score(FIVE[0], NOW)
    assert score(replace(judged, relevance=nan), NOW, QUERY) == pytest.approx(
        0.3 + 0.4 * (0.5 + 0.5 / 61)
    )
    assert cosine(vector, QUERY) is None
    assert cosine(QUERY, vector) is None


def test_cosines_are_exact_and_the_opposite_is_far() -> None:
    def meaning(vector: list[float]) -> float:
        whole = score(replace(FIVE[0], embedding=tuple(vector)), NOW, QUERY)
        return (whole - 0.4 * (0.5 + 0.5 / 61)) / 0.6

    assert meaning(QUERY) == pytest.approx(1.0, abs=1e-6)
    assert meaning([1, 0, 0, 0]) == pytest.approx(0.502519, abs=1e-6)
    assert meaning([-part for part in QUERY]) == pytest.approx(0.0, abs=1e-6)
    assert meaning([0, 0, 1, 0]) == pytest.approx(0.804030, abs=1e-6)
    assert cosine(QUERY, [-part for part in QUERY]) == pytest.approx(-1.0)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_a_cosine_does_not_depend_on_how_long_the_vectors_are(size: float) -> None:
    assert cosine([0.6 * size, 0.8 * size], [3, 4]) == pytest.approx(1.0)


def test_of_two_equal_lines_the_older_leaves() -> None:
    twins = [line(1, 10, 0.5, 60), line(2, 10, 0.5, 60)]

    assert left(two_stage(twins, 10, NOW)) == [1]


def test_a_line_without_tokens_frees_nothing_and_is_not_chosen() -> None:
    free = line(1, 0, 0.31, 9999)

    done = two_stage([free, *FIVE[:2]], 60, NOW)

    assert (seqs(done.kept), done.over_budget) == ([1, 1], False)
    only_free = two_stage([free, replace(free, seq=2)], -1, NOW)
    assert (seqs(only_free.kept), only_free.over_budget) == ([1, 2], True)


def test_recency_is_of_the_last_need_and_not_of_the_making() -> None:
    made = line(1, 0, 0.0, 600)

    assert score(made, NOW) == pytest.approx(0.4 * (0.5 * 0.00166389 + 0.5), abs=1e-8)
    assert score(replace(made, accessed=NOW), NOW) == pytest.approx(0.4, abs=1e-12)


def test_a_clock_that_was_put_back_makes_a_line_new() -> None:
    assert score(line(1, 0, 0.0, -5000), NOW) == pytest.approx(0.4, abs=1e-12)
    assert seqs(two_stage([line(1, 9, 0.0, -5000), FIVE[0]], 100, NOW).kept) == [1, 1]


def test_recency_may_fade_by_half_lives() -> None:
    fading = Policy(half_life=600)

    assert score(line(1, 0, 0.0, 600), NOW, policy=fading) == pytest.approx(0.4 * 0.75)
    assert score(line(1, 0, 0.0, 1200), NOW, policy=fading) == pytest.approx(0.4 * 0.625)


def test_held_lines_stay_whatever_they_are_worth() -> None:
    done = two_stage(FIVE, 130, NOW, held={4, 3})

    assert seqs(done.kept) == [3, 4]


def test_nothing_evicts_nothing() -> None:
    assert two_stage([], 0, NOW) == Eviction((), (), 0, False)


def test_relevance_is_to_the_task_and_to_the_message_before() -> None:
    task, other = [1.0, 0.0], [0.0, 1.0]

    assert relevance(task, task, other) == pytest.approx(0.6)
    assert relevance(task, other, task) == pytest.approx(0.4)
    assert relevance(task, task, None) == pytest.approx(0.8)
    assert relevance(None, task, other) == pytest.approx(0.5)
    assert relevance([nan, 1.0], task, other) == pytest.approx(0.5)
    assert relevance([-1.0, 0.0], task, task) == 0.001


NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.floats(0, 1)
VECTORS = st.none() | st.lists(NUMBERS, max_size=4).map(tuple)
LINES = st.lists(
    st.builds(
        Line,
        seq=st.integers(1, 10**6),
        turn=st.just(1),
        role=st.sampled_from(("user", "assistant", "tool")),
        text=st.just("x"),
        tokens=st.integers(-5, 200),
        at=st.just(0),
        accessed=st.integers(NOW - 10**6, NOW + 10**5),
        node=st.just("n"),
        relevance=st.none() | NUMBERS,
        embedding=VECTORS,
        supplement=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda line: line.seq,
)
POLICIES = st.builds(
    Policy,
    protect=st.sampled_from(("literal", "soft", "hard")),
    stage_one=st.sampled_from(("always", "gated")),
    half_life=st.none() | st.floats(-1, 1e6),
)


@given(LINES, st.integers(-10, 900), VECTORS, POLICIES, st.sets(st.integers(0, 11)))
def test_whatever_comes_the_laws_hold(
    lines: list[Line], budget: int, query: tuple[float, ...] | None, policy: Policy, at: set[int]
) -> None:
    before = list(lines)
    held = {lines[place].seq for place in at if place < len(lines)}

    done = two_stage(lines, budget, NOW, query, policy, held)

    # NaN equals nothing, so both are compared as they are written.
    assert repr(two_stage(lines, budget, NOW, query, policy, held)) == repr(done)
    assert all(one is other for one, other in zip(lines, before, strict=True))
    assert sorted(left(done) + seqs(done.kept)) == sorted(seqs(tuple(lines)))
    order = [line.seq for line in lines]
    assert seqs(done.kept) == sorted(seqs(done.kept), key=order.index)
    assert done.tokens == sum(max(0, line.tokens) for line in done.kept)
    assert done.over_budget == (done.tokens > budget)
    assert bool(done.kept) == bool(lines)
    assert held <= set(seqs(done.kept))
    if done.over_budget and len(done.kept) > 1:
        hard = policy.protect == "hard"
        for line in done.kept:
            assert line.tokens <= 0 or line.seq in held or (hard and line.supplement)
    if policy.protect == "hard":
        assert not any(leaving.line.supplement for leaving in done.out)
    stages = [leaving.stage for leaving in done.out]
    assert stages == sorted(stages)
    assert not any(leaving.line.supplement for leaving in done.out if leaving.stage == 1)


@given(LINES, st.integers(0, 900))
def test_a_larger_budget_never_keeps_fewer_tokens_less(lines: list[Line], budget: int) -> None:
    small, large = two_stage(lines, budget, NOW), two_stage(lines, budget + 50, NOW)

    assert set(seqs(small.kept)) <= set(seqs(large.kept))


@given(VECTORS, VECTORS, VECTORS)
def test_relevance_is_always_a_number_from_0_001_to_1(
    one: tuple[float, ...] | None,
    task: tuple[float, ...] | None,
    previous: tuple[float, ...] | None,
) -> None:
    assert 0.001 <= relevance(one, task, previous) <= 1.0
