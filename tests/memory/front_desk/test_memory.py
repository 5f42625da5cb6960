from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory import Busy, Memory, NotMemory
from memory.config import EMBED_BATCH
from memory.context.render import shown_ids
from memory.memory import Window
from memory.recollection import Query
from memory.store import vectors
from memory.store.database import open_database
from memory.types import Budget, Entry, NewNode
from tests.doubles.embedding import LetterEmbedder, SetClock
from tests.doubles.patience import FOR_EVER

ROOT = Path(__file__).resolve().parents[3]
TOOLS, SYSTEM = ('{"name":"shell"}',), ("You are growbox.", "rules")


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    memory = await Memory.open(tmp_path / "m.db", clock=SetClock())
    yield memory
    await memory.close()


async def begun(memory: Memory, project: str = "/p") -> Window:
    window = await memory.window(await memory.open_session(project, "x/y"))
    await begin(memory, window)
    return window


async def begin(memory: Memory, window: Window, keep: int = 1000, region: int = 1000) -> None:
    await memory.begin_epoch(
        window,
        tools=TOOLS,
        system=SYSTEM,
        why="full",
        budget=Budget(keep + region, keep, keep, region, region, region),
        cold=False,
    )


def memories(window: Window) -> list[str]:
    return [item.node for item in window.items if item.kind == "memory"]


async def say(
    memory: Memory, window: Window, turn: int, words: str, *, shows: tuple[str, ...] = ()
) -> Entry:
    node = NewNode("user", words, "/p", window.session, turn)
    return await memory.record(
        window, turn=turn, role="user", body=f"{{{words}}}", tokens=10, node=node, shows=shows
    )


async def test_what_is_remembered_is_found_by_address_and_by_words_at_once(memory: Memory) -> None:
    node = await memory.remember(NewNode("user", "the walrus password is heliotrope"))

    assert await memory.refer(node.address) == node
    assert await memory.refer(f" {node.id.upper()} ") == node
    assert await memory.refer("mem://000000000000") is None
    assert await memory.refer("\ud800'; --") is None
    found = await memory.recall(Query("walrus password"))
    assert [hit.node for hit in found.hits] == [node]


async def test_recall_never_asks_an_embedder_of_which_nothing_is_stored(tmp_path: Path) -> None:
    embedder = LetterEmbedder()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder)
    node = await memory.remember(NewNode("user", "the walrus password is heliotrope"))

    found = await memory.recall(Query("walrus password"))

    assert [hit.node for hit in found.hits] == [node]
    assert embedder.asked == []
    await memory.close()


async def test_settling_embeds_newest_first_until_nothing_is_pending(tmp_path: Path) -> None:
    embedder = LetterEmbedder()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder)
    total = EMBED_BATCH * 2 + 5
    for number in range(total):
        await memory.remember(NewNode("user", f"text {number}"))
    await memory.remember(NewNode("user", "42"))

    assert await memory.settle(0) == 0
    assert await memory.settle(FOR_EVER) == total + 1
    assert await memory.settle(FOR_EVER) == 0

    assert embedder.asked[:2] == ["42", f"text {total - 1}"]
    assert len(embedder.asked) == total + 1
    state = await memory.state()
    assert (state.nodes, state.embedded, state.embedder) == (total + 1, total, "letters/1")
    await memory.remember(NewNode("user", "late"))
    assert await memory.settle(FOR_EVER) == 1
    await memory.close()


async def test_what_one_process_left_the_next_one_settles(tmp_path: Path) -> None:
    first = await Memory.open(tmp_path / "m.db")
    await first.remember(NewNode("user", "abc"))
    assert await first.settle(FOR_EVER) == 0
    await first.close()

    second = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder())

    assert await second.settle(FOR_EVER) == 1
    assert (await second.state()).embedded == 1
    await second.close()


async def test_another_stamp_starts_a_space_of_its_own(tmp_path: Path) -> None:
    for stamp in ("letters/1", "letters/2"):
        memory = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder(stamp))
        await memory.remember(NewNode("user", f"for {stamp}"))
        await memory.settle(FOR_EVER)
        await memory.close()

    db = open_database(tmp_path / "m.db")
    counts = [vectors.count(db, vectors.space_of(db, f"letters/{n}", 26)) for n in (1, 2)]
    assert counts == [1, 2]


async def test_two_memories_that_settle_the_same_file_do_no_harm(tmp_path: Path) -> None:
    one = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder())
    other = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder())
    for number in range(70):
        await one.remember(NewNode("user", f"text {number}"))

    await asyncio.gather(one.settle(FOR_EVER), other.settle(FOR_EVER))

    assert (await one.state()).embedded == 70
    await one.close()
    await other.close()


async def test_a_session_is_listed_once_something_was_said(memory: Memory) -> None:
    window = await begun(memory)
    assert await memory.sessions() == []

    await say(memory, window, 1, "  What is\nthis project? " + "x" * 200)
    await say(memory, window, 2, "And now?")
    other = await begun(memory, "/other")
    await say(memory, other, 1, "Elsewhere")

    listed = await memory.sessions()
    assert [info.id for info in listed] == [other.session, window.session]
    assert listed[1].title.startswith("What is this project? x")
    assert len(listed[1].title) == 80
    assert (listed[1].turns, listed[1].project) == (2, "/p")
    assert [info.id for info in await memory.sessions("/p")] == [window.session]
    assert [info.id for info in await memory.sessions(limit=1)] == [other.session]
    await memory.set_model(window.session, "other/model")
    info = await memory.session(window.session)
    assert info is not None
    assert info.model == "other/model"
    assert await memory.session("nobody") is None


async def test_a_window_reads_back_identical_from_disk(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    old = await memory.remember(NewNode("tool", "你好 " * 500, kind="shell"))
    window = await begun(memory)
    await say(memory, window, 1, "one", shows=(old.id,))
    await say(memory, window, 2, 'odd \0 bytes \ud83d " é é')
    await begin(memory, window, keep=10)
    await say(memory, window, 3, "three")
    await memory.close()

    again = await Memory.open(tmp_path / "m.db")
    read = await again.window(window.session)

    assert read.epoch == window.epoch
    assert read.entries == window.entries
    assert read.tokens == window.tokens
    assert read.hottest() == window.hottest()
    assert (read.next_seq, read.turns) == (4, 3)
    assert window.epoch is not None
    assert (window.epoch.tools, window.epoch.system) == (TOOLS, SYSTEM)
    assert shown_ids(window.epoch.items[0].body) == (old.id,)
    assert [entry.seq for entry in await again.transcript(window.session)] == [1, 2, 3]
    await again.close()


async def test_a_new_session_has_an_empty_window_and_takes_no_message_yet(memory: Memory) -> None:
    window = await memory.window(await memory.open_session("/p", "x/y"))

    assert (window.epoch, window.entries, window.tokens) == (None, (), 0)
    assert (window.turns, window.next_seq, window.hottest()) == (0, 1, [])
    with pytest.raises(ValueError, match="epoch"):
        await say(memory, window, 1, "too early")


async def test_a_message_can_point_to_a_node_that_is_on_the_timeline_already(
    memory: Memory,
) -> None:
    node = await memory.remember(NewNode("tool", "long output", kind="shell"))
    window = await begun(memory)

    entry = await memory.record(window, turn=1, role="tool", body="{}", tokens=5, node=node)

    assert entry.node == node.id
    assert window.holds(node.id)
    assert (await memory.state()).nodes == 1


async def test_a_memory_that_fell_out_of_the_tail_moves_to_the_region(memory: Memory) -> None:
    kept, cold = [await memory.remember(NewNode("user", f"fact {n} " * 40)) for n in (1, 2)]
    window = await begun(memory)
    await say(memory, window, 1, "one", shows=(cold.id,))
    await say(memory, window, 2, "two", shows=(kept.id,))
    window.touch([kept.id])
    await say(memory, window, 3, "three")

    await begin(memory, window, keep=10, region=120)

    assert memories(window) == [kept.id]
    assert [row[0] for row in window.hottest()] == [kept.id]
    assert not window.holds(cold.id)


async def test_what_is_found_just_before_a_question_counts_as_found_in_its_turn(
    memory: Memory,
) -> None:
    hot, found = [await memory.remember(NewNode("user", f"fact {n} " * 40)) for n in (1, 2)]
    window = await begun(memory)
    await say(memory, window, 1, "one", shows=(hot.id, found.id))
    for turn in range(2, 5):
        window.touch([hot.id, hot.id])
        await say(memory, window, turn, "more")
    window.touch([found.id])
    await say(memory, window, 5, "five")

    await begin(memory, window, keep=10, region=120)

    assert memories(window) == [found.id]


async def test_a_nap_clears_the_window_and_keeps_the_timeline(memory: Memory) -> None:
    old = await memory.remember(NewNode("user", "a walrus fact"))
    window = await begun(memory)
    await say(memory, window, 1, "about the walrus", shows=(old.id,))

    epoch = await memory.nap(window, tools=TOOLS, system=SYSTEM)

    assert (epoch.number, epoch.items, epoch.why) == (2, (), "nap")
    assert (window.entries, window.hottest(), window.turns) == ((), [], 1)
    assert (await memory.state()).nodes == 2
    assert len(await memory.transcript(window.session)) == 1
    entry = await say(memory, window, 2, "next")
    assert entry.seq == 2


async def test_a_write_is_finished_although_its_caller_was_cancelled(memory: Memory) -> None:
    window = await begun(memory)
    task = asyncio.ensure_future(say(memory, window, 1, "hello"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    second = await say(memory, window, 1, "and on")

    assert second.seq == 2
    assert [entry.seq for entry in window.entries] == [1, 2]
    assert (await memory.window(window.session)).entries == window.entries


async def test_records_that_are_made_at_once_stand_in_one_order(memory: Memory) -> None:
    window = await begun(memory)

    made = await asyncio.gather(*(say(memory, window, 1, f"word {n}") for n in range(20)))

    assert [entry.seq for entry in made] == list(range(1, 21))
    assert (await memory.window(window.session)).entries == window.entries == tuple(made)


async def test_a_record_that_waits_for_an_epoch_to_begin_stands_in_it(memory: Memory) -> None:
    window = await begun(memory)

    await asyncio.gather(begin(memory, window), say(memory, window, 1, "hello"))

    again = await memory.window(window.session)
    assert (again.epoch, again.entries) == (window.epoch, window.entries)
    assert len(again.entries) == 1


async def test_one_conversation_in_two_processes_is_told_and_not_mixed(memory: Memory) -> None:
    window = await begun(memory)
    stale = await memory.window(window.session)
    await say(memory, window, 1, "mine")

    with pytest.raises(Busy) as caught:
        await say(memory, stale, 1, "theirs")

    assert "conversation" in caught.value.text
    assert caught.value.hint
    assert stale.entries == ()
    assert len(await memory.transcript(window.session)) == 1
    assert (await memory.state()).nodes == 1


async def test_settings_and_ledger_records_are_kept(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    window = await begun(memory)
    await memory.keep("grants", {"shell": ["pytest -q", "\ud800"]})
    await memory.keep("grants", {"shell": ["pytest"]})
    assert await memory.last_request(window.session) is None
    for number in range(3):
        await memory.note_request(window.session, 1, f'{{"n":{number}}}')
    await memory.close()

    again = await Memory.open(tmp_path / "m.db")

    assert await again.kept("grants") == {"shell": ["pytest"]}
    assert await again.kept_under("gran") == {"grants": {"shell": ["pytest"]}}
    assert await again.kept_under("grants", over=1_000) == await again.kept_under("h") == {}
    assert await again.kept("nothing") is None
    assert await again.kept("nothing", 7) == 7
    assert await again.last_request(window.session) == '{"n":2}'
    await again.close()


async def test_closing_waits_for_what_has_begun_and_may_be_repeated(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db")
    writes = [asyncio.ensure_future(memory.remember(NewNode("user", f"{n}"))) for n in range(9)]
    await asyncio.sleep(0)

    await memory.close()
    await memory.close()

    assert len({node.id for node in await asyncio.gather(*writes)}) == 9
    with pytest.raises(RuntimeError, match="closed"):
        await memory.kept("x")
    again = await Memory.open(tmp_path / "m.db")
    assert (await again.state()).nodes == 9
    await again.close()


async def test_a_file_that_is_no_memory_leaves_no_thread_behind(tmp_path: Path) -> None:
    (tmp_path / "m.db").write_text("no database " * 100)

    with pytest.raises(NotMemory):
        await Memory.open(tmp_path / "m.db")

    for thread in threading.enumerate():
        if thread.name.startswith("memory-") and thread is not threading.current_thread():
            thread.join(FOR_EVER)
            assert not thread.is_alive()


async def test_twenty_megabytes_are_remembered_and_paged_in_whole(memory: Memory) -> None:
    text = "line of output\n" * 1_300_000

    node = await memory.remember(NewNode("tool", text, kind="shell"))

    assert await memory.refer(node.address) == node
    assert node.text == text


def imported(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.split()
    )


def test_the_error_tree_and_the_front_desk_load_nothing_heavy() -> None:
    assert not {"apsw", "numpy"} & imported("from memory import MemoryFileError")
    desk = imported("from memory import Memory")
    assert not {"numpy", "tokenizers", "sqlite3", "wordllama", "textual", "litellm"} & desk
