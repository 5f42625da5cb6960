from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.economy import (
    START_RATE,
    AppendRate,
    Prices,
    budget,
    order_quantity,
    region_batch,
    ring_slack,
)

CLAUDE = Prices(read=0.05, write=1.25)
AUTOMATIC = Prices(read=0.1, write=1.0)
LOCAL = Prices(read=0.0, write=1.0)
UNCACHED = Prices(read=1.0, write=1.0)

prices = st.builds(
    Prices,
    read=st.floats(0, 2, allow_nan=False),
    write=st.floats(0, 4, allow_nan=False),
)


@pytest.mark.parametrize(
    ("rate", "low", "price", "expected"),
    [
        (400, 8_000, CLAUDE, 12_394),
        (1_000, 8_000, CLAUDE, 19_596),
        (400, 8_000, AUTOMATIC, 7_589),
        (1_000, 8_000, AUTOMATIC, 12_000),
        (400, 8_000, Prices(0.02, 1.0), 17_709),
        (400, 8_000, Prices(0.1, 1.25), 8_579),
        (400, 8_000, Prices(0.025, 1.25), 17_709),
    ],
)
def test_the_slack_of_the_tail_follows_the_root(
    rate: float, low: float, price: Prices, expected: int
) -> None:
    assert round(ring_slack(rate, low, price)) == expected


def test_the_batch_of_the_region_follows_the_root() -> None:
    assert round(region_batch(80, 40_000, CLAUDE)) == 12_394


def test_no_other_slack_costs_less() -> None:
    def cost(slack: float) -> float:
        return 400 * 1.2 * 8_000 / slack + 0.05 * slack / 2

    best = ring_slack(400, 8_000, CLAUDE)

    assert all(cost(best) <= cost(best * share) for share in (0.25, 0.5, 0.9, 1.1, 2, 4))


def test_where_reads_are_free_the_slack_is_without_end() -> None:
    assert ring_slack(400, 8_000, LOCAL) == math.inf


def test_where_a_write_costs_no_more_than_a_read_there_is_no_reason_to_wait() -> None:
    assert ring_slack(400, 8_000, UNCACHED) == 0
    assert order_quantity(0, 1, 1) == 0


def test_the_default_window_carries_a_raw_tail_and_a_region_at_claude_prices() -> None:
    found = budget(64_000, 6_000, START_RATE, CLAUDE)

    assert 3_500 <= found.tail_low <= 4_000
    assert 15_000 <= found.tail_high <= 30_000
    assert 28_000 <= found.region_high <= 35_000
    assert found.region_high / 2 <= found.region_low < found.region_high


def test_dear_reads_make_the_tail_shorter() -> None:
    cheap = budget(64_000, 6_000, START_RATE, CLAUDE)
    dear = budget(64_000, 6_000, START_RATE, AUTOMATIC)
    uncached = budget(64_000, 6_000, START_RATE, UNCACHED)

    assert cheap.tail_high > dear.tail_high > uncached.tail_high


def test_free_reads_are_bounded_by_the_window() -> None:
    found = budget(8_000, 1_300, START_RATE, LOCAL)

    assert found.tail_low < found.tail_high <= 0.6 * 8_000
    assert found.region_high > 0


def test_a_tail_that_hardly_grows_needs_little_slack() -> None:
    slow, fast = (budget(64_000, 6_000, AppendRate(rate), CLAUDE) for rate in (100.0, 1_000.0))

    assert slow.tail_high < fast.tail_high


def test_the_user_may_set_the_region() -> None:
    assert budget(64_000, 6_000, START_RATE, CLAUDE, region=10_000).region_high == 10_000
    assert budget(64_000, 6_000, START_RATE, CLAUDE, region=0).region_high == 0
    too_much = budget(64_000, 6_000, START_RATE, CLAUDE, region=90_000)
    assert 6_000 + too_much.region_high + too_much.tail_high <= 64_000


def test_the_fuller_the_region_the_less_is_kept_of_what_leaves() -> None:
    shares = [
        budget(64_000, 6_000, START_RATE, CLAUDE, filled=filled).condense
        for filled in (0, 5_000, 15_000, 20_000, 30_000)
    ]

    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2 * shares[-1] > 0


def test_the_low_mark_of_the_tail_may_be_given() -> None:
    low, high = (budget(64_000, 6_000, START_RATE, CLAUDE, tail=tail) for tail in (2_000, 12_000))

    assert (low.tail_low, high.tail_low) == (2_000, 12_000)
    assert low.tail_high < high.tail_high


@given(
    window=st.integers(1, 2_000_000),
    fixed=st.integers(0, 50_000),
    rate=st.floats(0, 1e6),
    price=prices,
    region=st.none() | st.integers(-5, 3_000_000),
)
def test_what_a_budget_grants_always_fits(
    window: int, fixed: int, rate: float, price: Prices, region: int | None
) -> None:
    found = budget(window, fixed, rate, price, region=region)

    assert found.region_high + found.tail_high <= max(0, window - fixed)
    assert 0 <= found.tail_low <= found.tail_high
    assert 0 <= found.chain <= found.region_low <= found.region_high


@given(window=st.integers(16_000, 2_000_000), rate=st.floats(0, 1e5), price=prices)
def test_a_tail_always_grows_by_more_than_it_keeps_moving(
    window: int, rate: float, price: Prices
) -> None:
    found = budget(window, 1_300, rate, price)

    assert found.tail_high - found.tail_low >= 1_500
    assert found.tail_low >= 3_000


def test_a_window_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="holds nothing"):
        budget(0, 0, START_RATE, CLAUDE)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -0.1])
def test_a_price_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="a price is"):
        Prices(read=wrong)
    with pytest.raises(ValueError, match="a price is"):
        Prices(write=wrong)


def test_the_rate_comes_to_what_is_appended() -> None:
    rate = AppendRate()
    for _ in range(500):
        rate = rate.after(200)

    assert rate.tokens == pytest.approx(200, rel=0.01)
    assert rate.calls == 500


def test_one_giant_does_not_turn_the_rate() -> None:
    rate = AppendRate()
    for _ in range(100):
        rate = rate.after(500)

    assert rate.after(10_000).tokens < 1.4 * rate.tokens


def test_a_rate_comes_back_from_the_file_as_it_was() -> None:
    rate = AppendRate().after(123).after(4_567)

    assert AppendRate.from_plain(rate.to_plain()) == rate


@pytest.mark.parametrize("plain", [{"tokens": math.nan, "calls": 1}, {"tokens": -1.0, "calls": 1}])
def test_a_damaged_rate_is_refused(plain: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="no append rate"):
        AppendRate.from_plain(plain)
