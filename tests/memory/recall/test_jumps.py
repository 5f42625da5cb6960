"""Forced jumps: where the user pointed, for good, until it is taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import Memory
from memory.recall.jumps import taken
from memory.store import jumps as rows
from memory.types import NewNode
from tests.doubles.embedding import SetClock
from tests.memory.front_desk.talk import SYSTEM, TOOLS, Talk

from .conftest import NOW, Store


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


async def facts(memory: Memory, *texts: str) -> list[str]:
    return [(await memory.remember(NewNode("user", text))).id for text in texts]


def test_a_question_that_comes_in_where_the_user_pointed_from_jumps(store: Store) -> None:
    # row 49
    entry, there = store.add("about boilers"), store.add("nothing like it")
    rows.put(store.db, entry.seq, there.seq, NOW)
    every = rows.every(store.db)
    assert [jump.target for jump in taken(every, {entry.seq, 99}, "boilers?")] == [there.seq]
    assert taken(every, {99}, "boilers?") == []


def test_a_jump_from_anywhere_is_always_taken_and_a_target_once(store: Store) -> None:
    one, other = store.add("one"), store.add("other")
    rows.put(store.db, 0, one.seq, NOW)
    rows.put(store.db, other.seq, one.seq, NOW)
    rows.put(store.db, 0, other.seq, NOW)
    found = taken(rows.every(store.db), {other.seq}, "anything")
    assert [jump.target for jump in found] == [other.seq, one.seq]


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("As we said: the boiler's valve opens at nine bar?", True),
        ("valve opens at nine bar", True),
        ("When does the valve open?", False),
        ("the at is of", False),
        ("", False),
    ],
)
def test_a_question_that_quotes_the_words_kept_with_a_jump_takes_it(
    store: Store, question: str, quotes: bool
) -> None:
    entry, there = store.add("entry"), store.add("there")
    rows.put(store.db, entry.seq, there.seq, NOW, words="the valve of the boiler opens at nine bar")
    assert bool(taken(rows.every(store.db), (), question)) == quotes


def test_a_quotation_in_chinese_takes_a_jump(store: Store) -> None:
    entry, there = store.add("entry"), store.add("there")
    rows.put(store.db, entry.seq, there.seq, NOW, words="锅炉的阀门在九巴打开")
    every = rows.every(store.db)
    assert taken(every, (), "之前说过锅炉的阀门在九巴打开,对吗?")
    assert not taken(every, (), "今天晚饭吃什么")


async def test_a_jump_to_itself_or_to_nothing_is_refused_and_the_same_one_is_kept_once(
    memory: Memory,
) -> None:
    # row 50
    here, there = await facts(memory, "here", "there")
    with pytest.raises(ValueError, match="elsewhere"):
        await memory.jump(here, source_id=here)
    for source, target in ((here, "nosuchmemory"), ("nosuchmemory", here)):
        with pytest.raises(LookupError, match="nosuchmemory"):
            await memory.jump(target, source_id=source)
    first = await memory.jump(there, source_id=f"mem://{here}", words="")
    again = await memory.jump(there, source_id=here, words="look there")
    assert (first.id, first.words, again.words) == (again.id, "", "look there")
    assert (await memory.jump(there, source_id=here, words="other words")).words == "look there"
    assert len(await memory.jumps()) == 1


async def test_a_jump_outlives_the_program_and_a_nap(tmp_path: Path) -> None:
    # row 51
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    (there,) = await facts(memory, "there")
    talk = await Talk.begun(memory)
    await talk.ask("Where?")
    made = await memory.jump(there, session=talk.window.session, words="it is there")
    await memory.nap(talk.window, tools=TOOLS, system=SYSTEM)
    await memory.close()
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    assert await memory.jumps() == (made,)
    await memory.close()


async def test_pointing_in_a_session_leads_from_where_it_is_and_can_be_taken_back(
    memory: Memory,
) -> None:
    (there,) = await facts(memory, "the valve opens\n at nine bar")
    talk = await Talk.begun(memory)
    asked = await talk.ask("When does it open?")
    made = await memory.jump(there, session=talk.window.session, words="opens at nine")
    assert (made.source.id, made.target.id, made.target.label) == (
        asked.node,
        there,
        "the valve opens at nine bar",
    )
    assert await memory.undo_jump(made.id) == made
    assert await memory.jumps() == ()
    assert await memory.undo_jump(made.id) is None


async def test_pointing_nowhere_in_particular_leads_from_anywhere(memory: Memory) -> None:
    (there,) = await facts(memory, "there")
    assert (await memory.jump(there)).source.id == ""
    assert (await memory.jump(there, session="empty")).source.id == ""
