from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.config import TEXT_LIMIT
from memory.store import fulltext, nodes
from memory.store.database import Database, open_database
from memory.store.texts import bounded, clean, from_json, new_id, to_json
from memory.types import NewNode


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(tmp_path / "m.db")


def add(db: Database, text: str, at: int = 1, **facts: object) -> nodes.Node:
    role = str(facts.pop("role", "user"))
    return nodes.add(db, NewNode(role, text, **facts), at)  # type: ignore[arg-type]


def test_a_node_reads_back_as_it_was_stored(db: Database) -> None:
    new = NewNode("tool", "ok\r\n  tabs\t", "/p", "s1", 3, "shell", {"exit": 0, "名": ["x"]})

    stored = nodes.add(db, new, 42)

    assert nodes.by_id(db, stored.id) == stored
    assert nodes.by_seq(db, [stored.seq]) == [stored]
    assert (stored.text, stored.meta, stored.at) == (new.text, new.meta, 42)


@pytest.mark.parametrize("text", ["", "\0", "a\0b", "\ud800", "x\udfff y", "𝕏 你好 ﷽", "\r"])
def test_strange_texts_are_kept_whole_but_for_lone_surrogates(db: Database, text: str) -> None:
    stored = add(db, text, meta={"raw": text})

    again = nodes.by_seq(db, [stored.seq])[0]
    assert again.text == clean(text)
    assert again.meta == {"raw": text}
    assert len(again.text) == len(text)


def test_words_after_a_nul_are_found(db: Database) -> None:
    stored = add(db, "before\0after elephants")

    assert [seq for seq, _ in fulltext.matches(db, ["elephants"], 5)] == [stored.seq]


def test_a_giant_text_keeps_head_and_tail_and_says_what_is_missing(db: Database) -> None:
    stored = add(db, "head " + "x" * TEXT_LIMIT + " tail")

    assert len(stored.text) <= TEXT_LIMIT
    assert stored.text.startswith("head ")
    assert stored.text.endswith(" tail")
    assert "left out" in stored.text
    assert nodes.by_id(db, stored.id) == stored


@given(st.text(max_size=300), st.integers(0, 400))
def test_a_bounded_text_is_never_longer_than_its_bound_and_its_note(text: str, limit: int) -> None:
    cut = bounded(text, limit)

    assert cut == text if len(text) <= limit else len(cut) <= max(limit, 100)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=9))
def test_stored_json_reads_back_the_same(value: object) -> None:
    assert from_json(to_json(value)) == value


def test_ids_are_short_readable_and_different() -> None:
    ids = [new_id() for _ in range(2000)]

    assert len(set(ids)) == 2000
    assert {len(name) for name in ids} == {12}
    assert not set("ilou") & set("".join(ids))
    assert "".join(ids) == "".join(ids).lower()


def test_a_taken_id_is_never_given_again(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    first = add(db, "one")
    offered = iter([first.id, first.id, "freefreefree"])
    monkeypatch.setattr(nodes, "new_id", lambda: next(offered))

    assert add(db, "two").id == "freefreefree"


def test_positions_follow_the_order_of_adding_even_when_the_clock_goes_back(db: Database) -> None:
    later, earlier = add(db, "a", at=500), add(db, "b", at=100)

    assert later.seq < earlier.seq
    assert nodes.newest(db, 5) == [earlier, later]
    assert nodes.between(db, 0, 1000) == [later, earlier]


def test_between_takes_in_the_start_and_leaves_out_the_end(db: Database) -> None:
    first, second = add(db, "a", at=100), add(db, "b", at=200)

    assert nodes.between(db, 100, 200) == [first]
    assert nodes.between(db, 100, 201) == [second, first]


def test_reading_can_be_narrowed_by_role_and_session(db: Database) -> None:
    mine = add(db, "a", project="/p", session="s1")
    tool = add(db, "b", project="/p", session="s1", role="tool")
    other = add(db, "c", project="/q", session="s2")

    assert nodes.newest(db, 9, roles=("user",)) == [other, mine]
    assert nodes.newest(db, 9, session="s1") == [tool, mine]
    assert nodes.newest(db, 1) == [other]
    assert nodes.between(db, 0, 9, roles=("user",), limit=1) == [other]
    assert nodes.latest_session(db) == "s2"
    assert nodes.latest_session(db, project="/p") == "s1"
    assert nodes.latest_session(db, besides="s2") == "s1"


def test_many_positions_are_read_in_the_order_asked(db: Database) -> None:
    with db.transaction():
        added = [add(db, str(number)) for number in range(1200)]
    wanted = [node.seq for node in reversed(added)]

    assert [node.seq for node in nodes.by_seq(db, [*wanted, 99_999])] == wanted


def test_a_flipped_byte_on_disk_is_noticed_and_hides_no_other_node(db: Database) -> None:
    bad, good = add(db, "the code is 1234"), add(db, "fine")
    db.execute("UPDATE nodes SET text = 'the code is 1235' WHERE seq = ?", (bad.seq,))

    read = nodes.by_seq(db, [bad.seq, good.seq])

    assert read[0].meta == {"damaged": True}
    assert read[1] == good


def test_rare_words_rank_before_common_ones(db: Database) -> None:
    with db.transaction():
        for number in range(30):
            add(db, f"the build number {number}")
        rare = add(db, "the walrus build")

    found = fulltext.matches(db, ["build", "walrus"], 5)

    assert found[0][0] == rare.seq
    assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


@pytest.mark.parametrize(
    "term",
    ['"', "NEAR(", "a AND", "*", "body:", "^x", "-", "(", "'", "\0", "{a b}", "+", "OR", "你"],
)
def test_no_term_is_an_operator(db: Database, term: str) -> None:
    add(db, f"before {term} after 你好")

    fulltext.matches(db, [term, "before"], 5)

    assert fulltext.document_frequency(db, term) in (0, 1)
    assert fulltext.holding(db, "before", [1, 2]) == {1}


def test_frequencies_count_stems(db: Database) -> None:
    add(db, "she was running"), add(db, "he runs"), add(db, "they walk")

    assert fulltext.document_frequency(db, "run") == 2
    assert fulltext.document_frequency(db, "swim") == 0
