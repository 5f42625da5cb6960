"""Scanning: all vectors, exactly, stretch by stretch from new to old.

What it has looked at it need not look at again for a question that asks the same: it has
certificates of its own, apart from a judge's, and what it found is led to by pointers. A stretch
with anything that has no vector yet is not covered, so that it is looked at once it has.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.config import SCAN_STRETCH
from memory.hyperspace.spaces import spaces
from memory.protocols import Embedder
from memory.recall import colours, feedback, ledger
from memory.recall.by_vector import NullDistribution
from memory.recall.coverage import Checked, coverage
from memory.recollection import Stretch
from memory.store import nodes, pieces, pointers, questions, vectors
from memory.store.certificates import Reading
from memory.store.database import Database

WEIGHT = 0.5
"""What a find weighs that nobody has confirmed."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What came of a scan."""

    hits: tuple[tuple[int, float], ...] = ()
    """(place, cosine) of what is nearer than chance brings, nearest first."""
    read: tuple[tuple[str, tuple[Stretch, ...]], ...] = ()
    """Stamp of each space, and the stretches of which all vectors were looked at."""
    skipped: int = 0
    """Positions that were looked at before, in all spaces."""


def scan(
    db: Database,
    embedder: Embedder,
    question: str,
    family: int,
    chance: NullDistribution,
    checked: Checked,
    *,
    again: bool = False,
) -> Scanned:
    """Look at all vectors that were not looked at for such a question; ``again``: at those too.
    Raises ``VectorsUnavailable``."""
    hits: dict[int, float] = {}
    read, skipped, last = [], 0, nodes.last_seq(db)
    for part in spaces(embedder):
        space = vectors.known_space(db, part.stamp)
        if space is None:
            continue
        (vector,) = vectors.embedded(part, [question])
        reading = Reading(family, "scan", "", part.stamp)
        seen = () if again or not family else coverage(db, reading, checked.holds).stretches
        skipped += colours.length(seen)
        bar = chance.bar(db, space, vectors.count(db, space), question)
        done: list[Stretch] = []
        for each in _stretches(colours.without([Stretch(1, last)], seen)):
            places, cosines = vectors.scan(db, space, vector, each.lo, each.hi)
            near = cosines >= bar
            hits.update(zip(places[near].tolist(), cosines[near].tolist(), strict=True))
            done += [each] if vectors.all_embedded(db, space, each.lo, each.hi) else []
        read.append((part.stamp, colours.union(done)))
    ordered = sorted(hits.items(), key=lambda hit: (-hit[1], -hit[0]))
    return Scanned(tuple(ordered), tuple(read), skipped)


def keep(
    db: Database, scanned: Scanned, question: str, family: int, entry: int, most: int, at: int
) -> int:
    """Lead such questions to what was found, and keep that it was looked at, in one transaction;
    the family. Where more was found than ``most``, the rest stays to be looked at again."""
    with db.transaction():
        asked = questions.put(db, question, at, family=family)
        known = {key.target for key in pointers.keys_of_family(db, asked.family) if key.sign > 0}
        for place, _ in scanned.hits[:most]:
            position = pieces.position(db, place)
            if place in known or position is None:
                continue
            begins = entry if entry and pieces.position(db, entry) not in (None, position) else 0
            pointer = pointers.link(db, begins, place, at)
            feedback.make_room(db, begins, pointer, at)
            feedback.learn(db, pointer, asked, 1, WEIGHT, at)
        if len(scanned.hits) <= most:
            for stamp, stretches in scanned.read:
                ledger.certify(db, Reading(asked.family, "scan", "", stamp), stretches, at)
    return asked.family


def _stretches(left: tuple[Stretch, ...]) -> list[Stretch]:
    """In parts that are looked at in one go, newest first."""
    parts = [
        part
        for each in left
        for part in colours.parts(each.lo, each.hi, -(-(each.hi - each.lo + 1) // SCAN_STRETCH))
    ]
    return parts[::-1]
