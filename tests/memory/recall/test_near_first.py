from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory import Memory
from memory.recollection import Candidate, Judgement, Query
from memory.store.database import Database
from memory.types import NewNode
from tests.doubles.embedding import LetterEmbedder
from tests.doubles.patience import FOR_EVER

SAID = [f"remark {number} about the {thing}" for number, thing in enumerate(("tea", "rain") * 20)]


class Able:
    """Says yes to what holds a word, and counts what it is asked."""

    stamp, able, window = "able/1", True, 4_000

    def __init__(self, word: str = "walrus") -> None:
        self.word = word
        self.calls = 0

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        self.calls += 1
        return Judgement(
            {each.id: "yes" if self.word in each.text else "no" for each in candidates}
        )


class NarrowEmbedder(LetterEmbedder):
    """Puts all texts into one narrow cone: unrelated ones have cosines of about .8."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            noise = np.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimensions)
            row[:] = 0.5 * noise / np.linalg.norm(noise)
            row[0] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "m.db")
    for text in SAID:
        await opened.remember(NewNode("user", text))
    yield opened
    await opened.close()


async def test_a_sure_near_hit_ends_the_search_and_no_judge_is_asked(memory: Memory) -> None:
    # row 28
    judge = Able()
    memory.use_judge(judge)
    await memory.remember(NewNode("user", "the vault key is under the walrus"))

    found = await memory.recall(Query("where is the vault key?"))

    assert found.answered_by == "near"
    assert found.steps[-1].rung == "near"
    assert judge.calls == 0


async def test_where_nothing_is_near_the_judge_reads(memory: Memory) -> None:
    # row 29
    judge = Able()
    memory.use_judge(judge)
    node = await memory.remember(NewNode("user", "it is under the walrus"))

    found = await memory.recall(Query("location of treasure chest"))

    assert [hit.node.id for hit in found.hits] == [node.id]
    assert found.answered_by == "reading"
    assert judge.calls > 0


@pytest.mark.parametrize(
    "query",
    [
        Query("where is the vault key?", deeper=True),
        Query("where is the vault key?", exhaustive=True),
        Query("where is the vault key?", without=frozenset({"near"})),
    ],
)
async def test_who_wants_exact_reading_gets_it_whatever_is_near(
    memory: Memory, query: Query
) -> None:
    # row 30
    judge = Able()
    memory.use_judge(judge)
    near = await memory.remember(NewNode("user", "the vault key is under the walrus"))
    far = await memory.remember(NewNode("user", "ask the walrus"))

    found = await memory.recall(query)

    assert {near.id, far.id} <= {hit.node.id for hit in found.hits}
    assert found.steps[-1].rung == "reading"
    assert judge.calls > 0


async def test_a_near_hit_makes_no_pointer_no_anchor_and_no_debt(memory: Memory) -> None:
    # row 31
    await memory.remember(NewNode("user", "the vault key is under the walrus"))

    (hit, *_) = (await memory.recall(Query("where is the vault key?"))).hits

    def counted(db: Database) -> list[int]:
        tables = ("pointers", "keys", "anchors", "debts", "certificates")
        return [int(db.value(f"SELECT count(*) FROM {table}")) for table in tables]

    assert hit.placeholder
    assert await memory._reader.run(counted) == [0] * 5


async def test_the_own_project_orders_what_is_found_and_brings_nothing_more(
    memory: Memory,
) -> None:
    # row 32
    for text, project in (
        ("the vault key is under the walrus", "/a"),
        ("the vault key is under the mat", "/b"),
        ("the weather under the mat", "/b"),
    ):
        await memory.remember(NewNode("user", text, project=project))

    asked = [
        await memory.recall(Query("where is the vault key?", project=project))
        for project in ("/a", "/b", "")
    ]

    found = [[hit.node.project for hit in each.hits] for each in asked]
    assert (found[0], found[1]) == (["/a", "/b"], ["/b", "/a"])
    assert {hit.node.id for hit in asked[1].hits} == {hit.node.id for hit in asked[2].hits}


async def test_what_is_no_nearer_than_chance_is_not_brought_however_high_its_cosine(
    tmp_path: Path,
) -> None:
    # row 33
    memory = await Memory.open(tmp_path / "m.db", embedder=NarrowEmbedder("narrow/1"))
    for number in range(300):
        await memory.remember(NewNode("user", f"alpha{number} beta{number} gamma{number}"))
    await memory.settle(FOR_EVER)

    pairs = brought = 0
    for number in range(40):
        asked = Query(f"delta{number} epsilon{number}", limit=300)
        pairs, brought = pairs + 300, brought + len((await memory.recall(asked)).hits)

    assert brought <= 0.05 * pairs
    await memory.close()
