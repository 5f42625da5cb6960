"""Which pointers a question follows, and what is learned from what came of it. Pure.

The nearest question decides: one that a target answered is followed, one that it misled keeps it
out, whichever is nearer. Use lifts a key a little, and only near the bar that was calibrated for
the embedder: so what was useful often never becomes what is found for everything.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from memory.config import KEYS_A_POINTER
from memory.recall.attention import Bars as Bars
from memory.recall.attention import lifts, posterior
from memory.store.keys import Keys
from memory.store.pointers import Key, Pointer
from memory.store.questions import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS = 0.23
"""What the words of two questions count beside their vectors (measured on the learning bench: at
one useless follow in ten this finds 92 of 100 rewordings, vectors alone 88)."""
FOLLOWED_QUESTIONS = 2
"""Past questions whose targets are followed: what a third one adds is mostly read for nothing."""
MARGIN = 0.04
"""How far the second may lie behind the first."""
CLEARNESS = 0.3
"""What it counts that no question which other memories answered is as near (measured: at one
useless follow in seven this finds as many rewordings as do one in five without it)."""
RIVALS = 64
"""Among so many nearest questions one is looked for that other memories answered."""
BOOST = 0.05
"""How much use lifts a key at most, as a cosine; and how far below the bar it can lift from."""
DECAY_DAYS = 30.0
"""Days after which use that was not renewed counts half."""
DAY = 86_400_000
"""Milliseconds."""
NEGATIVE_DAYS = 14.0
"""Days after which a question that was misled is forgotten: what misled may be right by then."""
POOR = 0.45
"""Posterior below which a key is no longer followed but only lifts its target's rank: it led to
nothing twice without ever having been needed, or in most of many tries."""

Number = TypeVar("Number", float, "NDArray[np.float32]")


@dataclass(frozen=True, slots=True)
class Lead:
    """A key by which a pointer bears on a question."""

    key: Key
    text: str
    """The past question."""
    likeness: float
    """How like it is to this one, by vectors and words; 1 where the words are the same."""
    strength: float
    """The same with what use adds; equal to it for a key that was confirmed once."""


@dataclass(frozen=True, slots=True)
class Follow:
    """What pointers say to a question."""

    leads: tuple[Lead, ...]
    """To be followed, best first, each target once."""
    boosts: dict[int, float]
    """Target → what it gains (1 at most) or loses (-1 at most) among what else is found; of those
    that are followed too."""
    vetoed: dict[int, Lead]
    """Target → the question that it misled and that is nearer than any that it answered."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What becomes of a pointer's keys."""

    kept: tuple[Key, ...]
    dropped: tuple[Key, ...] = ()


def choose(
    keys: Keys,
    vector: NDArray[np.float32] | None,
    words: str,
    now: int,
    bars: Bars,
    coverage: NDArray[np.float32] | None = None,
) -> Follow:
    """Which pointers to follow for a question.

    Args:
        keys: all that is known to lead somewhere.
        vector: of unit length and of the stamp of ``keys``, shape (dimensions,); ``None`` where the
            question was not embedded, and then only the same words count.
        words: as ``questions.normalised`` gives.
        now: milliseconds, UTC.
        bars: from ``Likeness.bars``, if coverage is given; else cosines.
        coverage: from ``Likeness.coverage``, shape (questions,); ``None``: vectors alone count.
    """
    same = [row for row, each in enumerate(keys.questions) if each.words == words]
    cosines = _cosines(keys, vector, same)
    likeness = cosines if coverage is None else match(cosines, coverage)
    likeness[same] = 1.0
    nearest = _nearest(keys, likeness, now, bars)
    vetoed, barred = {}, set()
    for (target, sign), lead in nearest.items():
        other = nearest.get((target, -sign))
        if sign < 0 and (other is None or _nearer(lead, other)):
            barred.add(target)
            if lead.likeness >= bars.follow:
                vetoed[target] = lead
    leads = _leads(keys, likeness, now, bars, barred)
    boosts = lifts(keys, cosines, bars)
    kept = {target: gain for target, gain in boosts.items() if gain < 0 or target not in vetoed}
    return Follow(leads, kept, vetoed)


def match(cosine: Number, coverage: Number) -> Number:
    """How like a question is to a past one, by both; of numbers or of arrays of one shape."""
    return (1.0 - WORDS) * cosine + WORDS * coverage


def lift(key: Key, now: int) -> float:
    """What use adds to a key's likeness: 0 for one that was confirmed once, never ``BOOST``."""
    fresh: float = 0.5 ** (max(0, now - key.used) / (DECAY_DAYS * DAY))
    often = max(0.0, key.weight - 1.0) * fresh
    return BOOST * often / (1.0 + often)


def poor(key: Key) -> bool:
    """Whether a key has led to nothing too often to be followed."""
    return posterior(key) < POOR


def tried(key: Key, used: bool, now: int) -> Key:
    """A key by which a pointer was followed once more, and whether it was what was needed."""
    return replace(
        key,
        tries=key.tries + 1,
        successes=key.successes + used,
        missed=key.missed + (not used),
        used=now if used else key.used,
    )


def outcome(
    pointer: int, keys: Sequence[Key], question: Question, sign: int, weight: float, now: int
) -> Learned:
    """The keys of a pointer after it answered a question (sign 1) or misled it (sign -1).

    Within a family one key stands for all its questions. What is said now takes back what was said
    before of the same family: by as much weight.
    """
    own = [key for key in keys if key.pointer == pointer]
    source, target = (own[0].source, own[0].target) if own else (0, 0)
    kept, dropped = [], []
    found = None
    for key in own:
        if key.family != question.family:
            kept.append(key)
        elif key.sign == sign:
            found = replace(key, weight=key.weight + weight, used=now)
            kept.append(found)
        elif key.weight > weight:
            kept.append(replace(key, weight=key.weight - weight))
        else:
            dropped.append(key)
    if found is None:
        new = Key(
            *(pointer, source, target, question.id, question.family, sign, weight),
            *(0, 0, 0, now),
        )
        kept.append(new)
    same = sorted(
        (key for key in kept if key.sign == sign), key=lambda key: (-key.weight, -key.used)
    )
    over = [key for key in same[KEYS_A_POINTER:] if key.family != question.family]
    if len(same) > KEYS_A_POINTER and not over:
        over = [same[KEYS_A_POINTER - 1]]
    return Learned(tuple(key for key in kept if key not in over), (*dropped, *over))


def stale(key: Key, now: int) -> bool:
    """Whether a key is to be forgotten for its age."""
    return key.sign < 0 and now - key.used > NEGATIVE_DAYS * DAY


def utility(pointer: Pointer, now: int) -> float:
    """What a pointer is worth keeping for: successes that are likely to come again."""
    worth = 0.0
    for key in pointer.keys:
        fresh: float = 0.5 ** (max(0, now - key.used) / (DECAY_DAYS * DAY))
        worth += fresh * (key.weight + key.successes) * posterior(key) if key.sign > 0 else fresh
    return worth


def _nearer(one: Lead, other: Lead) -> bool:
    """Whether one is nearer to the question; of two of the same words the one last said."""
    return (one.likeness, one.key.used) > (other.likeness, other.key.used)


def _leads(
    keys: Keys, likeness: NDArray[np.float32], now: int, bars: Bars, barred: set[int]
) -> tuple[Lead, ...]:
    """All that answered the best past question, and another one only where it is nearly as good.

    Wordings of one question lead to the same targets and count as one; where one of them found
    less than another, both are followed.
    """
    import numpy as np

    first, _, clear = clearness(keys, likeness)
    asked: list[tuple[float, list[Lead]]] = []
    for row in np.flatnonzero(likeness >= bars.follow - BOOST - CLEARNESS * clear):
        question = keys.questions[row]
        right = [key for key in keys.of[question.id] if key.sign > 0 and not poor(key)]
        leads = [_lead(key, question.text, float(likeness[row]), now) for key in right]
        strength = max((lead.strength for lead in leads), default=0.0)
        # Whoever leads where the nearest one leads is as clear as that one.
        same = any(lead.key.target in first for lead in leads)
        if leads and strength + CLEARNESS * clear * same >= bars.follow:
            asked.append((strength, leads))
    asked.sort(key=lambda each: (each[0], max(lead.key.used for lead in each[1])), reverse=True)
    followed, count = dict[int, Lead](), 0
    for strength, leads in asked:
        if count == FOLLOWED_QUESTIONS or strength < asked[0][0] - MARGIN:
            break
        new = [each for each in leads if each.key.target not in followed.keys() | barred]
        new.sort(key=lambda lead: (-lead.strength * posterior(lead.key), -lead.key.used))
        followed |= {lead.key.target: lead for lead in new}
        count += bool(new)
    return tuple(followed.values())


def clearness(
    keys: Keys, likeness: NDArray[np.float32], barred: Collection[int] = ()
) -> tuple[set[int], float, float]:
    """Where the nearest past question leads, its likeness, and how much nearer it is than the
    nearest that leads elsewhere; 0 if none does. What leads to any of ``barred`` is passed over."""
    import numpy as np

    few = min(RIVALS, len(likeness))
    first: set[int] = set()
    nearest = 0.0
    near = np.argpartition(-likeness, few - 1)[:few] if few else np.zeros(0, dtype=np.int64)
    for row in near[np.lexsort((near, -likeness[near]))]:
        ends = {key.target for key in keys.of[keys.questions[int(row)].id] if key.sign > 0}
        if not ends or not ends.isdisjoint(barred):
            continue
        if not first:
            first, nearest = ends, float(likeness[row])
        elif first.isdisjoint(ends):
            return first, nearest, nearest - float(likeness[row])
    return first, nearest, 0.0


def _lead(key: Key, text: str, likeness: float, now: int) -> Lead:
    lifted = min(1.0, likeness + lift(key, now)) if key.sign > 0 else likeness
    return Lead(key, text, likeness, max(likeness, lifted))


def _nearest(
    keys: Keys, likeness: NDArray[np.float32], now: int, bars: Bars
) -> dict[tuple[int, int], Lead]:
    """(target, sign) → its best key, of those that are near the bar."""
    import numpy as np

    nearest: dict[tuple[int, int], Lead] = {}
    for row in np.flatnonzero(likeness >= bars.follow - BOOST):
        question = keys.questions[row]
        for key in keys.of[question.id]:
            lead = _lead(key, question.text, float(likeness[row]), now)
            best = nearest.get((key.target, key.sign))
            if best is None or (lead.strength, key.used) > (best.strength, best.key.used):
                nearest[key.target, key.sign] = lead
    return nearest


def _cosines(
    keys: Keys, vector: NDArray[np.float32] | None, same: Sequence[int]
) -> NDArray[np.float32]:
    """The cosine of each past question, 1 where the words are the same; 0 where there is none."""
    import numpy as np

    cosines = np.zeros(len(keys.questions), dtype=np.float32)
    if vector is not None and keys.vectors.shape[1] == len(vector):
        cosines = np.clip(keys.vectors @ vector, 0.0, 1.0)
    cosines[same] = 1.0
    return cosines
