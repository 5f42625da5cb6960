from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.store.conversation import open_session
from memory.store.database import Database, open_database
from memory.store.requests import figures, last_request, note_request, requests


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "memory.db")
    yield opened
    opened.close()


def test_requests_come_back_oldest_first_with_their_time_and_epoch(db: Database) -> None:
    mine, other = (open_session(db, "/p", "m", 1) for _ in range(2))
    note_request(db, mine, 1, '{"n":1}', 10)
    note_request(db, other, 1, '{"n":2}', 20)
    note_request(db, mine, 2, '{"n":3}', 15)
    assert requests(db, mine) == [(10, 1, '{"n":1}'), (15, 2, '{"n":3}')]
    assert last_request(db, mine) == '{"n":3}'
    assert requests(db, "nobody") == []


def test_figures_are_of_all_sessions_since_a_time(db: Database) -> None:
    mine, other = (open_session(db, "/p", "m", 1) for _ in range(2))
    note_request(db, mine, 1, '{"n":1,"cost":0.5}', 10)
    note_request(db, other, 1, '{"n":2,"cost":null}', 20)
    note_request(db, mine, 1, '{"n":3}', 30)
    assert figures(db, ("n", "cost"), 0) == [(1, 0.5), (2, None), (3, None)]
    assert figures(db, ("n",), 20) == [(2,), (3,)]
    assert figures(db, (), 0) == []


def test_a_record_that_is_no_json_is_no_figure(db: Database) -> None:
    mine = open_session(db, "/p", "m", 1)
    note_request(db, mine, 1, "torn {", 10)
    note_request(db, mine, 1, '{"n":1}', 10)
    assert figures(db, ("n",), 0) == [(1,)]
