"""Timeline strip: the whole of memory on one line, coloured by what was read of it.

Drawn in Braille patterns, which take one cell in every terminal. What was read stands full, what
was passed stands half, what nobody looked at is a line at the ground, and what is owed hangs from
above, so that no colour is needed to tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from textual.content import Content

from growbox_tui.widgets.figures import percent, stamp, when

if TYPE_CHECKING:
    from memory.recall.overview import Bucket

State = Literal["deep", "light", "none", "owed"]
SIGNS: dict[State, tuple[str, str]] = {
    "deep": ("\u28ff", "$text-success"),
    "light": ("\u28e4", "$secondary"),
    "none": ("\u28c0", "$text-muted"),
    "owed": ("\u281b", "$text-warning"),
}
"""A cell of each state, and its style."""
WORDS: dict[State, str] = {
    "deep": "read",
    "light": "passed",
    "none": "not read",
    "owed": "owed",
}
DOUBT: tuple[State, ...] = ("owed", "none", "light", "deep")
"""Where two states hold as many memories of a cell, the first of them here is drawn."""
EMPTY = "Nothing is remembered yet."


@dataclass(frozen=True, slots=True)
class Shares:
    """Memories of each state. Fractions, where a bucket was spread over more than one cell."""

    deep: float = 0.0
    light: float = 0.0
    none: float = 0.0
    owed: float = 0.0

    def of(self, state: State) -> float:
        """Memories of one state."""
        return float(getattr(self, state))

    def __add__(self, other: Shares) -> Shares:
        return Shares(*(self.of(state) + other.of(state) for state in SIGNS))

    @property
    def state(self) -> State:
        """What most of them are."""
        return max(DOUBT, key=self.of)


def shares(bucket: Bucket) -> Shares:
    """Those of one bucket."""
    return Shares(bucket.deep, bucket.light, bucket.none, bucket.owed)


def fold(buckets: Sequence[Bucket], cells: int) -> list[Shares]:
    """Exactly ``cells`` cells, oldest first: neighbours are added where there are more buckets, and
    a bucket takes several cells where there are fewer."""
    if not buckets or cells <= 0:
        return []
    if len(buckets) <= cells:
        return [shares(buckets[cell * len(buckets) // cells]) for cell in range(cells)]
    ends = [(cell + 1) * len(buckets) // cells for cell in range(cells)]
    folded, start = [], 0
    for end in ends:
        folded.append(sum(map(shares, buckets[start:end]), Shares()))
        start = end
    return folded


def total(buckets: Sequence[Bucket]) -> Shares:
    """All of the timeline."""
    return sum(map(shares, buckets), Shares())


def strip(buckets: Sequence[Bucket], cells: int) -> Content:
    """The line itself, ``cells`` cells."""
    if not buckets:
        return Content.styled(EMPTY, "$text-muted").truncate(cells, ellipsis=True)
    return Content.assemble(*(SIGNS[part.state] for part in fold(buckets, cells)))


def axis(buckets: Sequence[Bucket], now: datetime, cells: int) -> Content:
    """When the timeline begins and, at the right edge, that it ends now."""
    if not buckets:
        return Content("")
    first = when(stamp(buckets[0].at), now)
    return Content.styled(first + "now".rjust(max(4, cells - len(first))), "$text-muted")


def legend(buckets: Sequence[Bucket], cells: int) -> Content:
    """Each state with its sign and its share of all memories."""
    whole = total(buckets)
    number = sum(whole.of(state) for state in SIGNS)
    parts = []
    for state, (sign, style) in SIGNS.items():
        share = percent(whole.of(state) / number) if number else "0 %"
        parts.append(
            Content.assemble((sign * 2, style), f" {WORDS[state]} ", (share, "$text-muted"))
        )
    return Content("   ").join(parts).truncate(cells, ellipsis=True)
