"""Shortfalls: why a cache serves less of a prompt than was sent before, as a class and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from growbox_tui.agent.events import Shortfall
from growbox_tui.agent.prompt import Prompt
from growbox_tui.agent.reach import Reach
from growbox_tui.models.cache_rules import CacheRules

Why = tuple[Shortfall, str]
"""The class of a cause, and the cause in words; both empty where nothing is missing."""

SLACK = 100
"""A gap below one part in so many of the prompt is no disagreement."""


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of the requests before, besides what a cache holds of them."""

    requests: int = 0
    """How many went to this model in this session."""
    other: str = ""
    """The model that was last asked in this session, where it was another one."""
    epoch: int = 0
    """The epoch of the last request to this model."""
    at: float | None = None
    """When that was sent, in seconds."""
    forgotten: bool = False
    """Whether that is so long ago that nothing else is remembered."""


def slack(total: float, step: int = 1) -> int:
    """Tokens by which forecast and report may differ and still agree."""
    return max(step, round(total) // SLACK)


def foreseen(
    prompt: Prompt,
    ends: Sequence[float],
    found: Reach,
    bound: float,
    rules: CacheRules,
    past: Past,
    now: float,
) -> Why:
    """Why less than ``bound``, the tokens that were sent before, is forecast to be served: the
    largest of what a break, a pause and the cache's own rules take away."""
    if not past.requests:
        changed = f"the model changed from {past.other}; nothing of the prompt is cached for it"
        return ("model", changed) if past.other else ("first", "")
    if past.forgotten:
        return _long_gone(found, rules, past, now)
    same = ends[found.same] if found.same >= 0 else 0.0
    alive = ends[found.alive] if found.alive >= 0 else 0.0
    broken, expired, limited = bound - same, same - alive, alive - found.tokens
    worst = max(broken, expired, limited)
    if worst < 1 or (worst == limited and worst <= slack(ends[-1])):
        return "", ""
    if worst == broken:
        return _broken(prompt, found.same + 1, broken, past)
    if worst == expired:
        return _expired(expired, rules, past, now)
    return _limited(limited, found, rules)


def _broken(prompt: Prompt, at: int, lost: float, past: Past) -> Why:
    segment = prompt.blocks[at].segment if at < len(prompt.blocks) else "turn"
    tokens = f"{round(lost):,} tokens that were sent before stand behind it"
    if segment in ("tools", "system"):
        return "setting", f"the {segment} changed; {tokens}"
    if prompt.epoch != past.epoch:
        return "epoch", f"its bytes differ from block {at + 1} on, in {segment}; {tokens}"
    if segment == "rules":
        return "setting", f"the {segment} changed; {tokens}"
    return "edit", f"bytes changed at block {at + 1}, in {segment}; {tokens}"


def _expired(lost: float, rules: CacheRules, past: Past, now: float) -> Why:
    if rules.kind == "slot":
        return "expiry", f"another prompt took the one slot; {round(lost):,} tokens were in it"
    pause = span(now - past.at) if past.at is not None else "some time"
    return "expiry", f"nothing was asked for {pause}, and entries live {span(rules.ttl_s)}"


def _long_gone(found: Reach, rules: CacheRules, past: Past, now: float) -> Why:
    if rules.kind != "slot":
        return _expired(0.0, rules, past, now)
    pause = span(now - past.at) if past.at is not None else "some time"
    unknown = f"nothing was asked for {pause}; what the slot holds since then is not known"
    return ("", "") if found.tokens else ("expiry", unknown)


def _limited(lost: float, found: Reach, rules: CacheRules) -> Why:
    tokens = f"{round(lost):,} tokens"
    match found.limit:
        case "minimum":
            return "minimum", f"less than {rules.min_tokens:,} tokens are not cached"
        case "look-back":
            return "look-back", (
                f"{tokens} are stored further back than the {rules.lookback or rules.read_marks} "
                + ("blocks that a mark looks over" if rules.lookback else "marks that are read")
            )
        case "step":
            return "step", f"served in steps of {rules.step} tokens"
        case _ if rules.kind == "none":
            return "marks", "nothing is cached there"
        case _ if rules.kind == "units":
            return (
                "marks",
                f"only what ends where a request or reply ended is served; {tokens} do not",
            )
        case _:
            return "marks", f"no earlier request asked for an entry there; {tokens} stand behind it"


def reported(
    predicted: int,
    most: int,
    read: int | None,
    fine: int,
    rules: CacheRules,
    before: Why,
    *,
    unsure: bool = False,
) -> Why:
    """What there is to say once the provider reported; ``before`` is why less was forecast.

    ``most`` is what would be served if requests that were never finished had been cached. By up
    to ``fine`` tokens forecast and report may differ and still agree; ``unsure`` is whether a
    larger gap is within what the estimated size of the part that was served may be off.
    """
    if read is None:
        silent = "the provider reported no cache figures"
        return "not reported", silent if rules.reports else f"{silent}; it never does"
    gap = predicted - read
    if abs(gap) <= fine:
        return before
    if unsure:
        more = f"{abs(gap):,} tokens {'more' if gap < 0 else 'less'} were served than estimated"
        said = f"the size of this part was not known before: {more}"
        return "estimate", f"{said}; {before[1]}" if before[1] else said
    if gap < 0:
        more = f"{-gap:,} tokens more were served than forecast"
        return "surplus", f"{more}: a request that was not finished was cached after all" if (
            read <= most + fine
        ) else more
    if read == 0:
        return "provider", "the provider served nothing although by its rules it holds the prompt"
    return "provider", f"the provider served {gap:,} tokens less than its rules promise"


def span(seconds: float) -> str:
    """A length of time in words: ``40 s``, ``6 min``, ``3 h``."""
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 5_400 else f"{round(seconds / 3_600)} h"
