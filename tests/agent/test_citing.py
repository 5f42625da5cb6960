"""What the model cites confirms what memory brought; what the user calls wrong does not."""

from __future__ import annotations

import asyncio

from growbox_tui.agent.events import ApprovalAsked, Notice, Recalled, TurnEnded, TurnStarted
from growbox_tui.agent.looks import Looks
from growbox_tui.agent.recalling import LEARNED
from growbox_tui.models.scripted_model import ScriptedModel
from memory.memory import Memory
from memory.types import NewNode, Node
from tests.doubles.hands import Bench, Hand, of, session_on

VALVE = "the boiler valve opens at nine bar"
ASKED = "when does the boiler valve open?"


async def remembered(memory: Memory) -> Node:
    return await memory.remember(NewNode("user", VALVE, session="before"))


async def signs(memory: Memory, node: Node) -> list[bool]:
    """Of each key by which a pointer leads to a memory, whether it is positive."""
    drawn = await memory.map()
    return [
        key.positive for view in drawn.pointers if view.target.id == node.id for key in view.keys
    ]


async def asked(memory: Memory, *replies: str, question: str = ASKED) -> Bench:
    bench = await session_on(memory, ScriptedModel.parse("\n---\n".join(replies)))
    await bench.ask(question)
    return bench


async def test_a_cited_memory_is_confirmed_at_the_turn_s_end(memory: Memory) -> None:
    node = await remembered(memory)
    bench = await asked(memory, f"say At nine bar ({node.address}).")
    assert await signs(memory, node) == [True]
    await bench.session.close()


async def test_an_answer_that_cites_nothing_teaches_nothing(memory: Memory) -> None:
    node = await remembered(memory)
    bench = await asked(memory, "say At nine bar.")
    assert await signs(memory, node) == []
    await bench.session.close()


async def test_an_address_that_is_no_memory_here_is_passed_over(memory: Memory) -> None:
    node = await remembered(memory)
    bench = await asked(memory, "say See mem://zzzzzzzzzzzz.")
    assert of(bench.events, TurnEnded)[-1].reason == "done"
    assert await signs(memory, node) == []
    await bench.session.close()


async def test_a_complaint_makes_what_was_used_wrong_and_digs_deeper_with_the_words(
    memory: Memory,
) -> None:
    node = await remembered(memory)
    other = await memory.remember(NewNode("user", "the boiler valve opens at ten bar now"))
    bench = await asked(memory, f"say At nine bar ({node.address}).", "say Ten.")
    events = await bench.ask("That's wrong, look again.")
    told = [event.text for event in of(events, Notice)]
    assert LEARNED in told
    deeper = [event for event in of(events, Recalled) if event.occasion == "wrong"]
    assert [event.query for event in deeper] == [ASKED]
    assert False in await signs(memory, node)
    assert other.id in {hit.address.removeprefix("mem://") for hit in deeper[0].hits}
    kinds = [type(event) for event in events]
    assert kinds.index(TurnStarted) < kinds.index(Recalled)
    await bench.session.close()


async def test_a_complaint_after_an_answer_from_memory_alone_blames_all_it_brought(
    memory: Memory,
) -> None:
    node = await remembered(memory)
    bench = await asked(memory, "say At nine bar.", "say Hm.")
    await bench.ask("不对，再找找")
    assert await signs(memory, node) == [False]
    await bench.session.close()


async def test_a_complaint_after_work_with_other_hands_is_not_about_memory(memory: Memory) -> None:
    node = await remembered(memory)
    shell = Hand("shell", lambda arguments, job: "ok")
    script = "call shell {}\n---\nsay Done.\n---\nsay Hm."
    bench = await session_on(memory, ScriptedModel.parse(script), shell)
    await bench.ask(ASKED)
    events = await bench.ask("That's wrong.")
    assert LEARNED not in [event.text for event in of(events, Notice)]
    assert await signs(memory, node) == []
    await bench.session.close()


async def test_a_complaint_counts_once(memory: Memory) -> None:
    node = await remembered(memory)
    bench = await asked(memory, f"say Nine ({node.address}).", "say Hm.", "say Hm.")
    await bench.ask("Wrong.")
    first = await memory.map()
    events = await bench.ask("continue")
    assert LEARNED not in [event.text for event in of(events, Notice)]
    assert (await memory.map()).pointers == first.pointers
    await bench.session.close()


async def test_an_edit_that_is_refused_as_wrong_digs_deeper_at_once(memory: Memory) -> None:
    node = await remembered(memory)
    edit = Hand("edit_file", lambda arguments, job: "ok", claim="write {path}")
    script = 'call edit_file {"path": "valve.py"}\n---\nsay I see.'
    bench = await session_on(memory, ScriptedModel.parse(script), edit)
    turn = asyncio.create_task(bench.session.prompt(ASKED))
    event = await bench.until(ApprovalAsked)
    assert isinstance(event, ApprovalAsked)
    bench.session.answer(event.ask, "no", "that's wrong, it opens at ten bar")
    await turn
    events = bench.drain()
    assert LEARNED in [event.text for event in of(events, Notice)]
    assert await signs(memory, node) == [False]
    await bench.session.close()


def test_what_was_used_is_told_to_the_first_look_that_brought_it() -> None:
    looks = Looks()
    looks.note(3, ["aaaaaaaaaaaa", "bbbbbbbbbbbb"])
    looks.note(4, ["bbbbbbbbbbbb", "cccccccccccc"])
    looks.said("see mem://bbbbbbbbbbbb and mem://dddddddddddd")
    looks.paged("cccccccccccc")
    assert looks.used() == {3: ["bbbbbbbbbbbb"], 4: ["cccccccccccc"]}
    assert looks.used({"dddddddddddd"})[3] == ["bbbbbbbbbbbb", "dddddddddddd"]
    looks.forget()
    assert (looks.used(), looks.blamed()) == ({}, {})
