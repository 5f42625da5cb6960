"""The cheap steps of the ladder: jumps, pins, pointers, anchors, and what words, vectors and time
bring together. Each only reads, and calls no judge.

A way brings a memory only when the memory lies above that way's own bar; the fused score of all
ways then ranks what was brought. So "hello" brings nothing, in a store of any size. The project
that asks, and who spoke, move a memory within the list and never into it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from statistics import pstdev

from memory.protocols import Embedder
from memory.recall import coverage as covering
from memory.recall import jumps as jumping
from memory.recall.following import Led
from memory.recollection import Query
from memory.store import jumps, nodes, pieces, questions, redirects
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable
from memory.store.pointers import Key
from memory.store.segment import match_terms

from . import by_text, by_time, by_vector, mixing
from .ranking import ranked
from .time_phrases import time_asked

CANDIDATES = 50
"""How many time may name."""

LIFTED = 1.0
"""Standard deviations that past questions lift or sink a memory by at most, among what else was
found."""


@dataclass(frozen=True, slots=True)
class Near:
    """What words, vectors and time found together."""

    brought: tuple[tuple[int, float, tuple[str, ...]], ...] = ()
    """(place, score, ways) of what lies above its way's bar, best first."""
    sure: bool = False
    """Whether any of it was brought by more than a boost."""
    named: tuple[int, ...] = ()
    """All places that any way named, whatever their score, best first."""
    ways: tuple[str, ...] = ()
    """The ways tried, in order."""
    notice: str = ""
    failure: str = ""
    """Why a way could not be asked, in words."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A pointer that bears on the question, and where it leads now."""

    place: int
    key: Key
    text: str
    """The past question."""
    strength: float
    same: bool
    """Whether a question of the same family found it."""


@dataclass(frozen=True, slots=True)
class Followed:
    """What pointers say."""

    leads: tuple[Lead, ...] = ()
    """Those of the family first, then the nearest keys; each place once."""
    boosts: Mapping[int, float] = field(default_factory=dict)
    """Place → what it gains among what else was found, -1 to 1."""
    vetoed: frozenset[int] = frozenset()
    """Places that misled the nearest question; they are not brought."""
    refused: frozenset[int] = frozenset()
    """Places of which the user said that they are wrong for this question."""


def jumped(db: Database, entries: Collection[int], question: str) -> list[int]:
    """Places that the user pointed to and that this question takes, newest first."""
    taken = jumping.taken(jumps.every(db), entries, question)
    return list(dict.fromkeys(p for jump in taken for p in pieces.resolve(db, jump.target)))


def bearing(db: Database, pinned: Sequence[str], question: str) -> int:
    """How many of some nodes hold a telling word of the question."""
    terms = by_text.telling_terms(question)
    if not terms or not pinned:
        return 0
    return sum(
        not set(terms).isdisjoint(match_terms(node.text)) for node in nodes.by_ids(db, pinned)
    )


def followed(
    db: Database,
    family: int,
    led: Sequence[Led],
    boosts: Mapping[int, float],
    vetoed: Iterable[int],
) -> Followed:
    """Where pointers lead now that bear on a question.

    Args:
        led: see ``following.follow``.
        boosts: by target, as ``pointers.choose`` gives them.
        vetoed: targets.

    What questions of the same family found is always among them, unless the user said that it is
    wrong.
    """
    refused = covering.refused(db, family)
    leads: dict[int, Lead] = {}
    for own in covering.known(db, family):
        leads[own.place] = Lead(own.place, own.key, own.text, 1.0, True)
    for each in led:
        for place in each.places:
            new = Lead(place, each.lead.key, each.lead.text, each.lead.strength, False)
            leads.setdefault(place, new)
    lifted: dict[int, float] = {}
    for target, gain in boosts.items():
        for place in pieces.resolve(db, target):
            lifted[place] = max(gain, lifted.get(place, -1.0))
    barred = {place for target in vetoed for place in pieces.resolve(db, target)}
    return Followed(
        tuple(lead for place, lead in leads.items() if place not in refused),
        lifted,
        frozenset(barred - leads.keys()),
        refused,
    )


def near(
    db: Database,
    query: Query,
    embedder: Embedder | None,
    chance: by_vector.NullDistribution,
    now: int,
    *,
    zone: tzinfo | None = None,
    boosts: Mapping[int, float] | None = None,
    learned: Callable[[Sequence[int]], Mapping[int, float]] | None = None,
) -> Near:
    """What words, vectors and time bring. Deterministic.

    ``chance`` keeps what was learned about the store's vectors between calls; ``zone`` is where
    "yesterday" begins and ends, by default this machine's zone. ``boosts``: place → share of
    ``LIFTED`` that it gains; one that gains something is brought even if no way found it.
    ``learned``: what places gain or lose by what the store taught, in standard deviations. Vectors
    that cannot be asked leave a ``failure``. Raises ``MemoryFileError``.
    """
    asked = time_asked(query.text, now, zone)
    # "Yesterday" says when, not what; as a word it would find whoever else said yesterday.
    topic = topic_of(query.text, now, zone)
    spaces, failure = list[by_vector.Near](), ""
    if embedder is not None and by_text.telling_terms(topic):
        spaces, failure = _by_meaning(db, embedder, topic, chance)
    timed, notice = None, ""
    if asked is not None:
        ranking, notice = by_time.find(db, query, asked, CANDIDATES, zone)
        timed = by_text.Found(ranking, frozenset(seq for seq, _ in ranking))
    # When nothing was said then, what was said at another time stands in only for want of better.
    elsewhen = asked is not None and asked.span is not None and bool(notice)
    mix, failing = _mixed(db, topic, spaces, timed, elsewhen)
    failure = failure or failing
    ways = ("text", *(["vector"] if spaces else []), *(["time"] if timed else []))
    scores = _lifted(mix.scores, boosts or {}, learned)
    mix = replace(mix, scores=scores)
    return _brought(db, query, mix, boosts or {}, Near((), False, (), ways, notice, failure))


def _mixed(
    db: Database,
    topic: str,
    spaces: Sequence[by_vector.Near],
    timed: by_text.Found | None,
    elsewhen: bool,
) -> tuple[mixing.Mixed, str]:
    """The candidates of all ways, and a notice if vectors fail on the way. ``elsewhen``: ``timed``
    is not of the time asked for, and counts only if nothing else does."""
    text = by_text.find(db, topic, mixing.WORDS_NAMED)
    failure = ""
    try:
        mix = mixing.mixed(db, topic, text, spaces, None if elsewhen else timed)
    except VectorsUnavailable as error:
        spaces, failure = (), _told(error)
        mix = mixing.mixed(db, topic, text, (), None if elsewhen else timed)
    if elsewhen and not mix.sure:
        mix = mixing.mixed(db, topic, text, spaces, timed)
    return mix, failure


def topic_of(text: str, now: int, zone: tzinfo | None = None) -> str:
    """What a question is about, without when."""
    asked = time_asked(text, now, zone)
    return text if asked is None else asked.rest


def words_of(question: str) -> str:
    """As keys are compared by."""
    return questions.normalised(question)


def _by_meaning(
    db: Database, embedder: Embedder, topic: str, chance: by_vector.NullDistribution
) -> tuple[list[by_vector.Near], str]:
    """What the vectors of each space found, and a notice if they could not be asked."""
    try:
        return by_vector.near(db, embedder, topic, mixing.NEAR_NAMED, chance), ""
    except VectorsUnavailable as error:
        return [], _told(error)


def _told(error: VectorsUnavailable) -> str:
    return f"{error.text} {error.hint}".strip()


def _brought(
    db: Database, query: Query, mix: mixing.Mixed, boosts: Mapping[int, float], told: Near
) -> Near:
    """``told`` with what lies above a bar or beside what does, and what past questions name."""
    scores = mix.scores
    gone = redirects.retired_of(db, scores)
    boosted = {place for place, gain in boosts.items() if gain > 0}
    every = (mix.sure | mix.beside | boosted) - gone
    brought = ranked(db, {place: scores[place] for place in every}, query.project)
    named = sorted(scores.keys() - gone, key=lambda place: (-scores[place][0], -place))
    return replace(
        told,
        brought=tuple((each.place, each.score, each.ways) for each in brought),
        sure=bool(mix.sure - gone),
        named=tuple(dict.fromkeys([*(each.place for each in brought), *named])),
    )


def _lifted(
    scores: Mapping[int, mixing.Scored],
    boosts: Mapping[int, float],
    learned: Callable[[Sequence[int]], Mapping[int, float]] | None,
) -> dict[int, mixing.Scored]:
    """Scores with what the store taught and what past questions say of them; what only these name
    begins at the lowest."""
    plain = [score for score, _ in scores.values()]
    lowest, spread = min(plain, default=0.0), pstdev(plain) if len(plain) > 1 else 1.0
    named: dict[int, mixing.Scored] = {p: (lowest, ()) for p, gain in boosts.items() if gain > 0}
    every = named | dict(scores)
    gains = learned(sorted(every)) if learned is not None else {}
    return {
        place: (
            score + spread * (LIFTED * boosts.get(place, 0.0) + gains.get(place, 0.0)),
            ways,
        )
        for place, (score, ways) in every.items()
    }
