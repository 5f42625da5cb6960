"""Cache marks: behind which blocks of a prompt a request asks for a cache entry.

A cache that works by marks serves a prefix only where an earlier request had one, and few count in
one request. So two stand still (the end of the system text, the end of the region) and two move:
one behind the newest message, and one where the request before had its newest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import Mark

STRIDE = 15
"""Content blocks between additional marks: well within the look-back of every provider."""
FEWEST_PAUSES = 2
"""Pauses that a long entry must have saved before one is asked for: one alone is an accident."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One place of a laid-out prompt behind which a mark could stand, in prompt order."""

    place: Literal["system", "message"]
    index: int
    """Into ``Request.system`` or ``Request.messages``."""
    part: int | None = None
    """Into the message's parts, for a segment of the region; ``None`` is the message's end."""
    blocks: int = 1
    """Content blocks that stand between the stop before and this one, this one's included."""
    region: bool = False
    """Whether it ends a segment of the region."""
    markable: bool = True
    """Whether a mark may stand here: not behind a reply where only words of the user may carry
    one, and not behind thinking."""


def place(
    stops: Sequence[Stop],
    rules: CacheRules,
    *,
    previous: int | None = None,
    long_ttl: bool = False,
) -> tuple[Mark, ...]:
    """The marks of one request, in prompt order; empty where the cache needs none.

    ``previous`` is the stop (an index into ``stops``) where the request before had its newest
    mark, ``None`` where there was none or its bytes stand there no more. ``long_ttl`` asks for
    long entries where the prompt stands still. At most ``rules.max_marks`` marks are written;
    further ones are offered for reading where ``rules.read_marks`` allows more.
    """
    if rules.kind != "marks" or rules.max_marks < 1:
        return ()
    moving = [
        at
        for at in (previous, _last_markable(stops))
        if at is not None and 0 <= at < len(stops) and stops[at].markable
    ]
    chosen = _fitting(stops, moving, rules.max_marks)
    if rules.lookback is not None:
        chosen = _closer(stops, chosen, rules.max_marks, rules.lookback)
    shown = set(chosen)
    if rules.read_marks > rules.max_marks and previous is None:
        shown |= {at for at, stop in enumerate(stops) if stop.region and stop.markable}
    offered = sorted(shown)[-max(rules.max_marks, rules.read_marks) :]
    written = offered[-rules.max_marks :]
    still = max(_fixed(stops), default=-1) if long_ttl and rules.long_ttl_s is not None else -1
    return tuple(_mark(stops[at], at in written, at <= still) for at in offered)


def _mark(stop: Stop, written: bool, long: bool) -> Mark:
    return Mark(
        stop.place, stop.index, long=long and written, read_only=not written, part=stop.part
    )


def pays_long(gaps: Sequence[float], tokens: int, rules: CacheRules) -> bool:
    """Whether entries that live long would have been cheaper, by the seconds between the requests
    that were seen. ``tokens`` is what stands still (system text and region): what a pause costs.

    A pause longer than a short entry lives costs its rewriting; a long entry costs its surcharge
    when it is first written and after every pause that outlasts it too.
    """
    if rules.kind != "marks" or rules.long_ttl_s is None or tokens < max(1, rules.min_tokens):
        return False
    saved = sum(rules.ttl_s < gap <= rules.long_ttl_s for gap in gaps)
    lost = sum(gap > rules.long_ttl_s for gap in gaps)
    gain = saved * (rules.write - rules.read)
    return saved >= FEWEST_PAUSES and gain > (1 + lost) * (rules.long_write - rules.write)


def _fixed(stops: Sequence[Stop]) -> list[int]:
    """The ends of the system text and of the region, where there are such."""
    system = [at for at, stop in enumerate(stops) if stop.place == "system" and stop.markable]
    region = [at for at, stop in enumerate(stops) if stop.region and stop.markable]
    return [ends[-1] for ends in (system, region) if ends]


def _last_markable(stops: Sequence[Stop]) -> int | None:
    """The last stop that may carry a mark."""
    return next((at for at in range(len(stops) - 1, -1, -1) if stops[at].markable), None)


def _fitting(stops: Sequence[Stop], moving: Sequence[int], most: int) -> list[int]:
    """The fixed and the moving ones, as many as may be written. Where they are too many the moving
    go before the fixed; but of a single one that moved nothing would ever be read."""
    fixed = _fixed(stops)
    chosen = sorted({*fixed, *moving})
    if len(chosen) <= most:
        return chosen
    if most == 1 and fixed:
        return fixed[-1:]
    keep = sorted(set(moving), reverse=True)[:most]
    rest = [at for at in reversed(chosen) if at not in keep]
    return sorted([*keep, *rest[: most - len(keep)]])


def _closer(stops: Sequence[Stop], chosen: list[int], most: int, lookback: int) -> list[int]:
    """With marks added back from the newest where it stands further from the one before than a
    mark looks back, as long as there are slots."""
    if len(chosen) < 2:
        return chosen
    before, newest = chosen[-2:]
    ends = [0]
    for stop in stops:
        ends.append(ends[-1] + stop.blocks)
    added: list[int] = []
    last = newest
    while len(chosen) + len(added) < most and ends[last + 1] - ends[before + 1] > lookback:
        within = [
            at
            for at in range(before + 1, last)
            if stops[at].markable and ends[last + 1] - ends[at + 1] <= STRIDE
        ]
        if not within:
            break
        last = within[0]
        added.append(last)
    return sorted([*chosen, *added])


class Markable:
    """The blocks of a rendered request behind which its marks may stand, noted while it is
    rendered: a mark names a message as it was laid out, and rendering joins and adds some."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, int], list[tuple[int, dict[str, Any]]]] = {}

    def note(self, place: str, index: int, part: int, block: dict[str, Any]) -> None:
        """This block was rendered from this part of what stands at ``Mark.index``."""
        self._at.setdefault((place, index), []).append((part, block))

    def mark(self, marks: Sequence[Mark], field: str, value: Callable[[Mark], Any]) -> int:
        """Put the field behind what each mark names; how many were put. Where nothing of that was
        rendered (an empty text), the mark goes unset: the others still serve."""
        put = 0
        for mark in marks:
            blocks = [
                block
                for part, block in self._at.get((mark.place, mark.index), [])
                if mark.part is None or part <= mark.part
            ]
            if blocks:
                put += field not in blocks[-1]
                blocks[-1][field] = value(mark)
        return put
