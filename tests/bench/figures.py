"""Figures and how they are shown: a table for people, one JSON object for programs."""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence

Figure = float | int | str | bool
Figures = Mapping[str, Figure]


def machine() -> str:
    """The machine in a few words, since a time means nothing without it."""
    load = os.getloadavg()[0]
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"load {load:.1f}, Python {platform.python_version()}"
    )


def median_of(times: int, measure: Callable[[], float]) -> float:
    """The median of several measurements."""
    return statistics.median(measure() for _ in range(times))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of all values lies (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def table(figures: Figures) -> str:
    """One figure a line, names aligned."""
    width = max(map(len, figures), default=0)
    return "\n".join(f"{name:<{width}}  {shown(value)}" for name, value in figures.items())


def shown(value: Figure) -> str:
    """A figure as people read it."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def as_json(figures: Figures) -> str:
    """All figures as one line."""
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}
    return json.dumps(rounded)
