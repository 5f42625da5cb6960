"""``cache_cases.jsonl``: what happens in a session, and what must not happen to its prompt for it.

Steps and expectation are prose. ``cache_steps`` makes the real session do what a step says, in a
folder of its own, before a provider that caches; ``cache_checks`` asks the provider's log whether
what was expected held. A row with a step or an expectation that neither knows has to be read.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.cases.cache_checks import Check, always, checks_of
from tests.cases.cache_steps import Act, act_of
from tests.cases.cache_world import living
from tests.cases.verdict import Row, Verdict, failed, passed, rows, short, to_read

ROW_SECONDS = 300.0
"""After so long a row is stuck."""


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    for case, row in rows(path):
        yield judged(case, row)


def judged(case: str, row: Row) -> Verdict:
    """Act a row out and look at what was sent."""
    acts = {step: act_of(step) for step in row["steps"]}
    unknown = [step for step, act in acts.items() if act is None]
    if unknown:
        return to_read(case, f"steps that no program here can do: {unknown}")
    checks = checks_of(row["expect"])
    if not checks:
        return to_read(case, f"no check is known for: {short(row['expect'])}")
    steps = [act for step in row["steps"] if (act := acts[step]) is not None]
    try:
        why = asyncio.run(_acted(voice_of(row), steps, checks))
    except Exception as error:  # noqa: BLE001 a row may break anything
        return failed(case, f"raised {error!r}")
    return failed(case, why) if why else passed(case)


def voice_of(row: Row) -> str:
    """The provider that a row is about; where it names none, one that is asked by marks."""
    text = " ".join([*row["steps"], row["expect"]]).casefold()
    for word, voice in (
        ("deepseek", "deepseek_v4"),
        ("reasoning_content", "deepseek_v4"),
        ("include_usage", "openai_auto"),
        ("gpt-6", "gpt6_explicit"),
        ("gpt-5.6", "gpt6_explicit"),
        ("prompt_cache_breakpoint", "gpt6_explicit"),
        ("openai", "openai_auto"),
        ("llama", "llamacpp_slot"),
        ("gemini", "gemini"),
    ):
        if word in text:
            return voice
    return "anthropic_5m"


async def _acted(voice: str, acts: Sequence[Act], checks: Sequence[Check]) -> str:
    """What was wrong, or an empty string."""
    with tempfile.TemporaryDirectory() as folder, living(Path(folder), voice) as world:
        try:
            async with asyncio.timeout(ROW_SECONDS):
                for act in acts:
                    await act(world)
        finally:
            await world.end()
        return next((why for check in (always, *checks) if (why := check(world))), "")
