"""Marking: where in a laid-out prompt cache marks could stand, and where they do."""

from __future__ import annotations

from dataclasses import replace

from growbox_tui.agent.messages import Thinking
from growbox_tui.agent.prompt import Prompt
from growbox_tui.models.cache_marks import Stop, place
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import Mark


def marked(prompt: Prompt, rules: CacheRules, *, previous: str, long_ttl: bool) -> Prompt:
    """The prompt, asking for cache entries by the provider's rules.

    ``previous`` is the digest of the block behind which the request before had its newest mark.
    """
    stops = _stops(prompt, rules)
    ends = [prompt.position(_mark(stop)) for stop in stops]
    before = [at for at, end in enumerate(ends) if prompt.blocks[end].digest == previous]
    marks = place(stops, rules, previous=before[-1] if before else None, long_ttl=long_ttl)
    return prompt.marked(marks)


def standing_end(prompt: Prompt) -> int:
    """The last block of what stands still through an epoch; -1 where there is none."""
    return max((*prompt.region_ends, *prompt.system_ends), default=-1)


def _stops(prompt: Prompt, rules: CacheRules) -> list[Stop]:
    """Where marks could stand: the system texts, the region's segments, the messages."""
    ends = [Stop("system", index) for index in range(len(prompt.system_ends))]
    last = len(prompt.region_ends) - 1
    ends += [
        Stop("message", 0, part=None if part == last else part, region=True)
        for part in range(last + 1)
    ]
    for index in range(1 if last >= 0 else 0, len(prompt.message_ends)):
        message = prompt.request.messages[index]
        thought = not message.parts or isinstance(message.parts[-1], Thinking)
        # Where entries are found without looking back, only what the model heard may be marked.
        fit = message.role != "assistant" or (rules.lookback is not None and not thought)
        ends.append(Stop("message", index, markable=fit))
    stops, begun = [], 0
    for stop in ends:
        end = prompt.position(_mark(stop)) + 1
        blocks = sum(block.parts for block in prompt.blocks[begun:end])
        stops.append(replace(stop, blocks=blocks))
        begun = end
    return stops


def _mark(stop: Stop) -> Mark:
    return Mark(stop.place, stop.index, part=stop.part)
