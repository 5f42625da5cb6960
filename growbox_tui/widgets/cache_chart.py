"""Cache chart: of each request two thin columns side by side, what the best cache could have served
and what was served, as shares of the prompt.

Drawn in Braille patterns, which take one cell in every terminal: the left dots of a cell are the
bound, the right ones the report. Where both are equal the column is full, where the report falls
short only its left half stands, so that no colour is needed to see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

if TYPE_CHECKING:
    from growbox_tui.agent.story import StoryRow

DOTS = 4
"""Rows of dots in a cell."""
LEFT = (0x00, 0x40, 0x44, 0x46, 0x47)
RIGHT = (0x00, 0x80, 0xA0, 0xB0, 0xB8)
"""The patterns of nothing to four dots, from the bottom."""
EMPTY = 0x2800


@dataclass(frozen=True, slots=True)
class Column:
    """One or more requests. Shares of their tokens, 0 to 1."""

    bound: float
    served: float | None
    """``None`` where no request of the column was reported."""


def columns(rows: Sequence[StoryRow], cells: int) -> tuple[list[Column], int]:
    """At most ``cells`` columns, oldest first, and how many requests each of them stands for."""
    each = max(1, -(-len(rows) // max(1, cells)))
    groups = [rows[start : start + each] for start in range(0, len(rows), each)]
    return [_column(group) for group in groups], each


def _column(rows: Sequence[StoryRow]) -> Column:
    told = [row for row in rows if row.reported is not None]
    tokens = sum(row.tokens for row in told or rows)
    if not tokens:
        return Column(0.0, None)
    bound = sum(row.bound for row in told or rows) / tokens
    served = sum(row.reported or 0 for row in told) / tokens if told else None
    return Column(bound, served)


def dots(share: float, height: int) -> int:
    """Dots of a column that is ``height`` cells high: none only for nothing, all only for all."""
    most = height * DOTS
    if share <= 0:
        return 0
    return most if share >= 1 else min(most - 1, max(1, round(share * most)))


def falls_short(column: Column) -> bool:
    """Whether the report lies visibly below the bound: by more than a hundredth of the prompt."""
    return column.served is not None and column.bound - column.served > 0.01


def chart(shown: Sequence[Column], height: int) -> list[Content]:
    """``height`` lines, the top one first; columns that fall short in another colour."""
    heights = [_heights(column, height) for column in shown]
    lines = []
    for level in reversed(range(height)):
        parts = []
        for column, (bound, served) in zip(shown, heights, strict=True):
            left, right = _within(max(bound, served), level), _within(served, level)
            parts.append((chr(EMPTY + LEFT[left] + RIGHT[right]), _style(column)))
        lines.append(Content.assemble(*parts))
    return lines


def _heights(column: Column, height: int) -> tuple[int, int]:
    """Dots of the bound and of the report, which differ wherever it falls short."""
    bound, served = dots(column.bound, height), dots(column.served or 0.0, height)
    return bound, min(served, max(0, bound - 1)) if falls_short(column) else served


def _within(filled: int, level: int) -> int:
    return min(DOTS, max(0, filled - level * DOTS))


def _style(column: Column) -> str:
    if column.served is None:
        return "$text-muted"
    return "$text-error" if falls_short(column) else "$text-success"
