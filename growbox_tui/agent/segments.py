"""Segments: a prompt as the prefix bar draws it."""

from __future__ import annotations

from collections.abc import Sequence

from growbox_tui.agent.events import SegmentState, SegmentView
from growbox_tui.agent.prompt import Block
from growbox_tui.agent.reach import Reach


def segments(
    blocks: Sequence[Block], ends: Sequence[float], share: Sequence[float], found: Reach
) -> tuple[SegmentView, ...]:
    """Neighbouring blocks of one segment and state, joined. What stands still but is too short,
    or is rounded away, is no break."""
    still = found.alive if found.limit in ("minimum", "step") else found.end
    joined: list[tuple[str, float, SegmentState]] = []
    begun = 0.0
    for at, (block, end) in enumerate(zip(blocks, ends, strict=True)):
        state: SegmentState = "hit" if at <= still else "broken" if share[at] else "new"
        if joined and joined[-1][0] == block.segment and joined[-1][2] == state:
            joined[-1] = (block.segment, joined[-1][1] + end - begun, state)
        else:
            joined.append((block.segment, end - begun, state))
        begun = end
    return tuple(SegmentView(name, round(tokens), state) for name, tokens, state in joined)
