"""The ledger: what is written of a reading, and what is owed of the rest.

One transaction a batch: pointers to what was found, certificates over what was read whole, and both
taken out of what is owed. Unknown is written nowhere. A certificate is written only over nodes all
of whose places were answered and each of whose finds has a pointer that questions of the family
follow: so whatever a certificate lets be skipped is brought by a pointer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.recall import colours, feedback
from memory.recall import pointers as learned
from memory.recall.batches import Answer
from memory.recall.coverage import SAID_BY_JUDGE, Checked, coverage, known, refused
from memory.recollection import Stretch
from memory.store import certificates, debts, nodes, pieces, pointers, questions
from memory.store.certificates import DEEP, LIGHT, Reading
from memory.store.database import Database
from memory.store.pointers import Key
from memory.store.questions import Question


@dataclass(frozen=True, slots=True)
class Batch:
    """What a judge said in one call, with what it said before in the same reading."""

    question: str
    family: int
    """0: of its own."""
    judge: str
    entry: int
    """The place where the question came in; 0: nowhere."""
    places: tuple[int, ...]
    """Those that were answered by this call."""
    answers: Mapping[int, Answer]
    """Of all places so far."""
    at: int
    stale: tuple[int, ...] = ()
    """Numbers of certificates to forget."""
    leads: Mapping[int, Key] = field(default_factory=dict)
    """Place → the key by which a pointer was followed to it, where one was."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of a batch."""

    family: int
    answered: frozenset[int]
    """Positions of nodes all of whose places were answered."""
    overflow: int = 0
    """Finds that the caps left no room for, and certificates and debts that they threw out."""


def record(db: Database, batch: Batch) -> Recorded:
    """Write what a judge said, in one transaction."""
    with db.transaction():
        question = questions.put(db, batch.question, batch.at, family=batch.family)
        barred = refused(db, question.family)
        _learn(db, batch, question, barred)
        answered, covered = _read(db, batch, question.family, barred)
        certificates.drop(db, batch.stale)
        certify(
            db, Reading(question.family, "judge", batch.judge), colours.single(covered), batch.at
        )
        pay_off(db, question.family, colours.single(covered), batch.at)
        found = {place for place in batch.places if batch.answers.get(place) == "yes"}
        kept = {each.place for each in known(db, question.family)}
        over = certificates.cap(db) + len(found - kept - barred)
    return Recorded(question.family, answered, over)


def _learn(db: Database, batch: Batch, question: Question, barred: frozenset[int]) -> None:
    """What the answers say of the pointers that led there, and pointers to what none leads to."""
    asked = set(batch.places)
    reached: set[int] = set()
    for pointer, places in _by_pointer(db, question.family):
        reached.update(places)
        if asked.isdisjoint(places) or not barred.isdisjoint(places):
            continue
        said = {batch.answers.get(place) for place in places}
        if "yes" in said:
            feedback.learn(db, pointer, question, 1, 1.0, batch.at)
        elif said == {"no"}:
            _misled(db, pointer, question, batch.at)
    for place in batch.places:
        said_so, lead = batch.answers.get(place), batch.leads.get(place)
        if lead is not None and said_so in ("yes", "no"):
            tried = (key for key in pointers.keys_of(db, [lead.pointer]) if _same(key, lead))
            told = [learned.tried(key, said_so == "yes", batch.at) for key in tried]
            pointers.put_keys(db, told, batch.at)
        if place in reached or place in barred:
            continue
        if lead is not None and said_so == "yes":
            feedback.learn(db, lead.pointer, question, 1, 1.0, batch.at)
        elif lead is not None and said_so == "no":
            _misled(db, lead.pointer, question, batch.at)
        elif said_so == "yes":
            _link(db, batch, question, place)


def _misled(db: Database, pointer: int, question: Question, at: int) -> None:
    """A judge said no. However often it does, that never weighs as much as the user's word."""
    before = [key for key in pointers.keys_of(db, [pointer]) if key.family == question.family]
    if all(key.sign > 0 for key in before):
        feedback.learn(db, pointer, question, -1, SAID_BY_JUDGE, at)
    else:
        weak = [key for key in before if key.sign > 0 and key.weight <= SAID_BY_JUDGE]
        pointers.drop_keys(db, weak)


def _same(key: Key, other: Key) -> bool:
    return (key.question, key.sign) == (other.question, other.sign)


def certify(db: Database, reading: Reading, stretches: Iterable[Stretch], at: int) -> None:
    """Keep that these were read, put together with what lies beside them. In a transaction."""
    before = certificates.of(db, reading)
    for each in colours.without(stretches, [Stretch(old.lo, old.hi) for old in before]):
        beside = [old for old in before if old.hi + 1 == each.lo or each.hi + 1 == old.lo]
        told = [certificates.contents(db, each.lo, each.hi), *(old.hash for old in beside)]
        lo = min([each.lo, *(old.lo for old in beside)])
        hi = max([each.hi, *(old.hi for old in beside)])
        certificates.drop(db, [old.id for old in beside])
        certificates.put(db, reading, DEEP, lo, hi, certificates.combined(told), at)
        before = certificates.of(db, reading)


def pay_off(
    db: Database, family: int, stretches: Iterable[Stretch], at: int
) -> tuple[Stretch, ...]:
    """Take what was read out of what a family is owed; what is left. In a transaction."""
    owed = [Stretch(debt.lo, debt.hi) for debt in debts.of_family(db, family, "judge")]
    left = colours.without(owed, stretches)
    if left != tuple(owed):
        debts.replace(db, family, "judge", left, worth=0.0, at=at)
    return left


def owe(
    db: Database, text: str, family: int, stretches: Sequence[Stretch], worth: float, at: int
) -> tuple[int, int]:
    """Owe a question what was leapt over, in one transaction; its family, and how much the caps
    threw out. ``worth``: how likely something is there, larger is more."""
    with db.transaction():
        question = questions.put(db, text, at, family=family)
        debts.replace(db, question.family, "judge", stretches, worth=worth, at=at)
        light = Reading(question.family, "judge", "")
        certificates.drop(db, [each.id for each in certificates.of(db, light, LIGHT)])
        for each in stretches:
            certificates.put(db, light, LIGHT, each.lo, each.hi, b"", at)
        over = debts.cap(db) + certificates.cap(db)
        questions.prune(db)
        return question.family, over


def outstanding(
    db: Database, family: int, judge: str, checked: Checked
) -> tuple[tuple[Stretch, ...], tuple[int, ...]]:
    """What of a family's debts nobody has read by now, and the numbers of certificates that do not
    hold any more."""
    read = coverage(db, Reading(family, "judge", judge), checked.holds)
    owed = [Stretch(debt.lo, debt.hi) for debt in debts.of_family(db, family, "judge")]
    return colours.without(owed, read.stretches), read.stale


def owed_to(db: Database, family: int) -> int:
    """How many positions a family is owed."""
    return colours.length(
        Stretch(debt.lo, debt.hi) for debt in debts.of_family(db, family, "judge")
    )


def settle(db: Database, family: int, judge: str, checked: Checked, before: int, at: int) -> int:
    """Take what was read by now out of a family's debts, in one transaction; how many positions
    are owed less than ``before``. If none are, the try counts as failed."""
    with db.transaction():
        left, stale = outstanding(db, family, judge, checked)
        left = tuple(each for each in left if nodes.any_between(db, each.lo, each.hi))
        certificates.drop(db, stale)
        debts.replace(db, family, "judge", left, worth=0.0, at=at)
        freed = max(0, before - colours.length(left))
        debts.tried(db, family, failed=not freed)
    return freed


def _by_pointer(db: Database, family: int) -> list[tuple[int, tuple[int, ...]]]:
    """The pointers that the family found something by, and where their targets are now."""
    keys = [key for key in pointers.keys_of_family(db, family) if key.sign > 0]
    led = {key.pointer: key.target for key in keys}
    return [(pointer, pieces.resolve(db, target)) for pointer, target in led.items()]


def _link(db: Database, batch: Batch, question: Question, place: int) -> None:
    position = pieces.position(db, place)
    if position is None:  # cut anew since it was read
        return
    source = batch.entry
    if source and pieces.position(db, source) in (None, position):
        source = 0
    pointer = pointers.link(db, source, place, batch.at)
    feedback.make_room(db, source, pointer, batch.at)
    feedback.learn(db, pointer, question, 1, 1.0, batch.at)


def _read(
    db: Database, batch: Batch, family: int, barred: frozenset[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Positions of the nodes that this batch answered to the end, and those of them whose finds are
    all kept."""
    kept = {each.place for each in known(db, family)} - barred
    answered, covered = set(), set()
    for position in set(pieces.positions(db, batch.places).values()):
        places = pieces.in_stretch(db, position, position)
        said = {place: batch.answers.get(place, "unknown") for place in places}
        if not places or "unknown" in said.values():
            continue
        answered.add(position)
        if all(place in kept for place, answer in said.items() if answer == "yes"):
            covered.add(position)
    return frozenset(answered), frozenset(covered)
