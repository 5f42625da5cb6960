from __future__ import annotations

from pathlib import Path

import pytest

from memory.store import fulltext
from memory.store.database import Database, open_database

COMMON = 60
"""Places that hold the common word; every tenth of them holds the rare one too."""


@pytest.fixture
def db(tmp_path: Path) -> Database:
    db = open_database(tmp_path / "m.db")
    with db.transaction():
        for place in range(1, COMMON + 1):
            fulltext.index(db, place, "common" + " rare" * (place % 10 == 0))
        fulltext.index(db, 61, "rare alone")
        fulltext.index(db, -1, "a piece that says rarest")
    return db


def test_what_is_ranked_is_bounded_by_leaving_common_words_to_the_end(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MOST_RANKED", 10)

    found = [place for place, _ in fulltext.matches(db, ["common", "rare", "rarest"], 20)]

    assert found == [-1, 61, 60, 50, 40, 30, 20, 10]


def test_a_common_word_alone_is_still_found(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "MOST_RANKED", 10)

    assert len(fulltext.matches(db, ["common"], 99)) == COMMON


def test_common_words_count_among_what_the_rare_ones_found(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.transaction():
        for place in range(100, 300):
            fulltext.index(db, place, "filler of other things")
    monkeypatch.setattr(fulltext, "MOST_RANKED", 10)

    found = [place for place, _ in fulltext.matches(db, ["common", "rare"], 7)]

    assert found == [60, 50, 40, 30, 20, 10, 61]


def test_frequencies_that_are_known_need_not_be_counted(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MOST_RANKED", 10)
    known = {"common": 60, "rare": 7}

    assert fulltext.matches(db, ["common", "rare"], 5, known) == fulltext.matches(
        db, ["common", "rare"], 5
    )


def test_the_frequency_of_a_very_common_word_is_estimated(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fulltext.document_frequency(db, "common") == COMMON
    monkeypatch.setattr(fulltext, "MOST_COUNTED", 20)

    assert fulltext.document_frequency(db, "common") == pytest.approx(COMMON, rel=0.1)
    assert fulltext.document_frequency(db, "rare") == 7


def test_its_size_counts_nodes_and_pieces(db: Database, tmp_path: Path) -> None:
    assert fulltext.size(db) == 62
    fulltext.remove(db, -1)
    assert fulltext.size(db) == 61
    assert fulltext.size(open_database(tmp_path / "empty.db")) == 0
