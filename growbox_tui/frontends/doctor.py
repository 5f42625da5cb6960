"""Doctor: what the model that reads memories is good for, in words and figures."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from growbox_tui.frontends.clean import clean

if TYPE_CHECKING:
    from growbox_tui.wiring import Workbench
    from memory.recall.judge_calibration import Calibration
    from memory.types import MemoryState


async def examined(bench: Workbench, output: Literal["text", "json"]) -> str:
    """Measure the judge that is set and tell of it; the workbench is closed afterwards. Raises
    ``MemoryFileError``, and ``ModelError`` for a name that means no model."""
    try:
        state, found = await bench.state(), await bench.measure_judge()
    finally:
        await bench.close()
    if output == "json":
        return as_json(state, found)
    memories = f"{state.nodes:,} memories in {state.path}; vectors by {state.embedder or 'nobody'}."
    return clean("\n".join([f"Memory: {memories}", "", *as_text(found)]))


def as_json(state: MemoryState, found: Calibration) -> str:
    """One object; what could not be measured is ``null``."""
    judge = {
        **asdict(found),
        "able": found.able,
        "enough": found.enough,
        "precision": found.precision,
        "recall": found.recall if found.enough else None,
        "unknown": found.unknown if found.enough else None,
    }
    memory = {"path": state.path, "nodes": state.nodes, "embedder": state.embedder}
    return json.dumps({"memory": memory, "judge": judge}, ensure_ascii=False)


def as_text(found: Calibration) -> list[str]:
    """Lines that say what a judge is good for."""
    name, _, how = found.stamp.partition("#")
    kinds = {"likelihood": "by likelihood", "ask": "asked in words"}
    kind = kinds.get(how.rstrip("0123456789"), "scripted")
    lines = [f"Judge: {name}, {kind}."]
    if not found.enough:
        return [
            *lines,
            f"It cannot be measured yet: {found.related} related and {found.unrelated} unrelated "
            "pairs are too few. It is not asked until it can be.",
            *_failed(found),
        ]
    where = (
        "questions and the memories that were confirmed to answer them"
        if found.origin == "confirmed"
        else "beginnings of memories and their rest, since few questions were confirmed yet"
    )
    misled = 1000 * found.wrong_yes / found.unrelated
    return [
        *lines,
        f"Measured on {found.related} related pairs ({where}) and {found.unrelated} unrelated.",
        f"  related:   {found.right_yes} yes, {found.wrong_no} no, "
        f"{found.related - found.right_yes - found.wrong_no} unknown",
        f"  unrelated: {found.wrong_yes} yes, {found.right_no} no, "
        f"{found.unrelated - found.wrong_yes - found.right_no} unknown",
        f"It knows {found.recall:.0%} of what is related. Of a thousand unrelated memories it "
        f"would take about {misled:.0f} for related.",
        _verdict(found),
        *_failed(found),
    ]


def _verdict(found: Calibration) -> str:
    if found.able:
        return "Able: it reads memories exactly, and what it says is kept."
    return (
        "Not able: memory does not ask it, and offers exact reading to the model that you talk to. "
        "A larger one is set in config.toml under [subconscious], as model."
    )


def _failed(found: Calibration) -> list[str]:
    return [f"What went wrong last: {found.why}"] if found.why else []
