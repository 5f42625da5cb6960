"""The ledger's forecast beside what caches of providers report, over a session's whole life."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from growbox_tui.agent.events import PromptBuilt, Rebased, Shortfall, UsageReported
from tests.bench.agreement import of_life, tally
from tests.bench.agreement_life import Script, begun, live, pauses, turn
from tests.doubles.cache_provider import Answer, Clock
from tests.doubles.cached_session import VOICES
from tests.doubles.hands import of

NAMES = [name for name in VOICES if name not in ("openai_auto_24h", "kimi", "grok")]
"""The rest differs from ``openai_auto`` in a figure; the bench asks them all."""


@pytest.mark.parametrize("name", NAMES)
async def test_what_is_forecast_is_what_the_provider_reports(name: str, tmp_path: Path) -> None:
    life = await live(VOICES[name], tmp_path / "memory.db", seed=7)
    found = of_life(life)
    assert found.calls > 100
    assert found.near >= 0.99 * found.calls, found
    assert found.exact >= 0.88 * found.calls, found  # a slot serves parts of blocks, too
    assert not found.nameless
    assert len(of(life.events, Rebased)) > 5
    refused = [each for each in life.provider.log if each.served is None]
    assert len(refused) == 2  # the two that the script answers with an error


@pytest.mark.parametrize(
    "kind, read, explained",
    [
        ("provider", 500, True),
        ("estimate", 500, True),
        ("estimate", 1_500, True),
        ("surplus", 1_500, True),
        ("provider", 1_500, False),
        ("surplus", 500, False),
        ("expiry", 500, False),
        ("minimum", 1_500, False),
        ("", 500, False),
    ],
)
def test_only_what_explains_a_difference_is_a_name_for_it(
    kind: Shortfall, read: int, explained: bool
) -> None:
    values = {each.name: 0 for each in fields(UsageReported)}
    more = {"request": 1, "input": 2_000, "predicted": 1_000, "cause": "so it is"}
    report = UsageReported(**{**values, **more, "cache_read": read, "kind": kind})  # type: ignore[arg-type]
    assert tally([report], [PromptBuilt(1, 1, (), 2_000, 1_000, "")]).nameless == (not explained)


async def test_a_break_of_a_begun_reply_leaves_its_prompt_in_the_cache_and_in_the_forecast(
    tmp_path: Path,
) -> None:
    voice, clock = VOICES["anthropic_5m"], Clock()
    async with begun(voice, tmp_path / "memory.db", clock, seed=5) as life:
        script = Script(5, thinks=False)
        for _ in range(3):
            await turn(life, script, script.calls(), script.says())
        await turn(life, script, script.says(breaks="cut"), script.says())
        last = life.reports[-1]
        assert last.cache_read == last.predicted == last.input


async def test_a_request_that_failed_before_it_was_read_is_not_forecast_as_cached(
    tmp_path: Path,
) -> None:
    voice, clock = VOICES["anthropic_5m"], Clock()
    async with begun(voice, tmp_path / "memory.db", clock, seed=5) as life:
        script = Script(5, thinks=False)
        for _ in range(3):
            await turn(life, script, script.calls(), script.says())
        before = life.reports[-1].input
        await turn(life, script, Answer(status=400))
        await turn(life, script, script.says())
        assert life.reports[-1].cache_read == life.reports[-1].predicted == before


async def test_long_entries_outlive_the_pauses_that_they_were_asked_for(tmp_path: Path) -> None:
    voice, clock = VOICES["anthropic_1h"], Clock()
    async with begun(voice, tmp_path / "memory.db", clock, seed=5) as life:
        script = Script(5, thinks=False)
        await pauses(life, script)
        long = [each.at for each in life.provider.log if each.served and each.served.long_written]
        later = [each for each in life.provider.log if each.at - long[0] > 300 and each.served]
        paused = [
            each.served.read
            for before, each in pairwise(later)
            if each.served and 300 < each.at - before.at <= 3600
        ]
        assert any(paused)
