from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.store import code_blocks, codes, sampling, vectors
from memory.store.database import Database, open_database
from memory.store.resident import ResidentCodes

from .crowd import DIMENSIONS, asked, clusters, pieces, put, stand

MANY = 3_000


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(tmp_path / "m.db")


def crowd(db: Database, count: int = MANY, seed: int = 0) -> int:
    space = vectors.space_of(db, "crowd/1", DIMENSIONS)
    with db.transaction():
        stand(db, count)
        put(db, space, range(1, count + 1), clusters(count, seed))
    return space


def coded(db: Database, space: int) -> set[int]:
    """The places that stand in blocks."""
    return {
        int(offset) + row.number * code_blocks.BLOCK
        for row in code_blocks.changed_since(db, space, -1)
        for offset in row.offsets
    }


def test_two_stages_find_what_looking_at_all_finds(db: Database) -> None:
    space, held = crowd(db), []

    for row in clusters(60, seed=1):
        found = vectors.nearest(db, space, asked(row), 10)
        whole = vectors.nearest(db, space, asked(row), 10, exact=True)
        assert dict(found).items() & dict(whole).items()
        held.append(len(dict(found).keys() & dict(whole).keys()) / 10)

    assert np.mean(held) >= 0.98


def test_a_space_has_no_codes_until_it_is_worth_them(db: Database) -> None:
    space = crowd(db, vectors.FEWEST_CODED - 1)
    assert coded(db, space) == set()

    stand(db, 2, first=5_000)
    put(db, space, [5_000], clusters(1, seed=2))
    assert coded(db, space) == {*range(1, vectors.FEWEST_CODED), 5_000}

    put(db, space, [5_001], clusters(1, seed=3))
    assert 5_001 in coded(db, space)


def test_codes_are_made_anew_once_when_the_mean_of_a_space_is_settled(db: Database) -> None:
    space = crowd(db, vectors.MEAN_SETTLED - 1)
    first = code_blocks.state(db, space)
    stand(db, 2, first=20_000)
    put(db, space, [20_000], clusters(1, seed=2))
    second = code_blocks.state(db, space)
    put(db, space, [20_001], clusters(1, seed=3))
    third = code_blocks.state(db, space)

    assert first and first.basis and second and second.basis and third and third.basis
    assert (first.basis.version, second.basis.version) == (1, 2)
    assert third.basis.mean.tolist() == second.basis.mean.tolist()
    assert len(coded(db, space)) == vectors.MEAN_SETTLED + 1


def test_one_new_vector_changes_one_block_and_no_more(db: Database) -> None:
    # row 15
    space = crowd(db, code_blocks.BLOCK + 2_000)
    before = code_blocks.state(db, space)
    assert before is not None

    stand(db, 1, first=50_000)
    put(db, space, [50_000], clusters(1, seed=2))

    changed = code_blocks.changed_since(db, space, before.changes)
    assert [row.number for row in changed] == [50_000 // code_blocks.BLOCK]
    assert len(code_blocks.changed_since(db, space, -1)) == 3


def test_another_connection_notices_what_is_added_and_dropped(db: Database) -> None:
    space = crowd(db)
    other = open_database(db.path, reading=True)
    row = clusters(1, seed=9)
    before = vectors.nearest(other, space, asked(row[0]), 1)

    stand(db, 1, first=9_000)
    put(db, space, [9_000], row)
    added = vectors.nearest(other, space, asked(row[0]), 1)
    vectors.drop(db, space, [9_000])
    dropped = vectors.nearest(other, space, asked(row[0]), 1)

    assert [place for place, _ in added] == [9_000]
    assert added[0][1] == pytest.approx(1, abs=1e-6)
    assert dropped == before
    other.close()


def test_what_was_undone_is_not_found_and_what_came_instead_is(db: Database) -> None:
    space = crowd(db)
    stand(db, 2, first=9_000)
    undone, instead = clusters(2, seed=9)

    with suppress(KeyError), db.transaction():
        put(db, space, [9_000], undone[None])
        inside = vectors.nearest(db, space, asked(undone), 1)
        raise KeyError
    put(db, space, [9_001], instead[None])

    assert [place for place, _ in inside] == [9_000]
    assert vectors.nearest(db, space, asked(undone), 1)[0][0] < 9_000
    assert vectors.nearest(db, space, asked(instead), 1)[0][0] == 9_001


def test_pieces_are_found_beside_nodes(db: Database) -> None:
    space = crowd(db)
    stand(db, 1, first=9_000)
    pieces(db, 9_000, 3)
    rows = clusters(3, seed=9)

    assert put(db, space, [9_000, -1, -2, -3], np.concatenate((rows[:1], rows))) == 3

    assert [vectors.nearest(db, space, asked(row), 1)[0][0] for row in rows] == [-1, -2, -3]
    assert vectors.count(db, space) == MANY + 3


def test_of_equal_vectors_the_newest_come_first_however_many_there_are(db: Database) -> None:
    space = crowd(db, 100)
    stand(db, 6_000, first=1_000)
    same = np.repeat(clusters(1, seed=5), 6_000, axis=0)
    put(db, space, range(1_000, 7_000), same)

    found = vectors.nearest(db, space, asked(same[0]), 20)

    assert [place for place, _ in found] == list(range(6_999, 6_979, -1))


def test_codes_beyond_the_bound_are_read_and_not_held(db: Database) -> None:
    space = crowd(db, 2 * code_blocks.BLOCK)
    state = code_blocks.state(db, space)
    assert state is not None and state.basis is not None
    question = codes.ask(state.basis, clusters(1, seed=4)[0])
    free, bound = ResidentCodes(space), ResidentCodes(space, most_bytes=600_000)

    for held in (free, bound):
        held.refresh(db, state)
    found = [held.likely(db, question, 10).tolist() for held in (free, bound)]

    assert found[0] == found[1]
    assert free.size > 600_000 >= bound.size > 0
    assert free.size <= 64 * 2 * code_blocks.BLOCK


def test_more_neighbours_than_there_are_are_all_there_are(db: Database) -> None:
    space = crowd(db)

    found = vectors.nearest(db, space, asked(clusters(1)[0]), 4_000)

    assert {place for place, _ in found} == set(range(1, MANY + 1))
    cosines = [cosine for _, cosine in found]
    assert cosines == sorted(cosines, reverse=True)


def test_a_sample_is_scattered_over_all_and_the_same_each_time(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = crowd(db, 2_000)
    few = sampling.sample(db, space, 100)
    monkeypatch.setattr(sampling, "ORDERED", 1)
    drawn = sampling.sample(db, space, 100)

    assert len(few) == 100
    assert 90 <= len(drawn) <= 100
    for places in (few, drawn):
        assert places == sorted(set(places))
        assert all(1 <= place <= 2_000 for place in places)
        assert np.histogram(places, bins=4, range=(1, 2_001))[0].min() >= 10
    assert sampling.sample(db, space, 100) == drawn


def test_a_scan_gives_every_cosine_of_a_stretch_and_of_its_pieces(db: Database) -> None:
    space = crowd(db, 300)
    stand(db, 1, first=301)
    pieces(db, 301, 2)
    rows = clusters(302)
    put(db, space, [-1, -2], rows[300:])

    places, cosines = vectors.scan(db, space, asked(rows[5]), 250, 301)

    found = dict(zip(places.tolist(), cosines.tolist(), strict=True))
    whole = {seq: float(rows[seq - 1] @ rows[5]) for seq in range(250, 301)}
    whole |= {-1: float(rows[300] @ rows[5]), -2: float(rows[301] @ rows[5])}
    first_300 = clusters(300)
    whole |= {seq: float(first_300[seq - 1] @ rows[5]) for seq in range(250, 301)}
    assert found == pytest.approx(whole, abs=1e-5)
    assert vectors.scan(db, space, asked(0 * rows[5]), 1, 301)[0].size == 0


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.integers(1, 40), min_size=1, max_size=20)), max_size=8
    )
)
def test_blocks_hold_exactly_the_places_that_have_a_vector(
    steps: list[tuple[bool, list[int]]],
) -> None:
    rows = clusters(41, seed=8)
    with TemporaryDirectory() as folder:
        db = open_database(Path(folder) / "m.db")
        space = crowd(db, vectors.FEWEST_CODED)

        for dropped, places in steps:
            if dropped:
                vectors.drop(db, space, places)
            else:
                put(db, space, places, rows[places])

        held = {place for (place,) in db.rows(f"SELECT id FROM vectors_{space}")}
        assert coded(db, space) == held
        assert vectors.count(db, space) == len(held)
        assert {place for (place,) in db.rows("SELECT seq FROM embedded WHERE stored")} == held
        db.close()
