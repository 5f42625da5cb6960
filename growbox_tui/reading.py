"""Reading: which judge reads memories exactly, and what it proved to be good for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from growbox_tui.models.judges.choose import AnyJudge
    from growbox_tui.models.protocol import Model
    from memory import Memory
    from memory.recall.judge_calibration import Calibration

QUICK_PAIRS = 24
"""Related pairs that are asked about behind the turns; ``growbox doctor`` asks about more."""


async def judge_for(
    name: str, memory: Memory, open_voice: Callable[[str], Model]
) -> tuple[AnyJudge | None, str]:
    """The judge of a name (empty is the bundled model), as able as it proved on this file, and why
    there is none if it cannot be had. ``None`` too where only the bundled model is set and it did
    not prove able: then nothing of it is even imported."""
    if not name and not await memory.kept_under("judge:local/bundled#"):
        return None, ""
    from growbox_tui.models.judges.choose import judge_of
    from growbox_tui.models.protocol import ModelError

    try:
        judge = judge_of(name, open_voice)
    except ModelError as error:
        return None, f"Memories are not read exactly: {error.text}"
    take(judge, await memory.calibrated(judge.stamp))
    return (judge if name or judge.able else None), ""


def take(judge: AnyJudge, found: Calibration | None) -> None:
    """Let a judge do what it proved able to. A scripted one is taken at its word."""
    from growbox_tui.models.judges.likelihood import LikelihoodJudge
    from growbox_tui.models.judges.scripted import ScriptedJudge

    if isinstance(judge, ScriptedJudge):
        return
    judge.able = found is not None and found.able
    if isinstance(judge, LikelihoodJudge):
        judge.bars = found.bars if found is not None else None


async def measure(name: str, memory: Memory, open_voice: Callable[[str], Model]) -> Calibration:
    """Ask the judge of a name about pairs of this file, and keep what it is good for. Raises
    ``ModelError`` for a name that means none."""
    from growbox_tui.models.judges.choose import judge_of

    judge = judge_of(name, open_voice)
    try:
        return await memory.calibrate(judge)
    finally:
        await judge.close()


async def measure_behind(judge: AnyJudge | None, memory: Memory) -> str:
    """Measure a judge that never was, with few pairs; what is to be told of it, in words. Nothing
    happens for one that was measured or is scripted."""
    if judge is None:
        return ""
    from growbox_tui.models.judges.scripted import ScriptedJudge

    if isinstance(judge, ScriptedJudge) or await memory.calibrated(judge.stamp) is not None:
        return ""
    found = await memory.calibrate(judge, QUICK_PAIRS)
    take(judge, found)
    if not found.enough:
        return ""
    what = "reads memories exactly from now on" if judge.able else "proved not able to judge them"
    return f"{judge.stamp.partition('#')[0]} {what}; growbox doctor tells more."
