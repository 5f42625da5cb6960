"""Rows 89 to 97, 101 and 103 of the checklist of the design that growbox grew from."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory import Memory
from memory.types import Budget, NewNode, Node
from tests.doubles.embedding import SetClock
from tests.memory.front_desk.talk import Talk

ROOMY = Budget(8_000, 30, 400, 2_000, 4_000, 500)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


async def facts(memory: Memory, count: int, project: str = "/p") -> list[Node]:
    texts = [f"fact {n}: valve {n} opens at {n * 11} bar. " * 6 for n in range(count)]
    return [await memory.remember(NewNode("user", text, project)) for text in texts]


async def test_row_89_a_memory_found_again_gets_warmer_and_stands_where_it_stood(
    memory: Memory,
) -> None:
    one, other = await facts(memory, 2)
    talk = await Talk.begun(memory, ROOMY)
    await talk.ask("one?", [one])
    await talk.ask("other?", [other])
    await talk.ask("and now something else")
    await talk.rebase()
    assert talk.memories() == [one.id, other.id]
    before, heat = talk.rendered(), {row[0]: row[1] for row in talk.window.hottest()}

    await talk.ask("one again?", [one])

    assert talk.rendered()[: len(before)] == before
    assert [row[0] for row in talk.window.hottest()] == [one.id, other.id]
    assert talk.window.hottest()[0][1] > heat[one.id]
    await talk.rebase()
    assert talk.memories() == [one.id, other.id]


async def test_row_90_over_the_budget_the_coldest_goes_and_the_others_keep_their_order(
    memory: Memory,
) -> None:
    nodes = await facts(memory, 4)
    talk = await Talk.begun(memory, ROOMY)
    for node in nodes:
        await talk.ask("found?", [node])
    await talk.ask("and now something else")
    await talk.rebase()
    for node in (nodes[0], nodes[2], nodes[3]):
        talk.window.touch([node.id])
    for _ in range(3):
        await talk.ask("a turn passes")

    size = sum(item.tokens for item in talk.items("memory"))
    await talk.rebase(Budget(8_000, 30, 400, size - 20, size - 10, 0))

    assert talk.memories() == [nodes[0].id, nodes[2].id, nodes[3].id]


async def test_row_91_what_the_current_turn_found_is_in_the_prompt_however_hot_others_are(
    memory: Memory,
) -> None:
    hot, found = await facts(memory, 2)
    talk = await Talk.begun(memory, ROOMY)
    await talk.ask("hot?", [hot])
    for _ in range(8):
        await talk.ask("hot again?", [hot])
    await talk.ask("What of the other valve?")
    await talk.look("the other valve", [found])
    await talk.answer("it opens at 11 bar " * 9)

    await talk.rebase(Budget(8_000, 30, 60, 130, 130, 0))

    assert talk.memories() == [found.id]


async def test_row_92_what_was_hot_a_thousand_turns_ago_goes_before_what_was_useful_lately(
    memory: Memory,
) -> None:
    old, recent = await facts(memory, 2)
    talk = await Talk.begun(memory, ROOMY)
    await talk.ask("old?", [old])
    for _ in range(40):
        talk.window.touch([old.id])
    talk.turn = 990
    await talk.ask("recent?", [recent])
    talk.turn = 1_000
    await talk.ask("and now something else")

    await talk.rebase(Budget(8_000, 30, 60, 130, 130, 0))

    assert talk.memories() == [recent.id]


async def test_row_93_a_smaller_budget_evicts_with_the_epoch_that_it_begins(memory: Memory) -> None:
    nodes = await facts(memory, 4)
    talk = await Talk.begun(memory, ROOMY)
    for node in nodes:
        await talk.ask("found?", [node])
    await talk.ask("and now something else")
    await talk.rebase()
    assert len(talk.memories()) == 4

    for most in (300, 120, 0):
        await talk.rebase(Budget(8_000, 30, 60, most, most, 0))
        assert talk.window.region_tokens <= most


async def test_row_94_the_ring_is_in_order_and_what_left_it_says_when_it_was(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory, replace(ROOMY, tail_low=80))
    node = (await facts(memory, 1))[0]
    await talk.ask("found?", [node])
    for n in range(9):
        await talk.answer(f"answer {n} with some words that take room " * 3)

    await talk.rebase()

    seqs = [entry.seq for entry in talk.window.entries]
    assert seqs == sorted(seqs)
    lines = talk.items("line")
    assert [item.body for item in lines] == sorted(item.body for item in lines)
    assert len(lines) > 3
    for item in talk.window.items:
        assert re.search(r"2023-11-14 \d\d:\d\d ", item.body)


async def test_row_95_a_giant_in_the_ring_is_cut_and_what_is_older_stays(memory: Memory) -> None:
    talk = await Talk.begun(memory, replace(ROOMY, tail_low=300))
    question = await talk.ask("What does the log say?")
    before = await talk.answer("I will look.")
    giant = await talk.run("cat log", "a line of a long log\n" * 10_000)
    reply = await talk.answer("It says the same thing all over.")

    await talk.rebase()

    seqs = [entry.seq for entry in talk.window.entries]
    assert {question.seq, before.seq, giant.seq, reply.seq} <= set(seqs)
    assert talk.window.tail_tokens <= 300
    cut = next(entry for entry in talk.window.entries if entry.seq == giant.seq)
    assert f"mem://{giant.node}" in cut.body


async def test_row_96_what_was_said_in_another_project_never_stands_in_the_ring(
    memory: Memory,
) -> None:
    here = await Talk.begun(memory, ROOMY, "/here")
    there = await Talk.begun(memory, ROOMY, "/there")
    for n in range(12):
        await here.ask(f"here {n}: what of the bridge? " * 3)
        await there.ask(f"there {n}: what of the tunnel? " * 3)
        await here.make_room()
        await there.make_room()

    here.window = await memory.window(here.window.session)
    assert not any("tunnel" in text for text in here.rendered())
    assert sum("bridge" in text for text in here.rendered()) > 3
    for entry in here.window.entries:
        node = await memory.refer(str(entry.node))
        assert node is not None
        assert (node.project, node.session) == ("/here", here.window.session)


async def test_row_97_the_region_is_the_same_when_asked_again_and_when_the_ring_slides_on(
    memory: Memory,
) -> None:
    node = (await facts(memory, 1))[0]
    talk = await Talk.begun(memory, ROOMY)
    await talk.ask("found?", [node])
    await talk.ask("and now something else")
    await talk.rebase()
    region = [item.body for item in talk.window.items]

    await talk.ask("found?", [node])
    assert [item.body for item in talk.window.items] == region
    for _ in range(8):
        await talk.answer("the ring slides past what is found " * 8)
    await talk.rebase()
    assert [item.body for item in talk.window.items][: len(region)] == region
    assert talk.memories() == [node.id]


async def test_row_101_what_happens_is_added_once_and_earlier_bytes_never_change(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory, ROOMY)
    for turn in range(2):
        for event in ("the build failed", "the disk is full"):
            before = talk.rendered()
            await talk.ask(f"[event {turn}] {event}")
            assert talk.rendered()[: len(before)] == before

    for turn in range(2):
        for event in ("the build failed", "the disk is full"):
            assert talk.rendered().count(f"[event {turn}] {event}") == 1


async def test_row_103_two_hundred_large_results_never_overflow_the_window(memory: Memory) -> None:
    budget = Budget(6_000, 400, 1_500, 1_000, 1_600, 500)
    talk = await Talk.begun(memory, budget)
    question = await talk.ask("Look at all logs, and tell me of the walrus.")
    epochs = set()
    for n in range(200):
        await talk.run(f"cat log{n}", f"result {n} of a long log\n" * 120)
        await talk.make_room()
        assert talk.window.epoch is not None
        epochs.add(talk.window.epoch.number)
        assert talk.window.tokens <= 6_000 - 900
        assert talk.window.entries[0].seq == question.seq

    assert len(epochs) > 20
    told = " ".join(talk.rendered()) + " ".join(talk.window.chain.weak_refs)
    for entry in await memory.transcript(talk.window.session):
        assert entry.node is None or f"mem://{entry.node}" in told or entry in talk.window.entries
