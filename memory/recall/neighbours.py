"""Lends the strength of a hit to what was said just before and after it.

A reply seldom repeats the words of its question, so the memory that answers often stands beside the
one that matches. On LoCoMo this is the largest single gain (see the bench ``recall_quality``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.store.database import Database

LENT = 0.5
"""The share of a hit's strength that each neighbour gets."""

Scored = tuple[float, tuple[str, ...]]
"""A score and the ways that found it."""

_AROUND = """
    SELECT (SELECT seq FROM nodes WHERE session = hit.session AND seq < hit.seq
            AND role IN ('user', 'assistant') ORDER BY seq DESC LIMIT 1),
           (SELECT seq FROM nodes WHERE session = hit.session AND seq > hit.seq
            AND role IN ('user', 'assistant') ORDER BY seq LIMIT 1)
    FROM nodes AS hit WHERE hit.seq = ? AND hit.session != ''
"""


def around(db: Database, seq: int) -> tuple[int, ...]:
    """The words of user or assistant next before and next after a node in its session."""
    row = db.row(_AROUND, (seq,))
    return tuple(beside for beside in row or () if beside is not None)


def spread(
    db: Database, scores: Mapping[int, Scored], hits: Iterable[int]
) -> tuple[dict[int, Scored], frozenset[int]]:
    """The scores with each hit's strength lent to its neighbours, and who these are; they may be
    new among the scores.

    Strength is the distance above the lowest score. A neighbour that no way found takes over the
    ways of the hit that lends most. Does not depend on the order of the hits.
    """
    lowest = min((score for score, _ in scores.values()), default=0.0)
    lent: dict[int, float] = {}
    through: dict[int, tuple[str, ...]] = {}
    for seq in sorted(hits, key=lambda seq: (-scores[seq][0], -seq)):
        score, ways = scores[seq]
        for beside in around(db, seq):
            lent[beside] = lent.get(beside, 0.0) + LENT * (score - lowest)
            through.setdefault(beside, ways)
    spread_out = dict(scores)
    for seq, strength in lent.items():
        score, ways = scores.get(seq, (lowest, through[seq]))
        spread_out[seq] = (score + strength, ways)
    return spread_out, frozenset(lent)
