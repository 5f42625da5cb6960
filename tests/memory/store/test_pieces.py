from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from memory.config import MOST_TOOL_PIECES, PIECE_TOKENS, WHOLE_TOKENS
from memory.store import cuts, cutting, fulltext, nodes, pieces, settings, vectors
from memory.store.database import Database, open_database
from memory.tokens import estimate
from memory.types import NewNode, Node

VECTOR = b"\x00\x00\x80\x3f" * 4
FACTS = [
    f"The {thing} of the house stands in the {place}, where {who} put it years ago and left it."
    for thing, place, who in zip(
        ("lantern", "piano", "anvil", "globe", "loom", "kettle", "sextant", "ladder", "mirror"),
        ("attic", "parlour", "barn", "study", "cellar", "kitchen", "tower", "stable", "hall"),
        ("Ann", "Bert", "Cora", "Dan", "Edith", "Fred", "Greta", "Hugo", "Ida"),
        strict=True,
    )
] * 2


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(tmp_path / "m.db")


def add(db: Database, text: str, at: int = 1, role: str = "user") -> Node:
    return nodes.add(db, NewNode(role, text), at)  # type: ignore[arg-type]


def found(db: Database, *terms: str) -> list[int]:
    return [place for place, _ in fulltext.matches(db, terms, 99)]


def lines(text: str, at: int) -> list[tuple[int, int]]:
    """A text in two, behind its line ``at``."""
    place = sum(len(line) for line in text.splitlines(keepends=True)[:at])
    return [(0, place), (place, len(text))]


def test_a_short_text_is_found_as_a_whole(db: Database) -> None:
    node = add(db, "the deploy key is under the mat")

    assert found(db, "deploy") == [node.seq]
    assert pieces.pieces_of(db, node.seq) == []
    assert pieces.whole(db, node.seq) == (node.seq, 0, len(node.text))
    assert pieces.resolve(db, node.seq) == (node.seq,)


def test_a_long_text_is_found_by_the_piece_that_says_it_and_never_by_the_whole(
    db: Database,
) -> None:
    add(db, "something else")
    node = add(db, "\n".join(FACTS), at=7)

    (first, *_) = found(db, "sextant", "tower")

    assert first < 0
    assert node.seq not in found(db, "house")
    (hit,) = pieces.hits(db, found(db, "house"))
    assert hit.node == node
    assert hit.piece is not None
    lo, hi = pieces.whole(db, first)[1:]  # type: ignore[index]
    assert "sextant" in node.text[lo:hi]
    assert pieces.text_of(db, [first]) == {first: node.text[lo:hi]}
    assert pieces.position(db, first) == node.seq


def test_pieces_put_together_are_the_text(db: Database) -> None:
    node = add(db, "\n".join(FACTS))

    parts = pieces.pieces_of(db, node.seq)

    texts = pieces.text_of(db, [part.place for part in parts])
    assert "".join(texts[part.place] for part in parts) == node.text
    assert [pieces.beside(db, part.place) for part in parts[:2]] == [
        (parts[1].place,),
        (parts[0].place, parts[2].place),
    ]


def test_each_word_of_a_stretch_stands_in_exactly_one_place(db: Database) -> None:
    stored = [add(db, text) for text in ("one", "\n".join(FACTS), "three")]

    places = pieces.in_stretch(db, stored[0].seq, stored[2].seq)

    texts = pieces.text_of(db, places)
    assert "".join(texts[place] for place in places) == "".join(node.text for node in stored)


def test_a_piece_has_the_time_and_the_position_of_its_node_and_the_node_is_the_newest_once(
    db: Database,
) -> None:
    # row 24
    node = add(db, "\n".join(FACTS), at=1_000)
    later = add(db, "later", at=2_000)

    (hit,) = pieces.hits(db, found(db, "lantern"))

    assert (hit.node.at, hit.node.seq) == (1_000, node.seq)
    assert nodes.newest(db, 9) == [later, node]
    assert nodes.count(db) == 2


def test_text_behind_a_nul_is_cut_and_found_like_any_other(db: Database) -> None:
    node = add(db, "first\0" + "\n".join(FACTS))

    (place, *_) = found(db, "mirror")

    assert "mirror" in pieces.text_of(db, [place])[place]
    assert node.text.startswith("first\0")


def test_a_node_leaves_words_and_vectors_when_it_is_cut_and_stays_as_it_was(db: Database) -> None:
    # row 22
    node = add(db, "alpha one\nbeta two")
    space = vectors.space_of(db, "four/1", 4)
    vectors.put(db, space, [(node.seq, VECTOR)])

    first, second = pieces.cut(db, node.seq, lines(node.text, 1))

    assert (found(db, "alpha"), found(db, "two")) == ([first, second], [second])
    assert vectors.nearest(db, space, VECTOR, 9) == []
    assert vectors.pending(db, space, 9) == []
    assert pieces.pending(db, space, 9) == [(second, "beta two"), (first, "alpha one\n")]
    assert nodes.by_id(db, node.id) == node
    assert vectors.put(db, space, [(node.seq, VECTOR)]) == 0


def test_what_led_to_a_node_leads_to_its_pieces_and_from_an_old_piece_to_the_new_ones(
    db: Database,
) -> None:
    node = add(db, "alpha\nbeta\ngamma\ndelta")
    before = pieces.cut(db, node.seq, lines(node.text, 2))
    assert pieces.resolve(db, node.seq) == tuple(before)

    after = pieces.cut(db, node.seq, lines(node.text, 1), at=5)

    assert pieces.resolve(db, before[0]) == tuple(after)
    assert pieces.resolve(db, before[1]) == (after[1],)
    assert pieces.whole(db, before[0]) is None
    assert pieces.hits(db, before) == []
    assert found(db, "gamma") == [after[1]]
    assert node.seq not in pieces.resolve(db, before[0])


def test_places_of_what_was_superseded_lead_to_what_stands_for_it_and_deleted_ones_nowhere(
    db: Database,
) -> None:
    old, new = add(db, "\n".join(FACTS)), add(db, "newer")
    part = pieces.pieces_of(db, old.seq)[0].place
    db.execute("INSERT INTO redirects VALUES (?, ?, 'superseded', 1)", (old.seq, new.seq))
    assert pieces.resolve(db, old.seq) == pieces.resolve(db, part) == (new.seq,)

    db.execute("INSERT INTO redirects VALUES (?, 0, 'deleted', 1)", (new.seq,))

    assert pieces.resolve(db, part) == pieces.resolve(db, new.seq) == ()
    assert pieces.resolve(db, 99_999) == pieces.resolve(db, -99_999) == ()


def test_what_is_found_is_counted_in_places(db: Database) -> None:
    assert pieces.standing(db) == 0
    stored = [add(db, text) for text in ("one", "\n".join(FACTS), "three", "\n".join(FACTS))]
    assert pieces.standing(db) == len(pieces.in_stretch(db, 1, stored[-1].seq)) > 4

    for node in stored[2:]:
        for fresh in (stored[0].seq, stored[1].seq):
            db.execute("INSERT INTO redirects VALUES (?, ?, 'superseded', 1)", (node.seq, fresh))

    assert pieces.standing(db) == len(pieces.in_stretch(db, 1, stored[-1].seq))


def test_redirects_in_a_circle_lead_nowhere(db: Database) -> None:
    one, two = add(db, "one"), add(db, "two")
    for stale, fresh in ((one.seq, two.seq), (two.seq, one.seq)):
        db.execute("INSERT INTO redirects VALUES (?, ?, 'superseded', 1)", (stale, fresh))

    assert pieces.resolve(db, one.seq) == ()


@pytest.mark.parametrize(
    "bounds", [[], [(0, 3)], [(0, 3), (4, 10)], [(0, 10), (10, 10)], [(0, 6), (5, 10)]]
)
def test_bounds_that_do_not_tile_the_text_are_refused(
    db: Database, bounds: list[tuple[int, int]]
) -> None:
    node = add(db, "0123456789")

    with pytest.raises(ValueError, match="do not tile"):
        pieces.cut(db, node.seq, bounds)

    assert pieces.resolve(db, node.seq) == (node.seq,)
    assert found(db, "0123456789") == [node.seq]


def test_a_long_output_of_a_tool_is_cut_without_a_model_into_a_bounded_number_of_pieces(
    db: Database,
) -> None:
    # row 27
    log = "".join(f"12:00:{n % 60:02d} step {n} went well, as before\n" for n in range(5_000))
    log = log[:100_000] + "12:00:00 error: the flux valve is stuck\n" + log[100_000:]

    node = add(db, f"read_file: build.log\n{log}", role="tool")

    parts = pieces.pieces_of(db, node.seq)
    assert len(parts) <= MOST_TOOL_PIECES
    assert "".join(pieces.text_of(db, [p.place for p in parts]).values()) == node.text
    (place,) = found(db, "flux")
    assert estimate(pieces.text_of(db, [place])[place]) <= WHOLE_TOKENS
    assert estimate(pieces.text_of(db, [parts[0].place])[parts[0].place]) <= 2 * PIECE_TOKENS
    assert found(db, "4999") == [parts[-1].place]
    assert found(db, "2500")


def test_each_piece_is_also_found_by_how_its_text_begins(db: Database) -> None:
    node = add(db, "read_file: src/harbour.py\n" + "\n".join(FACTS), role="tool")

    parts = {part.place for part in pieces.pieces_of(db, node.seq)}

    assert set(found(db, "harbour")) == parts
    assert set(found(db, "sextant")) < parts


def test_long_nodes_of_an_older_file_are_cut_newest_first_and_a_break_is_gone_on_from(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(cutting, "WHOLE_TOKENS", 10**9)
        long = [add(db, f"number{n}\n" + "\n".join(FACTS)) for n in range(3)]
        short = add(db, "short")
    assert found(db, "sextant") == [node.seq for node in reversed(long)]
    settings.keep(db, cuts.UNCUT, short.seq)

    assert cuts.cut_older(db, limit=1) == 1
    assert not pieces.pieces_of(db, long[0].seq)
    assert pieces.pieces_of(db, long[2].seq)
    while cuts.older(db):
        cuts.cut_older(db, limit=1)

    assert all(pieces.pieces_of(db, node.seq) for node in long)
    assert all(place < 0 for place in found(db, "sextant"))
    assert pieces.pieces_of(db, short.seq) == []
    assert settings.kept(db, cuts.UNCUT) is None
    assert cuts.cut_older(db) == 0


def test_a_file_of_an_older_format_waits_for_its_long_nodes_and_a_new_one_for_none(
    db: Database, tmp_path: Path
) -> None:
    assert not cuts.older(db)
    old = tmp_path / "old.db"
    old.write_bytes(gzip.decompress(Path(__file__).with_name("format_1.db.gz").read_bytes()))

    opened = open_database(old)

    assert cuts.older(opened)
    cuts.cut_older(opened)
    assert not cuts.older(opened)
    assert found(opened, "heliotrope") == [1]
    opened.close()
