"""Feedback: what becomes of pointers, keys and anchors once it is known what was needed.

Each verb is one transaction. A memory that was needed is from then on led to from where its
question came in; one that misled is kept out of questions like this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.config import MOST_POINTERS, MOST_QUESTIONS, POINTERS_A_SOURCE
from memory.recall import anchors, pointers
from memory.store import nodes, pieces, questions, recollections, settings
from memory.store import pointers as rows
from memory.store.database import Database
from memory.store.pointers import Key, Pointer
from memory.store.questions import Question
from memory.store.recollections import Filed
from memory.types import Node

REVIEWED = 64
"""Pointers that one round of reviewing looks at."""
CURSOR = "learned:cursor"
"""Key of the number of the pointer that was reviewed last."""


def confirm(
    db: Database, number: int, used: Sequence[str], at: int, *, weight: float = 1.0
) -> Question | None:
    """These nodes were what the question of a recollection needed; the question, if there are any.

    Statistics of the pointers that were followed count once for each recollection, keys once for
    each node. ``LookupError`` if the recollection is not on file any more. ``at``: milliseconds.
    """
    with db.transaction():
        filed = _filed(db, number)
        new = [node for node in nodes.by_ids(db, used) if node.id not in filed.confirmed]
        led = _led(db, filed)
        _count(db, filed, led, {node.seq for node in new}, at)
        recollections.judge(db, filed, confirmed=[node.id for node in new])
        if not new:
            return None
        question = questions.put(db, filed.query.text, at, family=filed.family)
        pulled = {hit.node.id for hit in filed.recollection.hits if hit.rung == "anchors"}
        for node in new:
            found = led.get(node.seq) or [_link(db, filed, node, at)]
            for pointer in found:
                learn(db, pointer, question, 1, weight, at)
            if node.id in pulled:
                anchors.register(db, _place(db, filed, node), 0, at)
        return question


def misled(
    db: Database, number: int, wrong: Sequence[str], at: int, *, weight: float = 2.0
) -> Question:
    """These nodes were not what the question of a recollection needed; without any, all that it
    showed but where the user himself had pointed. The question. Errors as of ``confirm``."""
    with db.transaction():
        filed = _filed(db, number)
        shown = [hit for hit in filed.recollection.hits if hit.rung not in ("jumps", "pins")]
        names = list(dict.fromkeys(wrong or [hit.node.id for hit in shown]))
        said = [node for node in nodes.by_ids(db, names) if node.id not in filed.wrong]
        led = _led(db, filed)
        _count(db, filed, led, set(), at)
        recollections.judge(db, filed, wrong=[node.id for node in said])
        question = questions.put(db, filed.query.text, at, family=filed.family)
        pulled = {hit.node.id for hit in shown if hit.rung == "anchors"}
        for node in said:
            for pointer in led.get(node.seq) or [_link(db, filed, node, at)]:
                learn(db, pointer, question, -1, weight, at)
            if node.id in pulled:
                anchors.reject(db, _place(db, filed, node))
        return question


def due(db: Database, now: int) -> bool:
    """Whether ``review`` would find something to forget. Only reads."""
    return (
        rows.count(db)[0] > MOST_POINTERS
        or questions.count(db) > MOST_QUESTIONS
        or rows.oldest_negative(db) < now - pointers.NEGATIVE_DAYS * pointers.DAY
        or rows.any_dead(db)
    )


def review(
    db: Database, now: int, most: int = MOST_POINTERS, most_questions: int = MOST_QUESTIONS
) -> int:
    """Forget what is too old, leads nowhere or is worth least among the next pointers in turn, in
    one transaction; how much. Round by round it comes by all of them."""
    with db.transaction():
        begin = int(settings.kept(db, CURSOR, 0))
        turn = rows.after(db, begin, REVIEWED)
        settings.keep(db, CURSOR, turn[-1].id if len(turn) == REVIEWED else 0)
        dead = [each for each in turn if not pieces.resolve(db, each.target)]
        rows.drop(db, dead)
        left = [each for each in turn if each not in dead]
        stale = [key for each in left for key in each.keys if pointers.stale(key, now)]
        rows.drop_keys(db, stale)
        over = min(rows.count(db)[0] - most, (len(left) + 1) // 2)
        least = sorted(left, key=lambda each: _worth(each, now))[: max(0, over)]
        rows.drop(db, least)
        rows.overflowed(db, len(least))
        idle = questions.forget_idle(db, most_questions, REVIEWED)
    return len(dead) + len(stale) + len(least) + idle


def _filed(db: Database, number: int) -> Filed:
    filed = recollections.by_id(db, number)
    if filed is None:
        raise LookupError(f"there is no recollection {number} on file any more")
    return filed


def _led(db: Database, filed: Filed) -> dict[int, list[int]]:
    """Position of a node → the pointers that were followed to it."""
    led: dict[int, list[int]] = {}
    followed = {pointer for pointer, _ in filed.leads}
    for target, number in {(key.target, key.pointer) for key in rows.keys_of(db, followed)}:
        ends = pieces.positions(db, pieces.resolve(db, target)).values()
        for seq in dict.fromkeys(ends):
            led.setdefault(seq, []).append(number)
    return {seq: sorted(numbers) for seq, numbers in led.items()}


def _count(
    db: Database, filed: Filed, led: Mapping[int, Sequence[int]], used: set[int], at: int
) -> None:
    """Count each key by which a pointer was followed as tried, and whether it led to what was used;
    what was said to be missed before may turn out to be used after all."""
    right = {number for seq in used for number in led.get(seq, ())}
    counted = []
    for key in rows.keys_of(db, {pointer for pointer, _ in filed.leads}):
        if (key.pointer, key.question) not in filed.leads or key.sign < 0:
            continue
        if not filed.counted:
            counted.append(pointers.tried(key, key.pointer in right, at))
        elif key.pointer in right:
            missed = max(0, key.missed - 1)
            counted.append(replace(key, successes=key.successes + 1, missed=missed, used=at))
    rows.put_keys(db, counted, at)


def _place(db: Database, filed: Filed, node: Node) -> int:
    """Where in a node it was found: a piece of it, or all of it."""
    for hit in filed.recollection.hits:
        if hit.node.id == node.id and hit.piece is not None:
            for piece in pieces.pieces_of(db, node.seq):
                if (piece.lo, piece.hi) == hit.piece:
                    return piece.place
    return node.seq


def _link(db: Database, filed: Filed, node: Node, at: int) -> int:
    """The pointer from where the question came in to a node, made if there is none."""
    source = filed.entry
    if source and pieces.position(db, source) in (None, node.seq):
        source = 0
    number = rows.link(db, source, _place(db, filed, node), at)
    make_room(db, source, number, at)
    return number


def make_room(db: Database, source: int, new: int, at: int) -> None:
    """Forget what is worth least of too many pointers that begin at one place; nowhere is none."""
    if not source:
        return
    begun = [each for each in rows.from_source(db, source) if each.id != new]
    over = len(begun) + 1 - POINTERS_A_SOURCE
    if over > 0:
        least = sorted(begun, key=lambda each: _worth(each, at))[:over]
        rows.drop(db, least)
        rows.overflowed(db, len(least))


def _worth(pointer: Pointer, at: int) -> tuple[float, int]:
    return pointers.utility(pointer, at), pointer.used


def learn(
    db: Database, pointer: int, question: Question, sign: int, weight: float, at: int
) -> None:
    """A pointer answered a question (sign 1) or misled it (sign -1). In a transaction."""
    keys: list[Key] = rows.keys_of(db, (pointer,))
    learned = pointers.outcome(pointer, keys, question, sign, weight, at)
    # First what is new: a pointer without any key would be forgotten.
    rows.put_keys(db, [key for key in learned.kept if key not in keys], at)
    rows.drop_keys(db, learned.dropped)
