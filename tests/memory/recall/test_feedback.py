"""Feedback through the front desk: what was needed, what was not, and what that changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from memory import Memory
from memory.config import RECOLLECTIONS_KEPT
from memory.learning import Learning
from memory.recall import feedback
from memory.recollection import Hit, Price, Query, Recollection, Step, Stretch
from memory.store import pieces, pointers, questions, recollections
from memory.store.database import Database, open_database
from memory.store.errors import Busy
from memory.types import NewNode, Node
from tests.doubles.embedding import LetterEmbedder, SetClock

from .asking import asked, key, pointer, signs
from .conftest import NOW, Store

STAMP = LetterEmbedder().stamp


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder(), clock=SetClock())
    yield memory
    await memory.close()


@pytest.fixture
def beside(tmp_path: Path, memory: Memory) -> Iterator[Store]:
    """The same file, as another process has it."""
    db = open_database(tmp_path / "m.db")
    yield Store(db)
    db.close()


async def told(memory: Memory, *texts: str) -> list[Node]:
    return [await memory.remember(NewNode("user", text, session="s")) for text in texts]


def file(
    store: Store, question: str, hits: Sequence[Hit], leads: Sequence[tuple[int, int]] = ()
) -> int:
    found = Recollection(question, tuple(hits), ("text",), 1.0)
    return recollections.put(store.db, found, Query(question, session="s"), at=NOW, leads=leads)


def lead_to(store: Store, node: Node) -> tuple[int, int]:
    return pointer(store, node).id, key(pointer(store, node)).question


async def test_what_was_needed_is_led_to_from_where_the_question_came_in(
    memory: Memory, beside: Store
) -> None:
    entry, target = await told(memory, "about the pump", "it has nine blades")
    number = asked(beside, "How many blades?", [entry, target], entry=entry.seq)
    await memory.confirm(number, [target.address])
    found = pointer(beside, target)
    assert (found.source, signs(found)) == (entry.seq, [(1, 1.0)])
    assert list(questions.vectors_of(beside.db, STAMP, [key(found).question]))
    await memory.confirm(number, [target.id], source="judge")
    assert signs(pointer(beside, target)) == [(1, 1.0)], "said twice counts once"


async def test_the_users_own_word_counts_for_two(memory: Memory, beside: Store) -> None:
    (target,) = await told(memory, "it has nine blades")
    await memory.confirm(asked(beside, "How many?", [target]), [target.id], source="user")
    assert signs(pointer(beside, target)) == [(1, 2.0)]


async def test_a_pointer_that_was_followed_counts_as_tried_and_used_or_missed_but_never_wrong(
    memory: Memory, beside: Store
) -> None:
    used, missed = await told(memory, "it has nine blades", "it is green")
    for node in (used, missed):
        await memory.confirm(asked(beside, f"about {node.text}", [node]), [node.id])
    leads = [lead_to(beside, used), lead_to(beside, missed)]
    number = file(beside, "How many blades?", [], leads)
    await memory.confirm(number, [used.id])
    one, other = (pointer(beside, node).keys[0] for node in (used, missed))
    assert (one.tries, one.successes, one.missed) == (1, 1, 0)
    assert (other.tries, other.successes, other.missed) == (1, 0, 1)
    assert [each.sign for each in pointer(beside, missed).keys] == [1]
    assert signs(pointer(beside, used)) == [(1, 1.0), (1, 1.0)], "the question is a key of it"


async def test_what_turns_out_to_be_needed_later_was_not_missed(
    memory: Memory, beside: Store
) -> None:
    (node,) = await told(memory, "it has nine blades")
    await memory.confirm(asked(beside, "blades?", [node]), [node.id])
    number = file(beside, "How many blades?", [], [lead_to(beside, node)])
    await memory.confirm(number, [])
    assert pointer(beside, node).keys[0].missed == 1
    await memory.confirm(number, [node.id])
    first = pointer(beside, node).keys[0]
    assert (first.tries, first.successes, first.missed) == (1, 1, 0)


async def test_needing_none_of_what_was_shown_makes_no_key(memory: Memory, beside: Store) -> None:
    (node,) = await told(memory, "it has nine blades")
    await memory.confirm(asked(beside, "How many?", [node]), [])
    assert pointers.count(beside.db) == (0, 0)
    assert questions.count(beside.db) == 0


async def test_that_is_wrong_keeps_questions_like_it_away_and_asks_again_deeper(
    memory: Memory, beside: Store
) -> None:
    wrong, other = await told(memory, "the pump has nine blades", "the pump is green")
    number = asked(beside, "the pump blades", [wrong, other])
    again = await memory.wrong(number, [wrong.id])
    assert again.query == "the pump blades"
    assert signs(pointer(beside, wrong)) == [(-1, 2.0)]
    assert pointers.to_target(beside.db, [other.seq]) == []


async def test_that_is_wrong_without_a_name_means_all_but_where_the_user_pointed(
    memory: Memory, beside: Store
) -> None:
    shown, forced = await told(memory, "the pump has nine blades", "the pump is green")
    hits = [Hit(forced, 2.0, (), rung="jumps"), Hit(shown, 1.0, ())]
    await memory.wrong(file(beside, "the pump blades", hits))
    assert signs(pointer(beside, shown)) == [(-1, 2.0)]
    assert pointers.to_target(beside.db, [forced.seq]) == []


async def test_a_question_is_asked_again_deeper_than_before(memory: Memory, beside: Store) -> None:
    asked_again: list[Query] = []

    async def recall(query: Query) -> Recollection:
        asked_again.append(query)
        return Recollection(query.text, (), (), 1.0)

    lanes, writes, clock = memory._lanes, memory._writes, SetClock()
    learning = Learning(lanes, writes, clock, None, recall)
    (node,) = await told(memory, "the pump has nine blades")
    found = Recollection("blades", (Hit(node, 1.0, ()),), (), 1.0)
    query = Query("blades", project="/p", session="s", limit=3, without=frozenset({"scan"}))
    await learning.wrong(recollections.put(beside.db, found, query, at=NOW))
    (deeper,) = asked_again
    assert deeper.deeper
    assert (deeper.text, deeper.project, deeper.limit) == ("blades", "/p", 3)
    assert deeper.without == {"scan"}


async def test_the_piece_that_was_shown_is_what_is_led_to(memory: Memory, beside: Store) -> None:
    (long,) = await told(memory, "".join(f"fact {n}: it runs at {n * 7} bar. " for n in range(90)))
    piece = pieces.pieces_of(beside.db, long.seq)[2]
    number = file(beside, "how fast?", [Hit(long, 1.0, (), piece=(piece.lo, piece.hi))])
    await memory.confirm(number, [long.id])
    assert [each.target for each in pointers.latest(beside.db, 9)] == [piece.place]


async def test_why_tells_of_the_last_recollection_of_a_session_all_that_was_said_of_it(
    memory: Memory, beside: Store
) -> None:
    assert await memory.why("s") is None
    (node,) = await told(memory, "it has nine blades")
    whole = Recollection(
        "How many?",
        (Hit(node, 0.5, ("vector", "text"), "pointers", (3, 9), False, "blades?", True),),
        ("text", "vector"),
        12.5,
        complete=False,
        notice="some is unread",
        steps=(Step("pointers", 1, 2, 300, 4.5, "followed"), Step("near", 0)),
        unread=(Stretch(1, 7), Stretch(9, 9)),
        price=Price(8, 900, 2),
    )
    asked(beside, "before", [node])
    number = recollections.put(beside.db, whole, Query("How many?", session="s"), at=NOW)
    found = await memory.why("s")
    assert found is not None
    assert found.id == number
    assert (found.hits, found.steps, found.unread, found.price) == (
        whole.hits,
        whole.steps,
        whole.unread,
        whole.price,
    )
    assert (found.complete, found.notice, found.ways, found.ms) == (
        False,
        "some is unread",
        ("text", "vector"),
        12.5,
    )


async def test_of_what_is_no_longer_on_file_nothing_can_be_said(
    memory: Memory, beside: Store
) -> None:
    (node,) = await told(memory, "it has nine blades")
    first = asked(beside, "first", [node])
    with beside.db.transaction():
        for n in range(RECOLLECTIONS_KEPT):
            asked(beside, f"later {n}")
    assert beside.db.value("SELECT count(*) FROM recollections") == RECOLLECTIONS_KEPT
    for verb in (memory.confirm(first, [node.id]), memory.wrong(first)):
        with pytest.raises(LookupError, match="on file any more"):
            await verb


async def test_a_retired_memory_is_read_by_its_address_alone(memory: Memory) -> None:
    old, new = await told(memory, "the valve opens at nine", "the valve opens at ten")
    await memory.settle(60)
    assert {hit.node.id for hit in (await memory.recall(Query("valve opens"))).hits} == {
        old.id,
        new.id,
    }
    await memory.retire(old.id, [new.address])
    await memory.settle(60)
    assert [hit.node.id for hit in (await memory.recall(Query("valve opens"))).hits] == [new.id]
    assert await memory.refer(old.address) == old
    with pytest.raises(LookupError, match="nosuchmemory"):
        await memory.retire(new.id, ["nosuchmemory"])


class Broken:
    """A connection whose disk fails at the n-th write."""

    def __init__(self, db: Database, left: int) -> None:
        self.db, self.left = db, left

    def __call__(self, cursor: object, sql: str, bindings: object) -> bool:
        if sql.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE")):
            self.left -= 1
            if self.left < 0:
                raise Busy("the disk is full")
        return True


@pytest.mark.parametrize("left", range(8))
def test_feedback_is_taken_whole_or_not_at_all(store: Store, left: int) -> None:
    node = store.add("it has nine blades")
    number = asked(store, "How many?", [node])
    store.db.connection.exec_trace = Broken(store.db, left)
    try:
        feedback.confirm(store.db, number, [node.id], NOW)
        whole = True
    except Busy:
        whole = False
    finally:
        store.db.connection.exec_trace = None
    filed = recollections.by_id(store.db, number)
    assert filed is not None
    assert filed.counted == whole
    assert pointers.count(store.db) == ((1, 1) if whole else (0, 0))
    assert questions.count(store.db) == whole
