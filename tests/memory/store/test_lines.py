from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path

import apsw
import pytest

from memory.store import conversation, lines
from memory.store.database import Database, open_database
from memory.types import Line

FULL = Line(
    *(3, 2, "user", "只用 RS256 \ud800", 9, 1000, 2000, "abc123def456", 0.25, (0.5, -0.25)),
    supplement=True,
    reloaded=True,
)
BARE = Line(1, 1, "tool", "ls", 2, 500, 500, None)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(tmp_path / "m.db")


@pytest.fixture
def session(db: Database) -> str:
    return conversation.open_session(db, "/p", "m", 1)


def test_lines_read_back_as_they_were_put_oldest_first(db: Database, session: str) -> None:
    lines.put(db, session, [FULL, BARE], "stamp")

    chain, gone = lines.load(db, session, "stamp")

    assert chain == [BARE, replace(FULL, text="只用 RS256 \ufffd")]
    assert gone == []


def test_embeddings_of_another_embedder_are_left_out(db: Database, session: str) -> None:
    lines.put(db, session, [FULL], "old")

    assert lines.load(db, session, "new")[0][0].embedding is None
    assert lines.load(db, session)[0][0].embedding is None


def test_a_relevance_that_is_no_number_reads_back_as_unknown(db: Database, session: str) -> None:
    lines.put(db, session, [replace(BARE, relevance=nan)])

    assert lines.load(db, session)[0][0].relevance is None


def test_lines_leave_in_order_once_and_come_back(db: Database, session: str) -> None:
    four = [replace(BARE, seq=seq) for seq in (1, 2, 3, 4)]
    lines.put(db, session, four)

    lines.leave(db, session, [3, 1])
    lines.leave(db, session, [1, 4, 99])
    chain, gone = lines.load(db, session)
    assert ([line.seq for line in chain], [line.seq for line in gone]) == ([2], [3, 1, 4])

    lines.put(db, session, [replace(four[0], text="back", reloaded=True)])
    chain, gone = lines.load(db, session)
    assert ([line.seq for line in chain], [line.seq for line in gone]) == ([1, 2], [3, 4])
    assert (chain[0].text, chain[0].reloaded) == ("back", True)


def test_a_touch_never_makes_a_line_older(db: Database, session: str) -> None:
    lines.put(db, session, [BARE])

    lines.touch(db, session, [1, 9], 700)
    lines.touch(db, session, [1], 600)

    assert lines.load(db, session)[0][0].accessed == 700


def test_lines_belong_to_one_conversation_that_exists(db: Database, session: str) -> None:
    other = conversation.open_session(db, "/p", "m", 1)
    lines.put(db, session, [BARE])
    lines.leave(db, other, [1])

    assert lines.load(db, other) == ([], [])
    assert len(lines.load(db, session)[0]) == 1
    with pytest.raises(apsw.ConstraintError):
        lines.put(db, "nosuchsession", [BARE])
