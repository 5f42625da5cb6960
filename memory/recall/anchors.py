"""Which anchors are left, which are pulled for a question, and which are dropped.

A memory that a pointer led to and that has left the window leaves an anchor if it lies some way
back: near ones are found again anyway. Anchors are ranked by their likeness to the question, never
by heat alone, and one that is pulled for nothing a few times in a row is dropped: so what was hot
once is no tax on every question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.config import (
    ANCHOR_DAYS,
    ANCHOR_REJECTIONS,
    ANCHOR_WINDOW,
    ANCHORS_PULLED,
    MOST_ANCHORS,
)
from memory.store import anchors, nodes, pieces, pointers
from memory.store.anchors import Anchor
from memory.store.database import Database

DAY = 86_400_000
"""Milliseconds."""
NEAR, FAR = 2, 4
"""Steps of drift from which on there is an anchor of level 1, and of level 2."""
REJECTED = 0.05
"""What each rejection takes from an anchor's likeness."""
WARM = 0.02
"""What heat adds to it at most: it decides between two that are alike."""


def level(last: int, position: int) -> int:
    """Of an anchor at a position, by its distance from the newest node; 0: none is needed."""
    drift = (last - position) // ANCHOR_WINDOW
    return 0 if drift < NEAR else 1 if drift < FAR else 2


def aged(anchor: Anchor, now: int) -> float:
    """The heat that is left."""
    left: float = 0.5 ** (max(0, now - anchor.used) / (ANCHOR_DAYS * DAY))
    return anchor.heat * left


def renewed(
    known: Anchor | None, target: int, source: int, position: int, last: int, now: int
) -> Anchor | None:
    """The anchor of a target that was needed; ``None`` if it lies so near that it needs none.

    ``position``: where the target stands on the timeline; ``last``: where the newest node does.
    """
    new = level(last, position)
    if not new:
        return None
    if known is None:
        return Anchor(target, source, new, last, 1.0, now)
    return replace(
        known,
        source=source or known.source,
        level=max(known.level, new),
        frontier=last,
        heat=aged(known, now) + 1.0,
        used=now,
        rejections=0,
    )


def rejected(anchor: Anchor) -> Anchor | None:
    """An anchor that was pulled for nothing; ``None`` once it is to be dropped."""
    more = anchor.rejections + 1
    return None if more >= ANCHOR_REJECTIONS else replace(anchor, rejections=more)


def pulled(
    every: Sequence[Anchor], likeness: Mapping[int, float], least: float, now: int
) -> tuple[Anchor, ...]:
    """The anchors that a question pulls, best first, at most ``ANCHORS_PULLED``.

    ``likeness``: target → cosine of its text to the question; one that is not known is not pulled.
    ``least``: the cosine below which a text has nothing to do with a question.
    """

    def worth(anchor: Anchor) -> float:
        heat = aged(anchor, now)
        return likeness[anchor.target] - REJECTED * anchor.rejections + WARM * heat / (1.0 + heat)

    near = [
        anchor
        for anchor in every
        if likeness.get(anchor.target, -1.0) - REJECTED * anchor.rejections >= least
    ]
    return tuple(sorted(near, key=lambda anchor: (-worth(anchor), anchor.target))[:ANCHORS_PULLED])


def register(db: Database, target: int, source: int, now: int) -> Anchor | None:
    """Leave or renew the anchor of a target, or take it away where it lies near; what stands now.
    In one transaction."""
    with db.transaction():
        position = pieces.position(db, target)
        if position is None:
            anchors.drop(db, target)
            return None
        known, last = anchors.of(db, target), nodes.last_seq(db)
        anchor = renewed(known, target, source, position, last, now)
        if anchor is None:
            anchors.drop(db, target)
        else:
            anchors.put(db, anchor)
            _without_coldest(db, target, now)
    return anchor


def reject(db: Database, target: int) -> None:
    """Count that an anchor was pulled for nothing, and drop it if that was once too often."""
    with db.transaction():
        known = anchors.of(db, target)
        if known is None:
            return
        anchor = rejected(known)
        if anchor is None:
            anchors.drop(db, target)
        else:
            anchors.put(db, anchor)


def leave(db: Database, names: Sequence[str], now: int) -> list[Anchor]:
    """Leave anchors for nodes that left a window, where a pointer led to them that once answered a
    question; those that stand now. In one transaction."""
    left = []
    with db.transaction():
        for node in nodes.by_ids(db, names):
            own = [node.seq, *(piece.place for piece in pieces.pieces_of(db, node.seq))]
            for pointer in pointers.to_target(db, own):
                if any(key.sign > 0 for key in pointer.keys):
                    anchor = register(db, pointer.target, pointer.source, now)
                    left += [anchor] if anchor else []
                    break
    return left


def _without_coldest(db: Database, target: int, now: int) -> None:
    """Drop what is over the cap, but not the one that was just left."""
    others = [anchor for anchor in anchors.every(db) if anchor.target != target]
    others.sort(key=lambda anchor: -aged(anchor, now))
    for anchor in others[MOST_ANCHORS - 1 :]:
        anchors.drop(db, anchor.target)
