"""One score for all that words and vectors named: signals standardised and added, by kind.

Candidates are what full text and the vectors of each space name, and what was said beside the best
of them, since a reply seldom repeats the words of its question. Each gets every signal, whichever
way named it:

- ``text``: how much of the question's weight it holds; ``window``: it and what stands beside it;
- ``vector``: its cosine; ``late``: how well its tokens answer (late interaction).

Measured on LoCoMo, pooled (recall@10 / nDCG@10 in per cent; `python -m tests.bench recall`): text
55.9 / 42.4, window 68.6 / 42.6, late 74.2 / 59.7, late with .3 window 79.9 / 63.5. The best mix
without late interaction 67.2 / 50.3. On code (CoSQA): vector 80.4 / 59.5, late 70.4 / 49.4, vector
with .5 late and .1 text 84.6 / 61.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from math import fsum

from memory.hyperspace.fusion import weigh
from memory.hyperspace.script import is_code, is_wide
from memory.store import fulltext
from memory.store.database import Database
from memory.store.texts import to_json

from . import by_text, by_vector, neighbours
from .by_text import Found

WORDS_NAMED = 50
"""Candidates that full text names ..."""
LENDING = 30
"""... of which the best name what stands beside them, too."""
NEAR_NAMED = 60
"""Candidates that the vectors of each space name ..."""
NEAR_LENDING = 10
"""... of which so many, if they are nearer than chance, name what stands beside them."""
FIRST = 10
"""Once anything lies above a bar, so many come whether they do or not: one way may know that an
answer is here, and another one where (CMRC's recall@10 loses .3 without)."""
WIDTH = 2
"""Places before and after: two messages on, the same one speaks again."""
SATURATION = 1.2
"""As BM25's k1: a term that stands in three places of a window is worth little more than in two."""

WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "user": {"late": 1.0, "window": 0.3},
    "assistant": {"late": 1.0, "window": 0.3},
    "tool": {"late": 1.0, "window": 0.3},
    "code": {"vector": 1.0, "late": 0.5, "text": 0.1},
    "wide": {"text": 1.0, "wide vector": 0.7, "window": 0.5},
    "bare": {"text": 1.0, "window": 1.0, "vector": 0.5, "wide vector": 0.5},
}
"""Kind of content → signal → weight. Every kind also has ``time``, below. ``bare``: what has no
token codes, because its space keeps none or it has not settled yet."""
TIME_WEIGHT = 1.5
"""Who asks about yesterday wants yesterday before a better match of another day."""

Scored = tuple[float, tuple[str, ...]]
"""A score and the ways that found it."""

_FACTS = """
    SELECT seq, role, substr(text, 1, 2000) FROM nodes
    WHERE seq IN (SELECT value FROM json_each(?1))
    UNION ALL
    SELECT -pieces.id, role, substr(text, lo + 1, min(hi - lo, 2000))
    FROM pieces JOIN nodes ON seq = node WHERE -pieces.id IN (SELECT value FROM json_each(?1))
"""


@dataclass(frozen=True, slots=True)
class Mixed:
    """What all ways together say."""

    scores: Mapping[int, Scored]
    """All candidates."""
    sure: frozenset[int]
    """Those that lie above the bar of some way."""
    beside: frozenset[int]
    """What comes with them: what stands beside one whose content lies above a bar, and what all
    ways together put first."""


def mixed(
    db: Database,
    topic: str,
    text: Found,
    near: Sequence[by_vector.Near],
    time: Found | None = None,
    weights: Mapping[str, Mapping[str, float]] = WEIGHTS,
) -> Mixed:
    """The candidates of all ways with one score each. Does not depend on the order of anything.

    ``near``: what the vectors of each space found. Raises ``MemoryFileError`` and what late
    interaction raises.
    """
    timed = dict(time.ranking) if time else {}
    places = _named(db, text, near, timed)
    windows = neighbours.windows(db, places, WIDTH)
    signals = _signals(db, topic, text, places, windows)
    if timed:
        signals["time"] = [timed.get(place, 0.0) for place in places]
    sure = set(text.sure)
    for each in near:
        signals[each.name] = each.cosines(db, places)
        sure |= each.sure
        answers = each.answers(db, topic, places)
        if any(answer is not None for answer in answers):
            signals["late"] = answers
            above = each.answer_bar
            sure |= {
                p for p, a in zip(places, answers, strict=True) if a is not None and a >= above
            }
    kinds = _kinds(db, places, signals.get("late"))
    table = {kind: {"time": TIME_WEIGHT, **row} for kind, row in weights.items()}
    scores = weigh(signals, kinds, table)
    ways = _ways(places, signals, near, timed)
    beside = _beside(places, scores, sure, windows)
    return Mixed(
        {place: (score, ways[place]) for place, score in zip(places, scores, strict=True)},
        frozenset(sure | timed.keys()),
        beside,
    )


def _beside(
    places: Sequence[int],
    scores: Sequence[float],
    sure: set[int],
    windows: Mapping[int, Sequence[int]],
) -> frozenset[int]:
    """Candidates that come with the sure ones: what stands next to them, and the best of all."""
    beside = {p for place in sure for p in windows.get(place, ())}.intersection(places)
    if sure:
        best = nlargest(FIRST, range(len(places)), scores.__getitem__)
        beside.update(places[row] for row in best)
    return frozenset(beside)


def _named(
    db: Database, text: Found, near: Sequence[by_vector.Near], timed: Iterable[int]
) -> list[int]:
    """All candidates: what the ways name, and what stands beside the best of it."""
    lending = [place for place, _ in text.ranking[:LENDING]]
    lending += [p for each in near for p, _ in each.ranking[:NEAR_LENDING] if p in each.sure]
    named = {place for place, _ in text.ranking}.union(timed)
    named |= {place for each in near for place, _ in each.ranking[:NEAR_NAMED]}
    lent = neighbours.windows(db, lending, WIDTH)
    return sorted(named.union(*lent.values()))


def _signals(
    db: Database,
    topic: str,
    text: Found,
    places: Sequence[int],
    windows: Mapping[int, tuple[int, ...]],
) -> dict[str, Sequence[float | None]]:
    """What the words of each place are worth, and with what stands beside it."""
    held = _held(db, text.terms or by_text.weighed(db, topic), {*places}.union(*windows.values()))
    return {
        "text": [_worth(held, (place,)) for place in places],
        "window": [_worth(held, (place, *windows.get(place, ()))) for place in places],
    }


def _held(db: Database, terms: by_text.Terms, places: Iterable[int]) -> dict[int, dict[str, float]]:
    """Place → the question's terms that it holds and how much each weighs."""
    held: dict[int, dict[str, float]] = {}
    listed = sorted(places)
    for term in terms.present:
        for place in fulltext.holding(db, term, listed):
            held.setdefault(place, {})[term] = terms.weights[term]
    return held


def _worth(held: Mapping[int, Mapping[str, float]], places: Sequence[int]) -> float:
    """How much of the question's weight some places hold together; what several hold counts a
    little more, as in BM25."""
    times: dict[str, int] = {}
    worth: dict[str, float] = {}
    for place in places:
        for term, weight in held.get(place, {}).items():
            times[term] = times.get(term, 0) + 1
            worth[term] = weight
    return fsum(worth[term] * count / (count + SATURATION) for term, count in times.items())


def _kinds(db: Database, places: Sequence[int], late: Sequence[float | None] | None) -> list[str]:
    """What kind of content stands at each place."""
    facts = {place: (role, text) for place, role, text in db.rows(_FACTS, (to_json(list(places)),))}
    kinds = []
    for row, place in enumerate(places):
        role, text = facts.get(place, ("user", ""))
        if is_wide(text):
            kinds.append("wide")
        elif late is None or late[row] is None:
            kinds.append("bare")
        elif is_code(text):
            kinds.append("code")
        else:
            kinds.append(role if role in ("assistant", "tool") else "user")
    return kinds


def _ways(
    places: Sequence[int],
    signals: Mapping[str, Sequence[float | None]],
    near: Sequence[by_vector.Near],
    timed: Mapping[int, float],
) -> dict[int, tuple[str, ...]]:
    """By which ways each place was found: by its vector if it was among the nearest, by text if it
    or what stands beside it holds a word, by time."""
    nearest = {place for each in near for place, _ in each.ranking}
    ways = {}
    for place, text, window in zip(places, signals["text"], signals["window"], strict=True):
        found = ["vector"] if place in nearest else []
        if text or (window and not found and place not in timed):
            found.append("text")
        ways[place] = (*found, "time") if place in timed else tuple(found or ["vector"])
    return ways
