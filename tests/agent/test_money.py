from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.messages import Usage
from growbox_tui.agent.money import Bill, bill, prices
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import ModelFacts

MARKS = CacheRules("marks", 300, write=1.25, read=0.05, long_ttl_s=3600, long_write=2.0)
PREFIX = CacheRules("prefix", 600)
SONNET = ModelFacts(
    input_price=2e-6, output_price=1e-5, cache_read_price=1e-7, cache_write_price=2.5e-6
)
LISTED = prices(SONNET, MARKS)


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(10_000, 100, 7_000, 2_000)
    assert bill(LISTED, usage).cost == pytest.approx(
        1_000 * 2e-6 + 7_000 * 1e-7 + 2_000 * 2.5e-6 + 100 * 1e-5
    )


def test_what_lives_long_is_written_at_twice_the_input_price() -> None:
    usage = Usage(10_000, 0, 0, 10_000)
    short, long = bill(LISTED, usage), bill(LISTED, usage, long_written=4_000)
    assert short.cost == pytest.approx(10_000 * 2.5e-6)
    assert long.cost == pytest.approx(6_000 * 2.5e-6 + 4_000 * 4e-6)


def test_saved_is_what_the_same_request_would_have_cost_more_without_a_cache() -> None:
    served = bill(LISTED, Usage(10_000, 100, 9_000, 1_000))
    assert served.saved == pytest.approx(9_000 * (2e-6 - 1e-7) - 1_000 * 0.5e-6)
    written = bill(LISTED, Usage(10_000, 100, 0, 10_000))
    assert written.saved == pytest.approx(-10_000 * 0.5e-6)


def test_lost_is_what_serving_the_bound_would_have_spared() -> None:
    missed = bill(LISTED, Usage(10_000, 0, 0, 10_000), bound=8_000)
    assert missed.lost == pytest.approx(8_000 * (2.5e-6 - 1e-7))
    assert bill(LISTED, Usage(10_000, 0, 8_000, 2_000), bound=8_000).lost == 0.0


@pytest.mark.parametrize(
    ("facts", "usage"),
    [
        (ModelFacts(), Usage(10, 10, 0, 0)),
        (ModelFacts(input_price=1e-6), Usage(10, 10, 0, 0)),
        (SONNET, Usage(None, 10)),
        (SONNET, Usage(10, None)),
        (ModelFacts(input_price=1e-6, output_price=1e-6), Usage(10, 1, 4)),
        (ModelFacts(input_price=1e-6, output_price=1e-6, cache_read_price=1e-7), Usage(9, 1, 0, 4)),
    ],
)
def test_what_is_not_known_stays_unknown(facts: ModelFacts, usage: Usage) -> None:
    assert bill(prices(facts, MARKS), usage) == Bill(None, None, None)


def test_a_price_that_nothing_was_bought_at_need_not_be_known() -> None:
    facts = ModelFacts(input_price=1e-6, output_price=1e-6)
    assert bill(prices(facts, PREFIX), Usage(10, 5, 0)).cost == pytest.approx(15e-6)


def test_where_the_cache_was_not_reported_the_cost_is_known_and_the_saving_is_not() -> None:
    facts = ModelFacts(input_price=1e-6, output_price=1e-6)
    assert bill(prices(facts, PREFIX), Usage(10, 5)) == Bill(pytest.approx(15e-6))


def test_a_list_that_charges_nothing_for_writing_means_the_providers_own_rule() -> None:
    facts = ModelFacts(
        input_price=2e-6, output_price=0.0, cache_read_price=0.0, cache_write_price=0.0
    )
    assert prices(facts, MARKS).write == pytest.approx(2.5e-6)
    assert prices(facts, PREFIX).write == pytest.approx(2e-6)


def test_a_voice_on_this_machine_costs_nothing() -> None:
    local = ModelFacts(8_192, 512, 0.0, 0.0, 0.0, 0.0)
    slot = CacheRules("slot", 1e12, caches_reply=True, read=0.0)
    assert bill(prices(local, slot), Usage(900, 10, 400), bound=800) == Bill(0.0, 0.0, 0.0)


TOKENS = st.integers(0, 100_000)


@given(TOKENS, TOKENS, TOKENS, TOKENS, TOKENS)
def test_cost_and_saving_are_together_what_a_request_costs_without_a_cache(
    fresh: int, read: int, write: int, output: int, bound: int
) -> None:
    usage = Usage(fresh + read + write, output, read, write)
    came = bill(LISTED, usage, long_written=write // 2, bound=bound)
    assert came.cost is not None and came.saved is not None and came.lost is not None
    plain = (fresh + read + write) * 2e-6 + output * 1e-5
    assert came.cost + came.saved == pytest.approx(plain)
    assert came.lost >= 0
