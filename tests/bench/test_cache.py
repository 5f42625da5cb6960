"""The cache bench counts rightly: its providers, its competitors, its meter."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.cache.layouts import SYSTEM, AppendAndCompact, Layout, Rebuilt, Sliding
from tests.bench.cache.meter import Count, Meter, pooled
from tests.bench.cache.providers import (
    PROVIDERS,
    Asked,
    Blocks,
    Cache,
    MarkCache,
    PrefixCache,
    Price,
    UnitCache,
)
from tests.bench.cache.report import figures
from tests.bench.cache.runs import Ours, Run, known_rules
from tests.bench.cache.traces import Recorded
from tests.doubles.cache_layout import Piece
from tests.doubles.cache_models import CACHES


def blocks(*names: str, tokens: int = 1_000) -> Blocks:
    return [(name, tokens) for name in names]


def read(cache: Cache, *names: str, at: float = 0.0, marks: tuple[int, ...] = ()) -> int:
    return cache.serve(Asked(blocks(*names), at, marks)).read


def session(turns: int, steps: int = 4, tokens: int = 700, pause: float = 5.0) -> list[Recorded]:
    """A made-up trace: questions, each with some calls and results."""
    found: list[Recorded] = []
    for _ in range(turns):
        found.append(Recorded("user", 40, 1, len(found) * pause))
        for step in range(steps):
            found.append(
                Recorded("assistant", 90, 2 if step < steps - 1 else 1, len(found) * pause)
            )
            if step < steps - 1:
                found.append(Recorded("tool", tokens, 1, len(found) * pause))
    return found


def run(trace: list[Recorded], layout: Layout, provider: str = "anthropic_5m") -> Count:
    return asyncio.run(Meter(PROVIDERS[provider], warm=False).run(trace, layout))


def test_an_entry_is_served_only_where_a_mark_was() -> None:
    cache = MarkCache(300, least=0)
    read(cache, "a", "b", "c", marks=(1,))

    assert read(cache, "a", "b", "x", marks=(2,)) == 2_000
    assert read(MarkCache(300, least=0), "a", "b", marks=(1,)) == 0


def test_a_mark_looks_back_over_twenty_blocks_and_no_further() -> None:
    names = [str(number) for number in range(60)]

    for more, expected in ((19, 30_000), (20, 0)):
        cache = MarkCache(300, least=512)
        read(cache, *names[:30], marks=(29,))
        assert read(cache, *names[: 30 + more], marks=(29 + more,)) == expected


def test_an_entry_expires_unless_it_is_read() -> None:
    cache = MarkCache(300, least=0)
    read(cache, "a", marks=(0,))

    assert read(cache, "a", at=300, marks=(0,)) == 1_000
    assert read(cache, "a", at=600, marks=(0,)) == 1_000
    assert read(cache, "a", at=901, marks=(0,)) == 0


def test_an_entry_that_was_asked_to_live_long_outlives_a_pause_and_is_dearer() -> None:
    cache = MarkCache(300, least=0, long_ttl=3_600)
    served = cache.serve(Asked(blocks("a", "b"), 0, (0, 1), long=(0,)))

    assert (served.written, served.lasting) == (2_000, 1_000)
    assert Price(2.0, 0.05, 1.25).of(served) == pytest.approx(0.0065)
    assert read(cache, "a", "b", at=3_000, marks=(0, 1)) == 1_000


def test_what_is_alive_is_read_and_not_written_anew_for_long() -> None:
    cache = MarkCache(300, least=0, long_ttl=3_600)
    read(cache, "a", marks=(0,))

    again = cache.serve(Asked(blocks("a"), 100, (0,), long=(0,)))
    assert (again.read, again.lasting) == (1_000, 0)
    assert read(cache, "a", at=1_000, marks=(0,)) == 0


def test_what_is_too_short_is_not_cached() -> None:
    cache = MarkCache(300, least=1_001)
    read(cache, "a", marks=(0,))

    assert cache.serve(Asked(blocks("a"), 1, (0,))).plain == 1_000


def test_without_look_back_an_entry_is_read_where_it_is_offered() -> None:
    cache = MarkCache(1_800, least=0, lookback=None)
    read(cache, "a", "b", marks=(0,))

    assert read(cache, "a", "x", marks=(1,)) == 0
    assert cache.serve(Asked(blocks("a", "y"), 0, (1,), read_marks=(0,))).read == 1_000


def test_a_prefix_is_served_in_steps_and_never_whole() -> None:
    cache = PrefixCache(600, least=1_024, step=128)
    read(cache, "a", "b")

    assert read(cache, "a", "c") == 0
    assert read(cache, "a", "b", "c") == 1_920
    assert read(PrefixCache(9, step=1), "a") == 0
    same = PrefixCache(9)
    read(same, "a")
    assert read(same, "a") == 999


def test_one_slot_knows_the_last_prompt_and_its_reply() -> None:
    cache = PrefixCache(1e9, replies=True, slot=True)
    cache.serve(Asked(blocks("a"), 0, reply=blocks("b")))

    assert read(cache, "a", "b", "c") == 2_000
    read(cache, "x")
    assert read(cache, "a", "b", "c") == 0


def test_what_two_requests_had_in_common_is_a_unit_for_the_third() -> None:
    cache = UnitCache(1e9)

    assert [read(cache, "a", name) for name in "xyz"] == [0, 0, 1_000]


def test_a_prompt_that_only_grows_pays_every_token_once() -> None:
    trace = session(turns=20)
    count = run(trace, AppendAndCompact(10**9))
    sent = SYSTEM + sum(message.tokens for message in trace[:-1])

    assert count.total - count.read == count.new == sent
    assert count.avoidable == pytest.approx(0)
    assert count.full_misses == 0


def test_a_memory_block_at_the_head_leaves_the_system_text_alone() -> None:
    count = run(session(turns=5), AppendAndCompact(10**9, memory="call"))

    assert count.read == (count.calls - 1) * SYSTEM


def test_compaction_is_one_more_request_and_is_remembered_as_past() -> None:
    layout = AppendAndCompact(16_000)
    count = run(session(turns=12), layout)

    assert count.requests > count.calls
    assert layout.past == 1_200
    assert count.largest <= 0.8 * 16_000 + 1_000


@pytest.mark.parametrize("batch", [0.0, 0.5])
def test_a_sliding_window_never_outgrows_its_window(batch: float) -> None:
    assert run(session(turns=30), Sliding(20_000, batch)).largest <= 20_000


def test_dropping_at_every_call_costs_more_than_dropping_in_batches() -> None:
    each, batches = (run(session(turns=80), Sliding(40_000, batch)) for batch in (0.0, 0.5))

    assert each.cost > 2 * batches.cost
    assert each.full_misses > 10 * batches.full_misses


def test_the_reference_design_rebuilds_at_every_question() -> None:
    assert run(session(turns=30), Rebuilt()).hit < 90


def test_pings_keep_a_cache_alive_and_are_paid_for() -> None:
    trace = [
        *session(turns=1),
        *(Recorded(m.role, m.tokens, m.blocks, m.at + 2_000) for m in session(1)),
    ]
    provider = PROVIDERS["anthropic_5m"]
    cold, warm = (
        asyncio.run(Meter(provider, kept).run(trace, AppendAndCompact(10**9)))
        for kept in (False, True)
    )

    assert (cold.pings, warm.pings) == (0, 7)
    assert warm.read > cold.read
    assert warm.cost < cold.cost


def test_append_and_compact_asks_for_long_entries_once_pauses_have_made_them_pay() -> None:
    trace = session(turns=8, steps=1, pause=400)
    rules = known_rules("anthropic_5m")
    short, long = (run(trace, AppendAndCompact(10**9, lasting=each)) for each in (None, rules))

    assert short.read == 0
    assert long.read > 0
    assert run(session(turns=4), AppendAndCompact(10**9, lasting=rules)) == run(
        session(turns=4), AppendAndCompact(10**9)
    )


def test_of_two_that_append_and_compact_the_figures_take_the_cheaper_each_time() -> None:
    ours, dear = Count(calls=1, cost=9.0), Count(calls=1, cost=20.0)
    cheap = Count(calls=1, cost=10.0)
    runs = [Run({"a": dear}, {"a": cheap}), Run({"a": cheap}, {"a": dear})]
    told = figures(Ours(Run({"a": ours}, {"a": ours}), 0, 0, 0, 1.0), runs)

    assert told["input_cost_vs_append_compact_gaps"] == pytest.approx(0.9)
    assert told["input_cost_vs_append_compact_warm"] == pytest.approx(0.9)


def test_an_expired_cache_is_no_miss_of_our_own_making() -> None:
    trace = session(turns=3, pause=400)

    assert run(trace, AppendAndCompact(10**9)).full_misses == 0


def test_several_traces_are_pooled_token_by_token() -> None:
    both = pooled([Count(calls=1, total=100, read=90, worst=7), Count(total=300, read=10, worst=9)])

    assert (both.hit, both.worst, both.calls) == (25.0, 9, 1)


def test_a_price_is_for_a_million_tokens() -> None:
    cache = MarkCache(300, least=0)
    served = cache.serve(Asked(blocks("a"), 0, (0,)))

    assert Price(2.0, 0.05, 1.25).of(served) == pytest.approx(0.0025)


# ---- beside the loopback provider's caches ---------------------------------------------------

MODELS = ("anthropic_5m", "openai_auto", "gpt6_explicit", "deepseek_v4", "llamacpp_slot")


@given(
    asked=st.lists(
        st.tuples(
            st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
            st.sets(st.integers(0, 5), max_size=4),
            st.floats(0, 2_500),
        ),
        max_size=8,
    ),
    name=st.sampled_from(MODELS),
)
def test_both_models_of_each_cache_serve_alike(
    asked: list[tuple[list[str], set[int], float]], name: str
) -> None:
    ours, theirs = PROVIDERS[name].cache(), CACHES[name]()
    now = 0.0
    for names, places, pause in asked:
        now += pause
        marks = tuple(sorted(place for place in places if place < len(names)))
        pieces = [
            Piece(each.encode() * 3_999, "5m" if at in marks else "")
            for at, each in enumerate(names)
        ]
        sizes = [(each, piece.tokens) for each, piece in zip(names, pieces, strict=True)]
        mine = ours.serve(Asked(sizes, now, marks))
        other = theirs.serve(pieces, now, own=False)

        assert mine.read == other.read
        assert mine.written == other.written
