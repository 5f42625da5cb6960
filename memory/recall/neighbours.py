"""What stands beside a memory.

A reply seldom repeats the words of its question, so the memory that answers often stands beside the
one that matches. On LoCoMo this is the largest single gain but for late interaction (see the bench
``recall``).
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.store import pieces
from memory.store.database import Database
from memory.store.texts import from_json, to_json

_BESIDE = """
    SELECT hit.seq,
        (SELECT json_group_array(seq) FROM (SELECT seq FROM nodes WHERE session = hit.session
            AND seq < hit.seq AND role IN ('user', 'assistant') ORDER BY seq DESC LIMIT ?2)),
        (SELECT json_group_array(seq) FROM (SELECT seq FROM nodes WHERE session = hit.session
            AND seq > hit.seq AND role IN ('user', 'assistant') ORDER BY seq LIMIT ?2))
    FROM json_each(?1) AS asked JOIN nodes AS hit ON hit.seq = asked.value WHERE hit.session != ''
"""


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
