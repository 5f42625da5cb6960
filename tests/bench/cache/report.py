"""Report: the figures of all layouts side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.bench.cache.meter import Count
from tests.bench.cache.runs import Ours, Run
from tests.bench.figures import Figures

HEADS = ("hit %", "bound %", "avoidable", "dollars", "uncached", "worst", "past", "full misses")
"""Of a pair of columns each: with the recorded gaps, kept warm."""


def table(rows: Mapping[str, Run], *, each: bool = False) -> str:
    """One line a layout, with ``each`` one for each trace as well."""
    lines: list[tuple[str, list[str]]] = []
    for name, run in rows.items():
        lines.append((name, _cells(run.with_gaps, run.kept_warm)))
        if each:
            lines += [
                (f"  {trace}", _cells(run.gaps[trace], run.warm[trace])) for trace in run.gaps
            ]
    return _aligned("layout (gaps, warm)", HEADS, lines)


def curve_table(found: Mapping[int, Ours]) -> str:
    """One line for each low water mark of the tail."""
    lines = []
    for low, ours in found.items():
        cells = _cells(ours.run.with_gaps, ours.run.kept_warm)
        lines.append((f"{low:6d}", [*cells, str(ours.raw_tail), str(ours.least_tail)]))
    return _aligned("tail keeps (gaps, warm)", (*HEADS, "raw tail", "least"), lines)


def figures(ours: Ours, appends: Sequence[Run]) -> Figures:
    """What the real prompt comes to, and next to an agent that appends and compacts: with the
    recorded gaps and kept warm next to the cheapest of ``appends`` there.

    Costs and tokens about the past are ratios; of the two costs the worse counts.
    """
    gaps, warm = ours.run.with_gaps, ours.run.kept_warm
    beside = {
        "gaps": (gaps, min((run.with_gaps for run in appends), key=lambda count: count.cost)),
        "warm": (warm, min((run.kept_warm for run in appends), key=lambda count: count.cost)),
    }
    costs = {name: one.cost / other.cost for name, (one, other) in beside.items()}
    past = min(one.carried / max(1.0, other.carried) for one, other in beside.values())
    return {
        "hit_warm": warm.hit,
        "hit_gaps": gaps.hit,
        "avoidable_warm": warm.avoidable,
        "of_bound_warm": warm.of_bound,
        "self_made_full_misses": gaps.full_misses + warm.full_misses,
        "input_cost_vs_append_compact": max(costs.values()),
        "input_cost_vs_append_compact_gaps": costs["gaps"],
        "input_cost_vs_append_compact_warm": costs["warm"],
        "past_tokens_vs_append_compact": past,
        "worst_call_tokens": max(gaps.worst, warm.worst),
        "largest_prompt_tokens": max(gaps.largest, warm.largest),
        "raw_tail_tokens": ours.raw_tail,
        "least_raw_tail_tokens": ours.least_tail,
        "epochs_ended": ours.epochs,
        "forecasts_equal": ours.foreseen,
        "calls": warm.calls,
    }


def _cells(gaps: Count, warm: Count) -> list[str]:
    return [f"{cold} {kept:>6}" for cold, kept in zip(_told(gaps), _told(warm), strict=True)]


def _told(count: Count) -> list[str]:
    return [
        f"{count.hit:.2f}",
        f"{count.bound:.2f}",
        f"{count.avoidable:.2f}",
        f"{count.cost:.2f}",
        f"{(count.total - count.read) / 1e6:.2f}M",
        str(count.worst),
        f"{count.carried:.0f}",
        str(count.full_misses),
    ]


def _aligned(name: str, heads: Sequence[str], lines: Sequence[tuple[str, list[str]]]) -> str:
    first = max(len(name), *(len(label) for label, _ in lines))
    widths = [
        max(len(head), *(len(cells[at]) for _, cells in lines)) for at, head in enumerate(heads)
    ]
    rows = [(name, list(heads)), *lines]
    return "\n".join(
        label.ljust(first)
        + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
        for label, cells in rows
    )
