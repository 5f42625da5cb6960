"""Questions that were asked, and what was said of their answers, in a few words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.recall import feedback
from memory.recall.following import Led, follow
from memory.recall.pointers import Bars, Follow
from memory.recollection import Hit, Query, Recollection, Rung
from memory.store import pointers, questions, recollections
from memory.store.keys import Keys, ResidentKeys
from memory.store.pointers import Key, Pointer
from memory.types import Node

from .conftest import NOW, Store

BARS = Bars(follow=0.9, boost=0.7)
STAMP = "compass/1"


def compass(*degrees: float) -> NDArray[np.float32]:
    """Vectors of length 1 in a plane: the cosine of two is that of the angle between them."""
    angles = np.radians(np.array(degrees))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def at_cosine(cosine: float) -> float:
    """The angle of so near a question to one at 0 degrees."""
    return float(np.degrees(np.arccos(cosine)))


def asked(
    store: Store,
    question: str,
    hits: Sequence[Node] = (),
    *,
    entry: int = 0,
    leads: Sequence[tuple[int, int]] = (),
    rung: Rung = "near",
    family: int = 0,
) -> int:
    """A recollection on file; its number."""
    found = tuple(Hit(node, 1.0, ("text",), rung=rung) for node in hits)
    recollection = Recollection(question, found, ("text",), 1.0)
    query = Query(question, session="s")
    return recollections.put(
        store.db, recollection, query, at=NOW, family=family, entry=entry, leads=leads
    )


def answered(
    store: Store, question: str, target: Node, angle: float, *, entry: int = 0, at: int = NOW
) -> None:
    """A question that was asked and answered by a memory, with a vector of its own."""
    number = asked(store, question, [target], entry=entry)
    made = feedback.confirm(store.db, number, [target.id], at)
    if made is not None:
        embed(store, made.id, angle)


def misled(
    store: Store, question: str, target: Node, angle: float, *, entry: int = 0, at: int = NOW
) -> None:
    """A question that was asked and misled by a memory."""
    number = asked(store, question, [target], entry=entry)
    embed(store, feedback.misled(store.db, number, [target.id], at).id, angle)


def embed(store: Store, question: int, angle: float) -> None:
    row = compass(angle)[0].astype("<f4").tobytes()
    questions.put_vectors(store.db, STAMP, [(question, row)])


def keys_now(store: Store) -> Keys:
    return ResidentKeys().fresh(store.db, STAMP)


def led(store: Store, angle: float | None, words: str = "", now: int = NOW) -> tuple[Led, ...]:
    """What a question follows."""
    return chosen(store, angle, words, now)[0]


def chosen(
    store: Store, angle: float | None, words: str = "", now: int = NOW
) -> tuple[tuple[Led, ...], Follow]:
    vector = None if angle is None else compass(angle)[0]
    said = questions.normalised(words)
    return follow(store.db, keys_now(store), vector, said, now, BARS)


def targets(found: Sequence[Led]) -> list[int]:
    return [place for each in found for place in each.places]


def pointer(store: Store, target: Node) -> Pointer:
    """The only pointer to a memory."""
    (found,) = pointers.to_target(store.db, [target.seq])
    return found


def signs(found: Pointer) -> list[tuple[int, float]]:
    return [(key.sign, key.weight) for key in found.keys]


def key(found: Pointer) -> Key:
    (only,) = found.keys
    return only
