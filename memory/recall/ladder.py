"""Recall: asks text, vectors and time, in that order of cost, and makes one list of it.

A way brings a memory only when the memory lies above that way's own bar; the fused score of all
ways then ranks what was brought. So "hello" brings nothing, in a store of any size. The project
that asks, and who spoke, move a memory within the list and never into it.
"""

from __future__ import annotations

from datetime import tzinfo
from time import perf_counter

from memory.hyperspace.fusion import fuse
from memory.protocols import Clock, Embedder
from memory.recollection import Hit, Query, Recollection
from memory.store import pieces
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable

from . import by_text, by_time, by_vector, neighbours
from .ranking import ranked
from .time_phrases import time_asked

CANDIDATES = 50
"""How many each way may name."""

WAY_WEIGHTS = {"text": 1.0, "vector": 0.5, "time": 1.5}
"""Words weigh more than the bundled vectors (measured: see the bench ``recall_quality``); who asks
about yesterday wants yesterday before a better match of another day."""

FLOORS = {"text": 0.0, "time": 0.0}
"""What a way gives to a memory that it did not find; the cosine of one that is not among the
nearest is not known, so there it is the lowest of those that are."""


def recall(
    query: Query,
    db: Database,
    embedder: Embedder | None,
    clock: Clock,
    *,
    chance: by_vector.NullDistribution | None = None,
    zone: tzinfo | None = None,
) -> Recollection:
    """What memory holds about a question, best first; never more than ``query.limit``.

    ``chance`` keeps what was learned about the store's vectors between calls; ``zone`` is where
    "yesterday" begins and ends, by default this machine's zone. Deterministic but for ``ms``.
    Vectors that cannot be asked make it incomplete, with a notice that says why. Raises
    ``MemoryFileError``.
    """
    started = perf_counter()
    now = clock.now() if query.now is None else query.now
    asked = time_asked(query.text, now, zone)
    # "Yesterday" says when, not what; as a word it would find whoever else said yesterday.
    topic = query.text if asked is None else asked.rest
    found = {"text": by_text.find(db, topic, CANDIDATES)}
    failure = ""
    if embedder is not None and by_text.telling_terms(topic):
        chance = chance or by_vector.NullDistribution()
        nearest, failure = _by_meaning(db, embedder, topic, chance)
        found |= {} if nearest is None else {"vector": nearest}
    notice = ""
    if asked is not None:
        ranking, notice = by_time.find(db, query, asked, CANDIDATES, zone)
        found["time"] = by_text.Found(ranking, frozenset(seq for seq, _ in ranking))
    hits = _hits(query, db, found)
    return Recollection(
        query=query.text,
        hits=hits,
        ways=tuple(found),
        ms=(perf_counter() - started) * 1000,
        complete=not failure,
        notice=" ".join(filter(None, (notice, failure))),
    )


def _by_meaning(
    db: Database, embedder: Embedder, topic: str, chance: by_vector.NullDistribution
) -> tuple[by_text.Found | None, str]:
    """What vectors found, ``None`` if they were not asked, and a notice if they could not be."""
    try:
        return by_vector.find(db, embedder, topic, CANDIDATES, chance), ""
    except VectorsUnavailable as error:
        return None, f"{error.text} {error.hint}".strip()


def _hits(query: Query, db: Database, found: dict[str, by_text.Found]) -> tuple[Hit, ...]:
    fused = fuse({way: what.ranking for way, what in found.items()}, WAY_WEIGHTS, FLOORS)
    scores = {seq: (score, ways) for seq, score, ways in fused}
    sure = {seq for what in found.values() for seq in what.sure}
    # Only what matches by its content lends to its neighbours: those of a day belong to it already.
    topical = {seq for way, what in found.items() if way != "time" for seq in what.sure}
    scores, beside = neighbours.spread(db, scores, topical)
    brought = {seq: scores[seq] for seq in sure | beside}
    best = {each.place: each for each in ranked(db, brought, query.project)}
    return tuple(
        Hit(found.node, best[found.place].score, best[found.place].ways, piece=found.piece)
        for found in pieces.hits(db, best, query.limit)
    )
