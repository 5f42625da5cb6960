"""Lends the strength of a hit to what was said just before and after it.

A reply seldom repeats the words of its question, so the memory that answers often stands beside the
one that matches. On LoCoMo this is the largest single gain (see the bench ``recall``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.store import pieces
from memory.store.database import Database
from memory.store.texts import from_json, to_json

LENT = 0.5
"""The share of a hit's strength that each neighbour gets."""

_BEHIND = 1e-6
"""Enough to decide the order of two."""

Scored = tuple[float, tuple[str, ...]]
"""A score and the ways that found it."""

_AROUND = """
    SELECT (SELECT seq FROM nodes WHERE session = hit.session AND seq < hit.seq
            AND role IN ('user', 'assistant') ORDER BY seq DESC LIMIT 1),
           (SELECT seq FROM nodes WHERE session = hit.session AND seq > hit.seq
            AND role IN ('user', 'assistant') ORDER BY seq LIMIT 1)
    FROM nodes AS hit WHERE hit.seq = ? AND hit.session != ''
"""


_BESIDE = """
    SELECT hit.seq,
        (SELECT json_group_array(seq) FROM (SELECT seq FROM nodes WHERE session = hit.session
            AND seq < hit.seq AND role IN ('user', 'assistant') ORDER BY seq DESC LIMIT ?2)),
        (SELECT json_group_array(seq) FROM (SELECT seq FROM nodes WHERE session = hit.session
            AND seq > hit.seq AND role IN ('user', 'assistant') ORDER BY seq LIMIT ?2))
    FROM json_each(?1) AS asked JOIN nodes AS hit ON hit.seq = asked.value WHERE hit.session != ''
"""


def around(db: Database, place: int) -> tuple[int, ...]:
    """What stands next before and next after a place: the pieces beside it in its node; at the ends
    of the node the words of user or assistant before and after it in its session."""
    piece = pieces.by_place(db, (place,)).get(place)
    seq = place if piece is None else piece.node
    own = [part.place for part in pieces.pieces_of(db, seq)] if piece else [place]
    here = own.index(place)
    before, after = db.row(_AROUND, (seq,)) or (None, None)
    found = own[max(0, here - 1) : here] or _end(db, before, -1)
    return (*found, *(own[here + 1 : here + 2] or _end(db, after, 0)))


def windows(db: Database, places: Iterable[int], width: int) -> dict[int, tuple[int, ...]]:
    """Place → up to ``width`` places before it and as many after it, those of another piece of its
    node or of the words of user or assistant beside it in its session. Nearest first
    on each side."""
    places = list(places)
    parts = pieces.by_place(db, places)
    seq_of = {place: parts[place].node if place in parts else place for place in places}
    beside = {
        seq: (from_json(before), from_json(after))
        for seq, before, after in db.rows(_BESIDE, (to_json(sorted(set(seq_of.values()))), width))
    }
    involved = {seq for sides in beside.values() for side in sides for seq in side}
    cut = _cut(db, involved | {parts[place].node for place in parts})
    found = {}
    for place, seq in seq_of.items():
        own = cut.get(seq, [seq])
        before, after = beside.get(seq, ((), ()))
        here = own.index(place) if place in own else 0
        ahead = [*own[here + 1 :], *(p for each in after for p in cut.get(each, [each]))]
        behind = [
            *reversed(own[:here]),
            *(p for each in before for p in reversed(cut.get(each, [each]))),
        ]
        found[place] = (*behind[:width], *ahead[:width])
    return found


def _cut(db: Database, seqs: Iterable[int]) -> dict[int, list[int]]:
    """Node → the places of its pieces in the order of its text; those that are cut."""
    rows = db.rows(
        "SELECT node, -id FROM pieces WHERE node IN (SELECT value FROM json_each(?))"
        " ORDER BY node, lo",
        (to_json(sorted(seqs)),),
    )
    found: dict[int, list[int]] = {}
    for node, place in rows:
        found.setdefault(node, []).append(place)
    return found


def _end(db: Database, seq: int | None, end: int) -> list[int]:
    """The first or the last place of a node, if there is one."""
    if seq is None:
        return []
    parts = pieces.pieces_of(db, seq)
    return [parts[end].place] if parts else [seq]


def spread(
    db: Database, scores: Mapping[int, Scored], hits: Iterable[int]
) -> tuple[dict[int, Scored], frozenset[int]]:
    """The scores with each hit's strength lent to its neighbours, and who these are; they may be
    new among the scores.

    Strength is the distance above one standard deviation below the weakest of all: so even a lone
    hit has some. A neighbour that is no hit itself stays behind the one that lends it most, and
    takes over its ways if no way found it. Does not depend on the order of the hits.
    """
    lowest = min((score for score, _ in scores.values()), default=0.0) - 1.0
    lent: dict[int, float] = {}
    lender: dict[int, int] = {}
    hits = sorted(hits, key=lambda seq: (-scores[seq][0], -seq))
    for seq in hits:
        for beside in around(db, seq):
            lent[beside] = lent.get(beside, 0.0) + LENT * (scores[seq][0] - lowest)
            lender.setdefault(beside, seq)
    matched = frozenset(hits)
    spread_out = dict(scores)
    for seq, strength in lent.items():
        ahead, through = scores[lender[seq]]
        score, ways = scores.get(seq, (lowest, through))
        total = score + strength
        spread_out[seq] = (total if seq in matched else min(total, ahead - _BEHIND), ways)
    return spread_out, frozenset(lent)
