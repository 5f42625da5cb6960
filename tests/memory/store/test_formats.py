"""A memory file that an older growbox wrote opens with all that is in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from memory import Memory
from memory.store import conversation, fulltext, lines, nodes, rules
from memory.store.database import open_database
from memory.store.migrations import MIGRATIONS
from memory.types import NewNode
from tests.memory.front_desk.talk import Talk

FORMAT_1 = Path(__file__).with_name("format_1.db.gz")
"""Written by the growbox of format 1: a memory, a conversation of two messages in which it is
shown, a request and a kept list."""
SESSION, SHOWN = "y6awmn9gm001", "k0bhht3hpjr7"
FORMAT_2 = Path(__file__).with_name("format_2.db.gz")
"""Written by the growbox of format 2: a conversation in its second epoch, with a memory in its
region, the last message of the first epoch carried."""
SESSION_2, SHOWN_2 = "2m2xhaa1h1s4", "bbk7fnww6m27"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress(FORMAT_1.read_bytes()))
    return path


async def test_a_file_of_format_1_opens_with_all_that_is_in_it(old: Path) -> None:
    memory = await Memory.open(old)

    window = await memory.window(SESSION)
    assert [(entry.body, entry.shows) for entry in window.entries] == [
        ('{"say":"one"}', (SHOWN,)),
        ('{"say":"two"}', ()),
    ]
    node = await memory.refer(f"mem://{SHOWN}")
    assert node is not None
    assert node.text == "the walrus password is heliotrope"
    assert await memory.kept("commands:/p") == ["pytest"]
    assert await memory.last_request(SESSION) == '{"n":1}'
    assert [info.id for info in await memory.sessions()] == [SESSION]
    await memory.close()


async def test_a_conversation_of_format_1_can_be_owned_and_gone_on_with(old: Path) -> None:
    memory = await Memory.open(old)

    assert await memory.claim(SESSION, "first", lambda _: True) == ""
    assert await memory.claim(SESSION, "second", lambda _: True) == "first"
    window = await memory.window(SESSION)
    new = NewNode("user", "three", "/p", SESSION, 2)
    await memory.record(window, turn=2, role="user", body="{}", tokens=1, node=new)

    assert len(await memory.transcript(SESSION)) == 3
    await memory.close()


def test_a_file_of_format_1_is_brought_up_to_date_once_and_stays_sound(old: Path) -> None:
    for _ in range(2):
        db = open_database(old)
        assert db.value("PRAGMA user_version") == len(MIGRATIONS)
        assert db.value("PRAGMA integrity_check") == "ok"
        assert db.rows("PRAGMA foreign_key_check") == []
        assert nodes.count(db) == 3
        assert [seq for seq, _ in fulltext.matches(db, ["heliotrope"], 5)] == [1]
        assert conversation.count_sessions(db) == 1
        db.close()


async def test_a_region_of_format_2_stands_as_it_stood_and_counts_as_memories(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress(FORMAT_2.read_bytes()))
    memory = await Memory.open(path)

    window = await memory.window(SESSION_2)

    assert window.epoch is not None
    (item,) = window.epoch.items
    assert (item.node, item.kind, item.segment, item.tokens) == (SHOWN_2, "memory", 0, 23)
    assert item.body.endswith("the walrus password is heliotrope")
    assert [entry.body for entry in window.entries] == ['{"say":"three"}']
    await memory.close()
    db = open_database(path)
    assert lines.load(db, SESSION_2) == ([], [])
    assert rules.rules(db, SESSION_2) == ()
    assert db.rows("PRAGMA foreign_key_check") == []
    db.close()


@pytest.mark.parametrize(("file", "session"), [(FORMAT_1, SESSION), (FORMAT_2, SESSION_2)])
async def test_a_running_epoch_of_an_older_format_ends_like_any_other(
    tmp_path: Path, file: Path, session: str
) -> None:
    path = tmp_path / "m.db"
    path.write_bytes(gzip.decompress(file.read_bytes()))
    memory = await Memory.open(path)
    talk = Talk(memory, await memory.window(session), turn=3)
    before = talk.window.items
    for number in range(6):
        await talk.ask(f"question {number} " + "about the boiler " * 20)
        await talk.answer("its pipes hold " * 20)
        epoch = await talk.rebase(cold=number % 2 == 1)
        assert number > 0 or epoch.items[: len(before)] == before
        again = await memory.window(session)
        assert (again.epoch, again.entries, again.lines) == (
            talk.window.epoch,
            talk.window.entries,
            talk.window.lines,
        )
    assert talk.items("line")
    await memory.close()
