"""Pieces: what the places in the indexes stand for.

A place is one number: the position (``seq``) of a node that is found as a whole, or minus the
number of a piece of a long one. Who finds speaks in places; who shows, in nodes and characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.config import EMBED_CHARS
from memory.store import nodes
from memory.store.cuts import cut as cut
from memory.store.cutting import Span
from memory.store.database import Database
from memory.store.texts import to_json
from memory.types import Node

_RETIRED = """
    SELECT value FROM json_each(?1) AS asked
    WHERE EXISTS (SELECT 1 FROM redirects WHERE stale = asked.value)
"""


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``lo`` up to ``hi`` of the text of a node."""

    place: int
    node: int
    """Position of the node, and so of the piece on the timeline."""
    lo: int
    hi: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A node that was found by one of its places."""

    node: Node
    place: int
    piece: Span | None
    """Its characters; ``None`` if the node was found as a whole."""


def by_place(db: Database, places: Iterable[int]) -> dict[int, Piece]:
    """The pieces at those of the places that are pieces and still there."""
    asked = to_json([-place for place in places if place < 0])
    rows = db.rows(
        "SELECT -id, node, lo, hi FROM pieces WHERE id IN (SELECT value FROM json_each(?))",
        (asked,),
    )
    return {row[0]: Piece(*row) for row in rows}


def pieces_of(db: Database, seq: int) -> list[Piece]:
    """The pieces of a node in the order of its text; none of one that is found as a whole."""
    rows = db.rows("SELECT -id, node, lo, hi FROM pieces WHERE node = ? ORDER BY lo", (seq,))
    return [Piece(*row) for row in rows]


def whole(db: Database, place: int) -> tuple[int, int, int] | None:
    """(position of the node, from, up to) in characters; ``None`` if nothing stands there."""
    if place < 0:
        piece = by_place(db, (place,)).get(place)
        return None if piece is None else (piece.node, piece.lo, piece.hi)
    row = db.row("SELECT text FROM nodes WHERE seq = ?", (place,))
    return None if row is None else (place, 0, len(row[0]))


def positions(db: Database, places: Iterable[int]) -> dict[int, int]:
    """Place → position on the timeline; what is not there is left out but for nodes, which are
    where they are by name."""
    places = list(places)
    found = by_place(db, places)
    there = (place for place in places if place > 0 or place in found)
    return {place: found[place].node if place < 0 else place for place in there}


def position(db: Database, place: int) -> int | None:
    """Where a place stands on the timeline; ``None`` if it is a piece that is gone."""
    return positions(db, (place,)).get(place)


def text_of(db: Database, places: Iterable[int]) -> dict[int, str]:
    """Place → its text; what is not there is left out. Reads each node once."""
    # Cut here and not by SQL, whose functions end a text at a NUL.
    places = list(places)
    found = by_place(db, places)
    seqs = dict.fromkeys(found[place].node if place in found else place for place in places)
    texts = dict(_texts(db, [seq for seq in seqs if seq > 0]))
    told = {place: texts[place] for place in places if place in texts}
    for place, piece in found.items():
        if piece.node in texts:
            told[place] = texts[piece.node][piece.lo : piece.hi]
    return {place: told[place] for place in places if place in told}


def in_stretch(db: Database, lo: int, hi: int) -> list[int]:
    """All places between two positions, both included, in the order of the timeline: each word of
    it stands in exactly one of them, but for what was superseded or deleted."""
    rows = db.rows(
        "SELECT coalesce(-pieces.id, seq) FROM nodes LEFT JOIN pieces ON pieces.node = seq"
        " WHERE seq BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = seq)"
        " ORDER BY seq, lo",
        (lo, hi),
    )
    return [place for (place,) in rows]


def beside(db: Database, place: int) -> tuple[int, ...]:
    """The pieces just before and just after a piece in its node; none of a whole node."""
    piece = by_place(db, (place,)).get(place)
    if piece is None:
        return ()
    rows = db.rows(
        "SELECT -id FROM pieces WHERE node = ? AND (hi = ? OR lo = ?) ORDER BY lo",
        (piece.node, piece.lo, piece.hi),
    )
    return tuple(other for (other,) in rows)


def count(db: Database) -> int:
    """How many rows the indexes have at most: nodes, and pieces that were ever made."""
    return nodes.count(db) + last(db)


def resolve(db: Database, place: int) -> tuple[int, ...]:
    """Where a place leads now: to itself, to the pieces of a node that was cut, to what stands for
    something superseded, or nowhere, if it was deleted or never was."""
    led: dict[int, None] = {}
    ahead, seen = [place], {place}
    while ahead:
        here = ahead.pop(0)
        further = _further(db, here)
        if further is None:
            led[here] = None
            continue
        new = [fresh for fresh in further if fresh not in seen]
        seen.update(new)
        ahead += new
    return tuple(led)


def _further(db: Database, place: int) -> list[int] | None:
    """Where a place leads at the next step; ``None`` if it stands for itself."""
    query = "SELECT fresh FROM redirects WHERE stale = ? ORDER BY abs(fresh)"
    rows = db.rows(query, (place,))
    at = whole(db, place) if not rows else None
    if at is not None and place < 0:
        rows = db.rows(query, (at[0],))  # its node was superseded or deleted
    if rows:
        return [fresh for (fresh,) in rows if fresh]
    if at is None:
        return []
    pieces = pieces_of(db, place) if place > 0 else []
    return [piece.place for piece in pieces] or None


def hits(db: Database, places: Iterable[int], limit: int | None = None) -> list[Placed]:
    """The nodes at these places, in their order, each once, at most ``limit``: by the first of its
    places, which is the best if the best stand first. None that was superseded or deleted."""
    places = list(places)
    found = by_place(db, places)
    first: dict[int, int] = {}
    for place in places:
        if place > 0 or place in found:
            first.setdefault(found[place].node if place in found else place, place)
    for (seq,) in db.rows(_RETIRED, (to_json(list(first)),)):
        del first[seq]
    return [
        Placed(node, place, (found[place].lo, found[place].hi) if place in found else None)
        for node in nodes.by_seq(db, list(first)[: None if limit is None else max(0, limit)])
        for place in (first[node.seq],)
    ]


def pending(db: Database, space: int, limit: int, *, after: int = 0) -> list[tuple[int, str]]:
    """Pieces not yet looked at in this space: (place, the start of its text), newest first.

    ``after``: only those whose number is beyond this one, when all before are known to be done.
    """
    rows = db.rows(
        "SELECT -id FROM pieces WHERE id > ? AND NOT EXISTS"
        " (SELECT 1 FROM embedded WHERE space = ? AND embedded.seq = -pieces.id)"
        " AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = node)"
        " ORDER BY id DESC LIMIT ?",
        (after, space, limit),
    )
    texts = text_of(db, (place for (place,) in rows))
    return [(place, text[:EMBED_CHARS]) for place, text in texts.items()]


def standing(db: Database) -> int:
    """How many places are found: nodes as wholes and pieces of long ones, without what was
    superseded or deleted."""
    places = db.value("SELECT coalesce(sum(lo > 0), 0) FROM pieces") + nodes.count(db)
    gone = db.value(
        "SELECT count(*) FROM (SELECT DISTINCT stale FROM redirects WHERE stale > 0)"
        " LEFT JOIN pieces ON node = stale"
    )
    return int(places - gone)


def last(db: Database) -> int:
    """The number of the newest piece; 0 if there is none."""
    return int(db.value("SELECT coalesce(max(id), 0) FROM pieces"))


def _texts(db: Database, seqs: Sequence[int]) -> list[tuple[int, str]]:
    query = "SELECT seq, text FROM nodes WHERE seq IN (SELECT value FROM json_each(?))"
    return [(seq, text) for seq, text in db.rows(query, (to_json(list(seqs)),))]
