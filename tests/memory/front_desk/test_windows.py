"""What an epoch's end does to a conversation, through the verbs of the front desk."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory import Memory
from memory.context.render import shown_ids
from memory.store import lines
from memory.store.database import open_database
from memory.types import Budget, NewNode, Node
from tests.doubles.embedding import LetterEmbedder, SetClock
from tests.doubles.patience import FOR_EVER
from tests.memory.front_desk.talk import BUDGET, SYSTEM, TOOLS, Talk

LOG = "\n".join(f"step {n}: module m{n}.py compiled in {n * 37 % 91} ms" for n in range(4_000))


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


async def facts(memory: Memory, count: int) -> list[Node]:
    return [
        await memory.remember(
            NewNode("user", f"fact {n}: the valve {n} opens at {n * 11} bar. " * 9)
        )
        for n in range(count)
    ]


async def chatter(talk: Talk, turns: int, size: int = 12) -> None:
    for _ in range(turns):
        await talk.ask(f"question {talk.turn + 1} about the boiler " + "and its pipes " * size)
        await talk.answer(f"answer {talk.turn}: the boiler is fine. " + "Its pipes hold. " * size)


async def test_a_warm_epoch_leaves_the_old_region_where_it_is_and_adds_one_segment(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory)
    for _ in range(3):
        await chatter(talk, 6)
        before = talk.window.items
        epoch = await talk.rebase()
        assert epoch.items[: len(before)] == before
        assert {item.segment for item in epoch.items[len(before) :]} == {epoch.number}


async def test_each_message_that_left_has_a_line_with_its_time_speaker_and_address(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory)
    said = [await talk.ask("Why does the pump stop?"), await talk.answer("Its fuse is blown.")]
    said.append(await talk.run("cat fuse.log", "fuse 7 blown\n"))
    await chatter(talk, 5)

    await talk.rebase()

    bodies = [item.body for item in talk.items("line")]
    for entry, words in zip(said, ("pump stop", "fuse is blown", "fuse 7 blown"), strict=True):
        found = [body for body in bodies if f"mem://{entry.node}" in body]
        assert len(found) == 1
        assert words in found[0]
        assert f"[{entry.role}]" in found[0]
        assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d ", found[0])
        assert "\n" not in found[0]
        assert shown_ids(found[0]) == ()
    assert [line.node for line in talk.window.lines][:3] == [entry.node for entry in said]


async def test_what_the_user_said_at_length_is_excerpted_first(memory: Memory) -> None:
    talk = await Talk.begun(memory, replace(BUDGET, tail_high=20_000, region_high=20_000))
    story = " ".join(f"Point {n}: the gate {n} must stay shut at night." for n in range(60))
    told = await talk.ask(story)
    for n in range(8):
        await talk.run(f"cat log{n}", LOG[: 4_000 + n])
    await chatter(talk, 3)

    await talk.rebase()

    excerpts = {item.node: item for item in talk.items("excerpt")}
    assert told.node in excerpts
    assert "must stay shut" in excerpts[str(told.node)].body
    left = sum(item.tokens for item in talk.window.items)
    assert left <= 0.2 * 20_000


async def test_the_region_keeps_the_share_of_what_leaves_that_the_budget_says(
    memory: Memory,
) -> None:
    budget = replace(BUDGET, tail_high=30_000, region_high=30_000)
    talk = await Talk.begun(memory, budget)
    await talk.ask("Read the logs.")
    for n in range(12):
        await talk.run(f"cat log{n}", LOG[n * 900 : n * 900 + 6_000])
    before = talk.window.tail_tokens

    await talk.rebase()

    dropped = before - talk.window.tail_tokens
    assert 0.15 * dropped <= talk.window.region_tokens <= 0.2 * dropped + 50


async def test_a_reply_s_own_summary_is_its_line(memory: Memory) -> None:
    talk = await Talk.begun(memory)
    await talk.ask("Mend it.")
    words = "I looked at many things. " * 40
    await talk._record("assistant", words, words, meta={"summary": "Mended the valve\nin m7.py"})
    await chatter(talk, 5)

    await talk.rebase()

    assert any("Mended the valve in m7.py" in item.body for item in talk.items("line"))


async def test_a_memory_that_leaves_with_its_message_is_shown_for_the_question_it_was_found_for(
    memory: Memory,
) -> None:
    story = "\n".join(f"chapter {n}: nothing happens here at all" for n in range(200))
    node = await memory.remember(NewNode("user", story.replace("chapter 90", "the walrus 90")))
    talk = await Talk.begun(memory)
    await talk.ask("Where is the walrus?", [node])
    await chatter(talk, 6)

    await talk.rebase()

    (item,) = talk.items("memory")
    assert shown_ids(item.body) == (node.id,)
    assert "the walrus 90" in item.body


async def test_a_giant_that_stays_is_shortened_with_its_address_and_so_it_is_resumed(
    memory: Memory, tmp_path: Path
) -> None:
    talk = await Talk.begun(memory)
    await chatter(talk, 1)
    giant = await talk.run("make", LOG)
    await talk.answer("done")

    epoch = await talk.rebase()

    (kept,) = [entry for entry in talk.window.entries if entry.seq == giant.seq]
    assert f"mem://{giant.node}" in kept.body
    assert talk.window.tail_tokens <= talk.budget.tail_low
    assert len(talk.window.entries) == 5
    assert epoch.carried == 5
    again = await memory.window(talk.window.session)
    assert again.entries == talk.window.entries
    assert again.shortened == {giant.seq}
    await talk.rebase()
    assert (await memory.window(talk.window.session)).entries == talk.window.entries
    whole = await memory.transcript(talk.window.session)
    assert whole[giant.seq - 1].body == LOG


async def test_memories_that_a_shortened_message_no_longer_shows_stand_in_the_region(
    memory: Memory,
) -> None:
    nodes = await facts(memory, 8)
    talk = await Talk.begun(memory)
    await talk.ask("Which valves?")
    await talk.look("valves", nodes)
    await talk.answer("These.")

    await talk.rebase()

    assert 2 in talk.window.shortened or 3 in talk.window.shortened
    assert set(talk.memories()) == {node.id for node in nodes}
    assert all("fact" in item.body for item in talk.items("memory"))
    again = await memory.window(talk.window.session)
    assert (again.entries, again.hottest()) == (talk.window.entries, talk.window.hottest())
    before = talk.rendered()
    await talk.rebase()
    assert talk.rendered()[: len(talk.window.items)] == before[: len(talk.window.items)]


async def test_an_open_plan_stands_until_it_is_done(memory: Memory) -> None:
    talk = await Talk.begun(memory)
    await chatter(talk, 6)
    await talk.rebase(standing=["The plan: 1. look"])
    assert [item.body for item in talk.items("standing")] == ["The plan: 1. look"]
    first = talk.window.items

    await chatter(talk, 6)
    await talk.rebase(standing=["The plan: 1. look"])
    assert talk.window.items[: len(first)] == first
    await chatter(talk, 6)
    await talk.rebase(standing=["The plan: 1. look, done"])
    assert [item.body for item in talk.items("standing")] == [
        "The plan: 1. look", "The plan: 1. look, done",
    ]  # fmt: skip
    for _ in range(6):
        await chatter(talk, 6)
        await talk.rebase(standing=["The plan: 1. look, done"])
    assert [item.body for item in talk.items("standing")] == ["The plan: 1. look, done"]
    await talk.rebase(cold=True)
    assert talk.items("standing") == []


async def test_a_pinned_memory_comes_and_stays_whatever_is_swept(memory: Memory) -> None:
    node = (await facts(memory, 1))[0]
    talk = await Talk.begun(memory)
    before = talk.rendered()
    assert await memory.pin(talk.window, "mem://000000000000") is None

    assert await memory.pin(talk.window, node.address) == node
    assert talk.rendered() == before
    assert (await memory.window(talk.window.session)).pinned == (node.id,)
    for _ in range(12):
        await chatter(talk, 6)
        await talk.rebase()
        assert talk.memories() == [node.id]
    await talk.rebase(cold=True)
    assert talk.window.items[0].node == node.id
    await memory.unpin(talk.window, node.id)
    await talk.rebase(Budget(4_000, 400, 1_200, 0, 0, 0))
    assert talk.memories() == []


async def test_pins_take_half_of_the_region_at_most(memory: Memory) -> None:
    talk = await Talk.begun(memory)
    nodes = await facts(memory, 30)
    for node in nodes:
        await memory.pin(talk.window, node.id)
    regions = []
    for _ in range(4):
        await chatter(talk, 6)
        await talk.rebase()
        regions.append(talk.memories())

    assert regions[0] == regions[-1] == [node.id for node in nodes[: len(regions[0])]]
    assert sum(item.tokens for item in talk.items("memory")) <= talk.budget.region_high // 2
    assert len(talk.window.pinned) == 30
    assert talk.items("line")


async def test_evicting_marks_and_finding_again_unmarks(memory: Memory) -> None:
    one, other = await facts(memory, 2)
    talk = await Talk.begun(memory)
    await talk.ask("both?", [one, other])
    await chatter(talk, 6)
    await talk.rebase()
    before = talk.rendered()

    for node in (one, other):
        await memory.evict(talk.window, node.address)
    assert talk.rendered() == before
    assert (await memory.window(talk.window.session)).evicted == {one.id, other.id}
    await talk.ask("again the one?", [one])
    assert talk.window.evicted == {other.id}

    await talk.rebase(cold=True)
    assert talk.memories() == [one.id]


async def test_lines_that_leave_the_chain_are_weak_references_that_come_back(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory)
    first = await talk.ask("The code of the door is 4711, remember it.")
    for _ in range(12):
        await chatter(talk, 6)
        await talk.rebase()
    address = f"mem://{first.node}"
    assert address in talk.window.chain.weak_refs
    assert not any(address in text for text in talk.rendered())
    again = await memory.window(talk.window.session)
    assert again.chain.weak_refs == talk.window.chain.weak_refs

    before = talk.rendered()
    node = await memory.reload(talk.window, address)
    assert node is not None
    assert node.text.startswith("The code of the door")
    assert talk.rendered() == before
    assert await memory.reload(talk.window, "mem://000000000000") is None
    assert await memory.reload(talk.window, address) is None

    talk.window = await memory.window(talk.window.session)
    await chatter(talk, 6)
    await talk.rebase()
    (back,) = [item for item in talk.items("line") if item.node == first.node]
    assert "reloaded" in back.body
    assert "4711" in back.body


async def test_what_came_back_does_not_leave_in_the_sweep_that_it_came_back_for(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory)
    first = await talk.ask("The code of the door is 4711, remember it.")
    for _ in range(12):
        await chatter(talk, 6)
        await talk.rebase()
    await memory.reload(talk.window, str(first.node))
    assert [line.node for line in talk.window.returning] == [first.node]
    await chatter(talk, 6)
    small = replace(BUDGET, region_low=400, region_high=400, chain=300)
    await talk.rebase(small, cold=True)
    assert first.node in [item.node for item in talk.items("line")]
    assert talk.window.returning == ()


async def test_what_is_found_by_the_way_drives_out_nothing_that_came_back(memory: Memory) -> None:
    talk = await Talk.begun(memory)
    said = [str((await talk.ask(f"The code of door {n} is {n * 37}.")).node) for n in range(5)]
    for _ in range(12):
        await chatter(talk, 6)
        await talk.rebase()
    assert all(talk.window.chain.left(node) for node in said)
    await memory.reload(talk.window, said[4])
    before = talk.rendered()
    await memory.found(talk.window, said[:4])
    assert [node for node in said if not talk.window.chain.left(node)] == [
        *said[:2],
        said[4],
    ]
    assert talk.rendered() == before
    await memory.found(talk.window, said)
    assert talk.window.chain.left(said[2])


@pytest.mark.parametrize(("policy", "stays"), [("literal", False), ("soft", True), ("hard", True)])
async def test_what_the_user_added_while_the_agent_ran_leaves_as_the_policy_says(
    memory: Memory, policy: str, stays: bool
) -> None:
    talk = await Talk.begun(memory)
    await talk.ask("Begin.")
    added = await talk.steer("Use RS256 and not HS256 wherever a token is signed or read, " * 4)
    await chatter(talk, 8)
    await talk.rebase()
    assert any("added" in item.body for item in talk.items("line"))

    budget = Budget(4_000, 400, 1_200, 200, 220, 150)
    await memory.begin_epoch(
        talk.window,
        tools=TOOLS,
        system=SYSTEM,
        why="",
        budget=budget,
        cold=False,
        policy=policy,  # type: ignore[arg-type]
    )

    assert talk.window.region_tokens <= 220
    assert (added.node in {item.node for item in talk.items("line")}) is stays


async def test_lines_are_embedded_behind_the_turn_and_judged_when_they_are_weighed(
    tmp_path: Path,
) -> None:
    embedder = LetterEmbedder()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder, clock=SetClock())
    talk = await Talk.begun(memory)
    await chatter(talk, 6)
    await talk.rebase()
    assert embedder.asked == []
    while await memory.settle(60):
        pass
    asked = len(embedder.asked)
    assert {line.text for line in talk.window.lines} <= set(embedder.asked)

    await talk.ask("zzzz")
    await talk.rebase(cold=True)

    assert embedder.asked[asked:] == ["zzzz"]
    assert all(line.relevance is not None for line in talk.window.lines)
    db = open_database(tmp_path / "m.db", reading=True)
    chain, _ = lines.load(db, talk.window.session, embedder.stamp)
    assert all(line.embedding is not None and line.relevance is not None for line in chain)
    db.close()
    await memory.close()


async def test_an_embedder_that_fails_stops_no_epoch(tmp_path: Path) -> None:
    class Broken(LetterEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            raise OSError("weights are gone")

    memory = await Memory.open(tmp_path / "m.db", embedder=Broken(), clock=SetClock())
    talk = await Talk.begun(memory)
    for _ in range(9):
        await chatter(talk, 6)
        await talk.rebase()

    assert talk.window.region_tokens <= talk.budget.region_high
    assert all(line.relevance is None for line in talk.window.lines)
    await memory.close()


async def test_an_epochs_end_does_not_wait_for_an_embedder_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()

    class Hanging(LetterEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            let_go.wait()
            return super().embed(texts)

    monkeypatch.setattr("memory.windows.EMBED_PATIENCE_SECONDS", 0.01)
    memory = await Memory.open(tmp_path / "m.db", embedder=Hanging(), clock=SetClock())
    talk = await Talk.begun(memory)
    await chatter(talk, 6)
    await talk.rebase()
    await talk.rebase(cold=True)
    assert talk.window.lines
    assert all(line.relevance is None for line in talk.window.lines)

    let_go.set()
    while await memory.settle(FOR_EVER):
        pass
    monkeypatch.setattr("memory.windows.EMBED_PATIENCE_SECONDS", FOR_EVER)
    await talk.rebase(cold=True)
    assert all(line.relevance is not None for line in talk.window.lines)
    await memory.close()


async def test_what_is_no_valid_unicode_stops_no_epoch(memory: Memory) -> None:
    talk = await Talk.begun(memory)
    await talk.ask("hello")
    await talk._record("assistant", "done", "done", meta={"summary": "a half \ud83d of one"})
    await chatter(talk, 9)
    await memory.begin_epoch(
        talk.window, tools=TOOLS, system=("in /caf\udce9",), why="\udce9", budget=talk.budget,
        cold=True, standing=["[ ] step \ud83d"],
    )  # fmt: skip
    again = await memory.window(talk.window.session)
    assert again.epoch == talk.window.epoch
    assert any("a half \ufffd of one" in item.body for item in again.items)
    assert any("[ ] step \ufffd" in item.body for item in again.items)
    await memory.nap(talk.window, tools=TOOLS, system=("in /caf\udce9",))


async def test_rules_are_kept_merged_refused_edited_and_dropped(memory: Memory) -> None:
    session = await memory.open_session("/p", "x/y")
    assert await memory.rules(session) == ()

    kept = await memory.add_rule(session, "Never touch main.py")
    merged = await memory.add_rule(session, "never touch main.py!", "steered")
    assert (kept.outcome, merged.outcome) == ("kept", "merged")
    assert [rule.text for rule in await memory.rules(session)] == ["Never touch main.py"]
    assert kept.rule is not None
    edited = await memory.edit_rule(session, kept.rule.id, "Never touch app.py")
    assert [rule.text for rule in edited.rules] == ["Never touch app.py"]
    animals = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}x" * 2 for n in range(60)]
    for name in animals[:49]:
        assert (await memory.add_rule(session, f"Keep {name} tidy")).outcome == "kept"
    refused = await memory.add_rule(session, "Keep the zebra tidy")
    assert (refused.outcome, refused.rule) == ("refused", None)
    assert "50" in refused.why
    assert len(await memory.drop_rule(session, kept.rule.id)) == 49
    with pytest.raises(LookupError):
        await memory.drop_rule(session, kept.rule.id)
    with pytest.raises(LookupError):
        await memory.edit_rule(session, 999, "x")


async def test_a_nap_takes_lines_and_pins_with_it_and_leaves_rules_and_references(
    memory: Memory,
) -> None:
    talk = await Talk.begun(memory)
    session = talk.window.session
    await memory.add_rule(session, "Be kind.")
    await memory.pin(talk.window, (await facts(memory, 1))[0].id)
    await chatter(talk, 6)
    await talk.rebase()
    there = {line.node for line in talk.window.lines}

    epoch = await memory.nap(talk.window, tools=TOOLS, system=SYSTEM)

    assert (epoch.items, talk.window.lines, talk.window.pinned) == ((), (), ())
    assert {f"mem://{node}" for node in there} <= set(talk.window.chain.weak_refs)
    assert len(await memory.rules(session)) == 1
    again = await memory.window(session)
    assert (again.lines, again.pinned) == ((), ())
    await chatter(talk, 6)
    await talk.rebase()
    assert not there & {line.node for line in talk.window.lines}
