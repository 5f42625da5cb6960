"""No memory is ever out of reach: random stores, a judge that is right or fails, vectors that lie.

After every question what the answer lacks lies where it says that nobody has read, and it says that
it is incomplete. Reading all of it, and asking again once all debts are paid, find the same.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory.recollection import Query, Rung
from memory.store.database import open_database
from tests.memory.recall.oracle import mark, topic_of
from tests.memory.recall.world import MANY, World, play

STORES, CAPPED = 300, 100
"""Examples of three tests here and of the one with caps: each grows a store, 1,000 in all."""

ASKED = {
    "alpha": ("Where is the alpha?", "where is alpha", "Please, where is the alpha??"),
    "beta": ("Where is the beta?", "where is beta?"),
    "gamma": ("Who told us of gamma", "who told us of the gamma?"),
    "not alpha": ("Where is alpha not?",),
}
"""Near-duplicates, and questions that are nearly the same and are not: 'alpha' and 'beta' differ in
a name, the last one in a word."""
WORDINGS = [wording for wordings in ASKED.values() for wording in wordings]
FILL = (
    "the alpha and beta are blue",
    "a train leaves",
    "where is it",
    "port 8080 is open",
    "云在走",
)
OFF: tuple[Rung, ...] = ("jumps", "pins", "pointers", "anchors", "near", "scan")

texts = st.builds(
    lambda fill, marks, long: (
        " ".join([fill, *map(mark, marks)])
        + (f". {fill} and on it goes" * 60 + f" {mark('gamma')} and on" * long if long else "")
    ),
    st.sampled_from(FILL),
    st.lists(st.sampled_from(("alpha", "beta", "gamma")), max_size=2, unique=True),
    st.sampled_from((0, 0, 0, 0, 1, 2)),
)
moods = st.sampled_from(("well", "well", "well", "raises", "silent", "garbage", "forgetful"))
queries = st.builds(
    lambda text, deeper, exhaustive, without: Query(
        text, session="s", limit=MANY, deeper=deeper, exhaustive=exhaustive, without=without
    ),
    st.sampled_from(WORDINGS),
    st.booleans(),
    st.sampled_from((False, False, True)),
    st.frozensets(st.sampled_from(OFF), max_size=2),
)
few = st.integers(0, 30)
steps = st.one_of(
    st.tuples(st.just("remember"), st.lists(texts, min_size=1, max_size=6)),
    st.tuples(st.just("ask"), queries, moods),
    st.tuples(st.just("ask"), queries, moods),
    st.tuples(st.just("pay"), st.integers(1, 3), moods),
    st.tuples(st.just("killed"), queries),
    st.tuples(st.just("cite"), few),
    st.tuples(st.just("jump"), few),
    st.tuples(st.just("retire"), few, few),
    st.tuples(st.just("wrong"), few),
    st.tuples(st.just("recut"), few),
    st.tuples(st.just("settle")),
    st.tuples(st.just("reopen")),
)
scripts = st.tuples(
    st.lists(texts, min_size=1, max_size=12), st.lists(steps, min_size=2, max_size=8)
)


Script = tuple[list[str], list[tuple[object, ...]]]
"""What is remembered first, and what happens then."""


@pytest.fixture(scope="module")
def empty() -> Iterator[Path]:
    """A memory file in which nothing was said."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    open_database(folder / "empty.db").close()
    yield folder / "empty.db"
    shutil.rmtree(folder)


def told(empty: Path, directions: int, script: Script, *, capped: bool = False) -> None:
    """Play a script on a store of its own. ``capped``: what is learned may not all be kept, so that
    asking again need not find all of it."""

    async def life(path: Path) -> None:
        world = World(path, directions)
        await world.open()
        try:
            begin, steps = script
            await world.remember(begin)
            for step in steps:
                await play(world, step)
            world.check_file()
            if capped:
                await world.asks_again()
            else:
                await world.agrees()
                world.check_file()
        finally:
            await world.memory.close()

    with tempfile.TemporaryDirectory(dir=empty.parent) as folder:
        path = Path(folder) / "m.db"
        shutil.copy(empty, path)
        asyncio.run(life(path))


OURS = settings(
    max_examples=STORES,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@OURS
@given(scripts)
def test_what_an_answer_lacks_lies_where_it_says_that_nobody_read(
    empty: Path, script: Script
) -> None:
    told(empty, 4, script)


@OURS
@given(scripts)
def test_nothing_is_lost_where_all_vectors_are_the_same(empty: Path, script: Script) -> None:
    told(empty, 1, script)


@settings(OURS, max_examples=CAPPED)
@given(scripts)
def test_nothing_is_lost_where_the_ledger_overflows(empty: Path, script: Script) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memory.store.debts.MOST_DEBTS", 2)
        patch.setattr("memory.store.certificates.MOST_CERTIFICATES", 3)
        patch.setattr("memory.recall.feedback.POINTERS_A_SOURCE", 2)
        told(empty, 4, script, capped=True)


@OURS
@given(scripts)
def test_nothing_is_lost_where_a_call_holds_one_memory(empty: Path, script: Script) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memory.recall.climb.READ_CALLS", 3)
        patch.setattr("memory.recall.batches.BATCH_CANDIDATES", 1)
        told(empty, 4, script)


def test_topics_are_found_in_every_wording() -> None:
    assert {topic_of(wording) for wording in WORDINGS} == {"alpha", "beta", "gamma"}
