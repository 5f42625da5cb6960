"""Served: with which block that ended which a provider served, where sizes are estimates."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from growbox_tui.agent.reach import Reach


def last_served(
    read: int,
    found: Reach,
    fine: int,
    ends: Sequence[float],
    doubts: Sequence[float],
    reach_of: Callable[[Sequence[float]], Reach],
) -> int | None:
    """The block with which that ended which was served: the one that was forecast, or one that
    would have been were the sizes a little larger or smaller, since no cache holds less than its
    minimum. -1 is none of the blocks, ``None`` that it ended elsewhere.

    Args:
        read: tokens that were served.
        found: what was forecast of it.
        fine: tokens by which both may differ and still agree.
        ends: tokens up to the end of each block.
        doubts: by how many each of them may be wrong.
        reach_of: what would be forecast if they were others.
    """
    if abs(found.tokens - read) <= fine:
        return found.end
    places = {found.end}
    for sign in (-1, 1):
        other = [max(0.0, end + sign * off) for end, off in zip(ends, doubts, strict=True)]
        places.add(reach_of(other).end)
    apart, at = min((abs(read - (ends[at] if at >= 0 else 0.0)), at) for at in places)
    return at if apart <= max(fine, doubts[at] if at >= 0 else 0.0) else None
