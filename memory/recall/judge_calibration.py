"""Calibration of judges: whether one's yes and no may be trusted, by pairs from the store itself.

Related pairs are questions with what was confirmed to answer them; where too few were confirmed
yet, the beginning of a remembered text stands for a question and the rest for its answer. Unrelated
pairs are the same questions with texts that belong to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memory.store import nodes, pieces, pointers, questions
from memory.store.database import Database

Answer = Literal["yes", "no", "unknown"]
Origin = Literal["confirmed", "halves"]

LEAST_PAIRS = 12
"""Pairs of each kind below which nothing can be said of a judge."""
LEAST_CONFIRMED = 2 * LEAST_PAIRS
"""Confirmed pairs below which halves of texts are taken: of a judge that scores, half of them only
set its bars."""
UNRELATED_EACH = 2
"""Unrelated pairs for each related one."""
MOST_WRONG_YES = 0.05
"""Share of unrelated texts that an able judge may take for related: each makes a false pointer,
which the next feedback mends."""
MOST_WRONG_NO = 0.10
"""Share of related texts that it may take for unrelated: each is out of reach for its family of
questions, until an exhaustive look."""
LEAST_YES = 0.5
"""Share of related texts that it must know; else reading is not worth its price."""
LEAST_NO = 0.5
"""Share of unrelated texts that it must know; else nothing is ever done with."""
_HEAD, _REST = 12, 40
"""Characters that a half has at least."""
_FIRST = re.compile(r"\s*\S[^\n]{11,400}?(?:[。！？]|[.!?](?=\s)|\n)")
"""The first sentence or line of a text that goes on."""
_TEXT = 1_600
"""Characters of a text that is judged."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, a text, and whether they belong together."""

    question: str
    text: str
    related: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a judge said of pairs whose answer is known."""

    stamp: str
    """Of the judge."""
    origin: Origin
    """Where the related pairs came from."""
    related: int
    unrelated: int
    right_yes: int
    """Related pairs that it called so."""
    wrong_no: int
    """Related pairs that it called unrelated."""
    wrong_yes: int
    """Unrelated pairs that it called related."""
    right_no: int
    bars: tuple[float, float] | None = None
    """Of a judge that scores: below the first it says no, above the second yes."""
    why: str = ""
    """What went wrong while it was asked, in words."""

    @property
    def enough(self) -> bool:
        """Whether there were pairs enough to say anything."""
        return min(self.related, self.unrelated) >= LEAST_PAIRS

    @property
    def able(self) -> bool:
        """Whether its yes and no may change anything."""
        return (
            self.enough
            and self.wrong_yes <= MOST_WRONG_YES * self.unrelated
            and self.wrong_no <= MOST_WRONG_NO * self.related
            and self.right_yes >= LEAST_YES * self.related
            and self.right_no >= LEAST_NO * self.unrelated
        )

    @property
    def precision(self) -> float | None:
        """Share of its yes that is right, were as many related as not; ``None`` without a yes."""
        hit, miss = self.right_yes / max(1, self.related), self.wrong_yes / max(1, self.unrelated)
        return hit / (hit + miss) if hit + miss else None

    @property
    def recall(self) -> float:
        """Share of related pairs that it knows."""
        return self.right_yes / max(1, self.related)

    @property
    def unknown(self) -> float:
        """Share of pairs of which it says neither."""
        said = self.right_yes + self.wrong_no + self.wrong_yes + self.right_no
        return 1 - said / max(1, self.related + self.unrelated)


def to_plain(calibration: Calibration) -> dict[str, Any]:
    """As it is kept on file."""
    return asdict(calibration)


def from_plain(kept: Mapping[str, Any] | None) -> Calibration | None:
    """As it was kept; ``None`` where nothing was."""
    if not kept:
        return None
    bars = kept["bars"]
    return Calibration(**{**kept, "bars": tuple(bars) if bars else None})


def key(stamp: str) -> str:
    """Under which small setting the calibration of a judge is kept."""
    return f"judge:{stamp}"


def pairs(db: Database, most: int) -> tuple[list[Pair], Origin]:
    """At most so many related pairs, and unrelated ones of the same questions; the newest first.

    Fewer than wanted, or none, in a store that does not hold so much.
    """
    known = _confirmed(db, most)
    origin: Origin = "confirmed"
    if len(known) < LEAST_CONFIRMED:
        known, origin = _halves(db, most), "halves"
    return [*(Pair(*each, related=True) for each in known), *_crossed(known)], origin


def _confirmed(db: Database, most: int) -> list[tuple[str, str]]:
    """(question, text) of what was confirmed, each question and each text once."""
    keys = [each for each in pointers.newest_keys(db, 8 * most) if each.sign > 0]
    asked = {each.id: each.text for each in questions.by_ids(db, [k.question for k in keys])}
    places = {each.target: pieces.resolve(db, each.target) for each in keys}
    texts = pieces.text_of(db, {place for found in places.values() for place in found})
    found: dict[str, tuple[str, str]] = {}
    told: set[str] = set()
    for each in keys:
        text = next((texts[place] for place in places[each.target] if texts.get(place)), "")
        question = asked.get(each.question, "")
        if question and text and text not in told and question not in found:
            told.add(text)
            found[question] = (question, text[:_TEXT])
    return list(found.values())[:most]


def _halves(db: Database, most: int) -> list[tuple[str, str]]:
    """(beginning, rest) of texts of people and assistants that have both."""
    found: dict[str, tuple[str, str]] = {}
    for node in nodes.newest(db, 40 * most):
        end = _FIRST.match(node.text)
        if node.role == "tool" or end is None:
            continue
        head, rest = end[0].strip(), node.text[end.end() :].strip()
        if len(head) >= _HEAD and len(rest) >= _REST:
            found.setdefault(head, (head, rest[:_TEXT]))
        if len(found) == most:
            break
    return list(found.values())


def _crossed(known: Sequence[tuple[str, str]]) -> list[Pair]:
    """Each question with texts that belong to others, from far off among those drawn: what stands
    beside one another may well be about the same."""
    count = len(known)
    crossed = []
    for turn in range(UNRELATED_EACH):
        away = count * (turn + 1) // (UNRELATED_EACH + 1)
        if away < 1:
            continue
        for number, (question, text) in enumerate(known):
            other = known[(number + away) % count][1]
            if other != text:
                crossed.append(Pair(question, other, related=False))
    return crossed


def measured(
    stamp: str,
    origin: Origin,
    answered: Iterable[tuple[Pair, Answer]],
    *,
    bars: tuple[float, float] | None = None,
    why: str = "",
) -> Calibration:
    """What these answers say of a judge."""
    counts: dict[tuple[bool, Answer], int] = {}
    for pair, answer in answered:
        counts[pair.related, answer] = counts.get((pair.related, answer), 0) + 1
    sizes = {side: sum(n for (of, _), n in counts.items() if of is side) for side in (True, False)}
    return Calibration(
        stamp=stamp,
        origin=origin,
        related=sizes[True],
        unrelated=sizes[False],
        right_yes=counts.get((True, "yes"), 0),
        wrong_no=counts.get((True, "no"), 0),
        wrong_yes=counts.get((False, "yes"), 0),
        right_no=counts.get((False, "no"), 0),
        bars=bars,
        why=why,
    )


def bars_of(related: Sequence[float], unrelated: Sequence[float]) -> tuple[float, float] | None:
    """Bars beyond which scores were pure: no unrelated pair lay above the upper one, no related
    pair below the lower one. Where the kinds lie apart, the middle half of the gap is left between
    the bars. ``None`` without scores of both kinds."""
    if not related or not unrelated:
        return None
    lowest, highest = min(related), max(unrelated)
    if lowest <= highest:
        return lowest, highest
    quarter = (lowest - highest) / 4
    return highest + quarter, lowest - quarter


def by_bars(score: float, bars: tuple[float, float] | None) -> Answer:
    """What a score says; unknown between the bars and without any."""
    if bars is None:
        return "unknown"
    return "no" if score < bars[0] else "yes" if score > bars[1] else "unknown"
