"""What an epoch's end does to the summary chain: what ``SummaryChain.evict`` does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory.context import epochs
from memory.context.judging import Judged
from memory.context.summary_chain import SummaryChain, link
from memory.context.window import Window
from memory.store import conversation, lines
from memory.store.database import Database, open_database
from memory.types import Budget, Entry, NewNode

NOTHING = Budget(0, 0, 0, 0, 0, 0)
ROOMY = Budget(8_000, 1, 2, 4_000, 4_000, 4_000)
TIGHT = Budget(8_000, 1, 2, 120, 120, 120)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_database(tmp_path / "m.db")
    yield db
    db.close()


def end(db: Database, window: Window, budget: Budget, at: int) -> None:
    coming = epochs.Next(("{}",), ("system",), "full", budget, cold=False)
    going = epochs.part(window, budget, None)
    reaped = epochs.harvest(db, window, going, coming, at)
    window.enter(epochs.begin(db, window, going, coming, reaped, at, Judged()))


def talked(db: Database, turns: int) -> Window:
    """A conversation whose messages, but for the newest, all stand in lines."""
    window = epochs.load(db, conversation.open_session(db, "/p", "x/y", 1))
    end(db, window, ROOMY, 1)
    for turn in range(1, turns + 1):
        entry = Entry(window.next_seq, turn, "user", f"body {turn}", 50, None, ())
        node = NewNode("user", f"Valve {turn} opens at {turn * 11} bar. " * (1 + turn % 3))
        queue = window.queue_after(entry)
        window.append(epochs.record(db, window, entry, node, queue, turn * 60_000), queue)
    end(db, window, ROOMY, turns * 60_000)
    return window


def test_lines_leave_an_epoch_as_the_chain_evicts_them_and_so_they_are_on_file(
    db: Database,
) -> None:
    window = talked(db, 12)
    alone = window.chain.copy()
    alone.budget = TIGHT.chain
    alone.evict(10**6)
    assert len(alone.weak_refs) > 3

    end(db, window, TIGHT, 10**6)

    assert window.chain.weak_refs == alone.weak_refs
    assert window.lines == alone.lines
    again = epochs.load(db, window.session)
    assert (again.chain.weak_refs, again.lines) == (alone.weak_refs, alone.lines)


@pytest.mark.parametrize("node", [None, "nobody"])
def test_a_line_whose_text_is_on_no_node_on_file_stays_in_the_chain(
    db: Database, node: str | None
) -> None:
    window = talked(db, 6)
    bare = replace(link(99, 1, "user", "said and kept nowhere else", 1), node=node)
    lines.put(db, window.session, [bare])
    window = epochs.load(db, window.session)

    end(db, window, replace(TIGHT, region_high=30, region_low=30, chain=30), 10**6)
    epochs_ended = SummaryChain(*lines.load(db, window.session))

    assert bare in window.lines
    assert bare in epochs_ended.lines
    assert len(window.chain.weak_refs) >= 4

    coming = epochs.Next(("{}",), ("system",), "nap", NOTHING, cold=True)
    window.enter(epochs.clear(db, window, coming, 10**6))

    assert window.lines == (bare,)
    assert epochs.load(db, window.session).lines == (bare,)
