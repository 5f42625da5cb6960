"""Which pointers a question follows, and what is learned from what came of it. Pure.

The nearest question decides: one that a target answered is followed, one that it misled keeps it
out, whichever is nearer. Use lifts a key a little, and only near the bar that was calibrated for
the embedder: so what was useful often never becomes what is found for everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory.config import KEYS_A_POINTER
from memory.store.keys import Keys
from memory.store.pointers import Key, Pointer
from memory.store.questions import Question

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOOST = 0.05
"""How much use lifts a key at most, as a cosine; and how far below the bar it can lift from."""
DECAY_DAYS = 30.0
"""Days after which use that was not renewed counts half."""
DAY = 86_400_000
"""Milliseconds."""
NEGATIVE_DAYS = 14.0
"""Days after which a question that was misled is forgotten: what misled may be right by then."""
FEWEST_TRIES = 4
"""Tries from which on a key's own record is believed."""
POOR = 0.25
"""Share of successes below which a key is no longer followed but only lifts its target's rank."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Cosines of two questions, calibrated for one embedder from the store's own questions."""

    follow: float
    """That hardly any two unrelated questions reach: from here on a key is followed."""
    boost: float
    """From here on a key lifts its target among what else was found."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A key by which a pointer bears on a question."""

    key: Key
    text: str
    """The past question."""
    likeness: float
    """Its cosine to this one; 1 where the words are the same."""
    strength: float
    """The same with what use adds; equal to it for a key that was confirmed once."""


@dataclass(frozen=True, slots=True)
class Follow:
    """What pointers say to a question."""

    leads: tuple[Lead, ...]
    """To be followed, best first, each target once."""
    boosts: dict[int, float]
    """Target → what it gains among what else is found, 0 to 1; those that are followed too."""
    vetoed: dict[int, Lead]
    """Target → the question that it misled and that is nearer than any that it answered."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What becomes of a pointer's keys."""

    kept: tuple[Key, ...]
    dropped: tuple[Key, ...] = ()


def choose(
    keys: Keys, vector: NDArray[np.float32] | None, words: str, now: int, bars: Bars
) -> Follow:
    """Which pointers to follow for a question.

    ``vector``: of unit length and of the stamp of ``keys``, shape (dimensions,); ``None`` where the
    question was not embedded, and then only the same words count. ``words``: as
    ``questions.normalised`` gives. ``now``: milliseconds, UTC.
    """
    nearest: dict[tuple[int, int], Lead] = {}
    for question, likeness in _alike(keys, vector, words, min(bars.boost, bars.follow - BOOST)):
        for key in keys.of[question.id]:
            strength = min(1.0, likeness + (lift(key, now) if key.sign > 0 else 0.0))
            lead = Lead(key, question.text, likeness, max(likeness, strength))
            best = nearest.get((key.target, key.sign))
            if best is None or (lead.strength, key.used) > (best.strength, best.key.used):
                nearest[key.target, key.sign] = lead
    leads, boosts, vetoed = [], {}, {}
    for (target, sign), lead in nearest.items():
        against = nearest.get((target, -1))
        if sign < 0:
            answered = nearest.get((target, 1))
            if lead.likeness >= bars.follow and (answered is None or _nearer(lead, answered)):
                vetoed[target] = lead
            continue
        if against is not None and _nearer(against, lead):
            continue
        if lead.strength >= bars.follow and not poor(lead.key):
            leads.append(lead)
        if lead.strength >= bars.boost:
            boosts[target] = lead.strength * posterior(lead.key)
    leads.sort(key=lambda lead: (-lead.strength * posterior(lead.key), -lead.key.used))
    return Follow(tuple(leads), boosts, vetoed)


def lift(key: Key, now: int) -> float:
    """What use adds to a key's likeness: 0 for one that was confirmed once, never ``BOOST``."""
    fresh: float = 0.5 ** (max(0, now - key.used) / (DECAY_DAYS * DAY))
    often = max(0.0, key.weight - 1.0) * fresh
    return BOOST * often / (1.0 + often)


def posterior(key: Key) -> float:
    """The share of tries that come to something, with the confirmation that made the key."""
    return (key.successes + 2.0) / (key.successes + key.missed + 3.0)


def poor(key: Key) -> bool:
    """Whether a key has been tried often and hardly ever led to what was needed."""
    tried = key.successes + key.missed
    return tried >= FEWEST_TRIES and key.successes < POOR * tried


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


def _alike(
    keys: Keys, vector: NDArray[np.float32] | None, words: str, least: float
) -> list[tuple[Question, float]]:
    """Past questions that are like this one, with their likeness."""
    import numpy as np

    alike = {row: 1.0 for row, each in enumerate(keys.questions) if each.words == words}
    if vector is not None and keys.vectors.shape[1] == len(vector) and len(keys.questions):
        cosines = keys.vectors @ vector
        for row in np.flatnonzero(cosines >= least):
            if keys.vectors[row].any():
                alike.setdefault(int(row), float(min(1.0, cosines[row])))
    return [(keys.questions[row], likeness) for row, likeness in alike.items()]
