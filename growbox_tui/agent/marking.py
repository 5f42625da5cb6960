"""Marking: where in a laid-out prompt cache marks could stand, and where they do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from growbox_tui.agent.messages import Thinking, Usage
from growbox_tui.agent.prompt import Prompt
from growbox_tui.models.cache_marks import Stop, place
from growbox_tui.models.cache_rules import CacheRules


def marked(prompt: Prompt, rules: CacheRules, *, previous: str, long_ttl: bool) -> Prompt:
    """The prompt, asking for cache entries by the provider's rules.

    ``previous`` is the digest of the block behind which the request before had its newest mark.
    """
    ends = _ends(prompt)
    counted = [0, *accumulate(block.parts for block in prompt.blocks)]
    stops, begun = [], 0
    for place_, index, part, end in ends:
        stops.append(
            Stop(
                place_,
                index,
                part,
                blocks=counted[end + 1] - counted[begun],
                region=prompt.blocks[end].segment == "region",
                markable=_markable(prompt, place_, index, rules),
            )
        )
        begun = end + 1
    before = [at for at, (*_, end) in enumerate(ends) if prompt.blocks[end].digest == previous]
    marks = place(stops, rules, previous=before[-1] if before else None, long_ttl=long_ttl)
    return prompt.marked(marks)


def standing_end(prompt: Prompt) -> int:
    """The last block of what stands still through an epoch; -1 where there is none."""
    return max((*prompt.region_ends, *prompt.system_ends), default=-1)


End = tuple[Literal["system", "message"], int, int | None, int]
"""Place, index, part and block of something behind which a mark could stand."""


def _ends(prompt: Prompt) -> list[End]:
    """The ends of the system texts, of the region's segments, of the messages."""
    ends: list[End] = [("system", at, None, end) for at, end in enumerate(prompt.system_ends)]
    last = len(prompt.region_ends) - 1
    ends += [
        ("message", 0, None if part == last else part, end)
        for part, end in enumerate(prompt.region_ends)
    ]
    said = list(enumerate(prompt.message_ends))[1 if last >= 0 else 0 :]
    return [*ends, *(("message", at, None, end) for at, end in said)]


def _markable(
    prompt: Prompt, place_: Literal["system", "message"], index: int, rules: CacheRules
) -> bool:
    """Whether a mark may stand behind it. Where entries are found without looking back, only what
    the model heard may carry one; behind its thoughts none may stand."""
    if place_ == "system":
        return True
    message = prompt.request.messages[index]
    if message.role != "assistant":
        return True
    last = message.parts[-1] if message.parts else None
    return rules.lookback is not None and last is not None and not isinstance(last, Thinking)


def long_written(prompt: Prompt, ends: Sequence[float], usage: Usage) -> int:
    """Of the tokens that were written those that live long. ``ends`` are the tokens up to the end
    of each block."""
    marks = [mark for mark in prompt.request.marks if mark.long and not mark.read_only]
    if not marks or not usage.cache_write:
        return 0
    long_end = ends[prompt.position(marks[-1])]
    return min(usage.cache_write, max(0, round(long_end) - (usage.cache_read or 0)))
