"""The cache bench replays rightly: its traces, its text, its real prompt."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.tokens import estimate
from tests.bench.cache import runs
from tests.bench.cache.layouts import AppendAndCompact, Layout
from tests.bench.cache.meter import Meter, pooled
from tests.bench.cache.providers import PROVIDERS, Provider
from tests.bench.cache.report import figures, table
from tests.bench.cache.traces import load
from tests.bench.cache.words import Writer
from tests.bench.test_cache import session

GIVEN = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "agent_traces"


def write(folder: Path, name: str, *rows: dict[str, object]) -> None:
    lines = [json.dumps({"type": "meta"}), *(json.dumps({"type": "msg", **row}) for row in rows)]
    (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_traces_are_joined_by_family_and_scaled_where_times_tell_of_claude(tmp_path: Path) -> None:
    said = {"role": "user", "tokens": 100, "blocks": 1}
    write(tmp_path, "pi_large", {**said, "t": 3})
    write(tmp_path, "pi_new", {**said, "t": 3})
    write(tmp_path, "swe_01", said, {"role": "system", "tokens": 9})
    write(tmp_path, "swe_00", {"role": "assistant", "tokens": 0})
    write(tmp_path, "mini_00", said)
    write(tmp_path, "aider_00", said)
    write(tmp_path, "aider_01", said)
    found = load(tmp_path)

    assert [message.tokens for message in found["pi_large"] + found["pi_new"]] == [126, 125]
    assert found["pi_new"][0].at == 3
    assert [(m.role, m.tokens, m.at) for m in found["swe_day"]] == [
        ("assistant", 1, 8.0),
        ("user", 100, 668.0),
        ("user", 100, 1_328.0),
    ]
    assert len(found["aider_day"]) == 1


def test_a_line_that_is_no_message_is_told_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, "pi_bad", {"role": "user"})

    with pytest.raises(ValueError, match=r"pi_bad\.jsonl:2"):
        load(tmp_path)
    with pytest.raises(ValueError, match="no traces"):
        load(tmp_path / "nothing")


@given(place=st.integers(0, 2_000), tokens=st.integers(1, 1_500))
def test_text_has_exactly_the_recorded_tokens(place: int, tokens: int) -> None:
    words = Writer("trace")

    for kind in (words.said, words.answered, words.argument, words.output, words.memory):
        assert estimate(kind(place, tokens)) == tokens


def test_text_is_the_same_every_time_and_differs_by_place() -> None:
    assert Writer("a").output(3, 500) == Writer("a").output(3, 500)
    assert Writer("a").output(3, 500) != Writer("a").output(4, 500)
    assert Writer("a").said(3, 50) != Writer("b").said(3, 50)


# ---- the real prompt -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ours() -> runs.Ours:
    return runs.growbox({"made up": tuple(session(turns=12))}, "anthropic_5m", 16_000)


def test_the_real_prompt_stays_within_its_window_and_ends_epochs(ours: runs.Ours) -> None:
    assert ours.epochs > 0
    assert ours.run.kept_warm.largest <= 16_000


def test_the_real_prompt_has_no_full_miss_of_its_own_making(ours: runs.Ours) -> None:
    assert ours.run.with_gaps.full_misses == ours.run.kept_warm.full_misses == 0


def test_the_ledger_foresees_what_the_bench_serves(ours: runs.Ours) -> None:
    assert ours.foreseen >= 0.99


def test_figures_have_the_names_that_they_are_asked_by(ours: runs.Ours) -> None:
    trace = {"made up": tuple(session(turns=12))}
    append = runs.over(trace, PROVIDERS["anthropic_5m"], partial(AppendAndCompact, 16_000))
    told = figures(ours, [append])

    assert {
        "hit_warm",
        "hit_gaps",
        "avoidable_warm",
        "of_bound_warm",
        "self_made_full_misses",
        "input_cost_vs_append_compact",
        "past_tokens_vs_append_compact",
        "worst_call_tokens",
    } <= set(told)
    assert "growbox" in table({"append": append, "growbox": ours.run}, each=True)


if GIVEN.is_dir():
    PUBLISHED: list[tuple[str, str, Callable[[int], Layout], float, float]] = [
        ("anthropic_5m", "append", runs.COMPETITORS["append and compact"], 94.80, 10.69),
        ("anthropic_5m", "sliding", runs.COMPETITORS["sliding"], 67.84, 67.19),
        ("anthropic_5m", "reference", runs.COMPETITORS["reference design"], 84.47, 23.67),
        ("gpt6_explicit", "append", runs.COMPETITORS["append and compact"], 97.35, 7.78),
        ("openai_auto", "head", runs.COMPETITORS["head memory, each turn"], 82.02, 31.42),
        ("deepseek_v4", "batches", runs.COMPETITORS["sliding in batches"], 98.17, 0.70),
        ("llamacpp_slot", "append", runs.COMPETITORS["append and compact"], 98.13, 0.89),
    ]

    @pytest.mark.parametrize(
        ("provider", "layout", "make", "hit", "dollars"),
        PUBLISHED,
        ids=[f"{provider}-{layout}" for provider, layout, *_ in PUBLISHED],
    )
    def test_competitors_come_to_the_published_figures(
        provider: str, layout: str, make: Callable[[int], Layout], hit: float, dollars: float
    ) -> None:
        traces = load(GIVEN)
        one: Provider = PROVIDERS[provider]
        count = pooled(
            [asyncio.run(Meter(one, False).run(trace, make(64_000))) for trace in traces.values()]
        )

        assert round(count.hit, 2) == pytest.approx(hit, abs=0.011)
        assert round(count.cost, 2) == pytest.approx(dollars, abs=0.011)
