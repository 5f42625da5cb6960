"""Recall: asks text, vectors and time, in that order of cost, and makes one list of it.

A way brings a memory only when the memory lies above that way's own bar; the fused score of all
ways then ranks what was brought. So "hello" brings nothing, in a store of any size. The project
that asks, and who spoke, move a memory within the list and never into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from time import perf_counter

from memory.hyperspace.fusion import fuse
from memory.protocols import Clock, Embedder
from memory.store import nodes
from memory.store.database import Database
from memory.store.segment import segment
from memory.types import Hit, Query, Recollection

from . import by_text, by_time, by_vector
from .time_phrases import TimeAsked, time_asked

CANDIDATES = 50
"""How many each way may name."""

WAY_WEIGHTS = {"text": 1.0, "vector": 0.5, "time": 1.5}
"""Words weigh more than the bundled vectors (measured: see the bench ``recall_quality``); who asks
about yesterday wants yesterday before a better match of another day."""

ROLE_WEIGHTS = {"user": 0.0, "assistant": -0.05, "tool": -0.3, "system": -0.3}
"""In standard deviations. Tool output is long and repeats what was said; at equal score the words
of the people come first, the user's before the reply."""

SAME_PROJECT = 0.3
"""In standard deviations, for memories of the project that asks."""

_COMPARED_CHARS = 4_000
"""Two texts whose words agree so far are repeats of each other."""


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
    Raises ``MemoryFileError``, and what the embedder raises if its vectors are stored.
    """
    started = perf_counter()
    now = clock.now() if query.now is None else query.now
    asked = time_asked(query.text, now, zone)
    found, notice = _ask(query, db, embedder, asked, chance or by_vector.NullDistribution(), zone)
    hits = _hits(query, db, found)
    return Recollection(
        query=query.text,
        hits=hits,
        ways=tuple(found),
        ms=(perf_counter() - started) * 1000,
        notice=notice,
    )


def _ask(
    query: Query,
    db: Database,
    embedder: Embedder | None,
    asked: TimeAsked | None,
    chance: by_vector.NullDistribution,
    zone: tzinfo | None,
) -> tuple[dict[str, by_text.Found], str]:
    """What each way that is open found, in the order asked, and a notice about time."""
    # "Yesterday" says when, not what; as a word it would find whoever else said yesterday.
    topic = query.text if asked is None else asked.rest
    found = {"text": by_text.find(db, topic, CANDIDATES)}
    notice = ""
    if embedder is not None and by_text.telling_terms(topic):
        nearest = by_vector.find(db, embedder, topic, CANDIDATES, chance)
        if nearest is not None:
            found["vector"] = nearest
    if asked is not None:
        ranking, notice = by_time.find(db, query, asked, CANDIDATES, zone)
        found["time"] = by_text.Found(ranking, frozenset(seq for seq, _ in ranking))
    return found, notice


@dataclass(frozen=True, slots=True)
class _Candidate:
    seq: int
    score: float
    ways: tuple[str, ...]
    words: str


def _hits(query: Query, db: Database, found: dict[str, by_text.Found]) -> tuple[Hit, ...]:
    sure = frozenset().union(*(way.sure for way in found.values()))
    fused = fuse(
        {way: what.ranking for way, what in found.items()}, WAY_WEIGHTS, {"text": 0.0, "time": 0.0}
    )
    brought = {seq: (score, ways) for seq, score, ways in fused if seq in sure}
    ranked = sorted(
        _candidates(query, db, brought), key=lambda candidate: (-candidate.score, -candidate.seq)
    )
    best = _without_repeats(ranked)[: max(0, query.limit)]
    whole = {node.seq: node for node in nodes.by_seq(db, [candidate.seq for candidate in best])}
    return tuple(
        Hit(whole[candidate.seq], candidate.score, candidate.ways)
        for candidate in best
        if candidate.seq in whole
    )


def _candidates(
    query: Query, db: Database, brought: dict[int, tuple[float, tuple[str, ...]]]
) -> list[_Candidate]:
    """With role and project weighed in. Reads the beginnings of texts only: a tool's output may
    be megabytes, and most candidates are not shown."""
    if not brought:
        return []
    marks = ", ".join("?" * len(brought))
    rows = db.rows(
        f"SELECT seq, role, project, substr(text, 1, {_COMPARED_CHARS}) FROM nodes"
        f" WHERE seq IN ({marks})",
        tuple(brought),
    )
    candidates = []
    for seq, role, project, text in rows:
        score, ways = brought[seq]
        score += ROLE_WEIGHTS.get(role, 0.0)
        if query.project and project == query.project:
            score += SAME_PROJECT
        candidates.append(_Candidate(seq, score, ways, segment(text) or f"#{seq}"))
    return candidates


def _without_repeats(ranked: list[_Candidate]) -> list[_Candidate]:
    """One of each text: the newest, in the place of the best."""
    newest: dict[str, _Candidate] = {}
    for candidate in ranked:
        known = newest.get(candidate.words)
        if known is None:
            newest[candidate.words] = candidate
        elif candidate.seq > known.seq:
            newest[candidate.words] = _Candidate(
                candidate.seq, known.score, candidate.ways, candidate.words
            )
    return list(newest.values())
