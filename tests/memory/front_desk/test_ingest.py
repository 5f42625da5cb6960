from __future__ import annotations

import tracemalloc
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory import Memory
from memory.hyperspace.embedders.choose import choose
from memory.recollection import Query
from memory.store import vectors
from memory.types import NewNode
from tests.doubles.embedding import LetterEmbedder
from tests.doubles.patience import FOR_EVER

NOTE = (
    "Notes from the site visit. The old boiler was made in Leeds in 1931. Its pressure must stay "
    "below four bar. The spare valves are kept in the blue cabinet. Mr Okafor holds the key of the "
    "gate. The night guard comes at eleven. A dog called Biscuit sleeps near the turbine. The roof "
    "leaks above the workshop. Paint for the railings was ordered in green. The lift carries at "
    "most six people. Water is tested every Thursday. The nearest hospital is in Harwick. Visitors "
    "park behind the chapel. The fuse box hides under the stairs. Deliveries are signed by Anneke. "
    "The chimney was shortened after the storm, and since then smoke drifts over the orchard when "
    "the wind turns. Nobody has counted the pigeons since spring. The stove in the canteen needs a "
    "new door. Old plans of the cellar hang in the corridor, framed. The yard clock runs slow, "
    "and the ferry has stopped for the winter, so that whoever comes from the island has to drive "
    "around the bay."
)
ASKED = {
    "where was the boiler made?": "Leeds",
    "what pressure is allowed?": "four bar",
    "where are the spare valves?": "blue cabinet",
    "who holds the key of the gate?": "Okafor",
    "when does the night guard come?": "eleven",
    "what is the dog called?": "Biscuit",
    "what colour of paint was ordered?": "green",
    "how many people does the lift carry?": "six people",
    "which day is the water tested?": "Thursday",
    "where is the nearest hospital?": "Harwick",
    "where do visitors park?": "chapel",
    "where is the fuse box?": "stairs",
    "who signs deliveries?": "Anneke",
    "what happened to the chimney?": "shortened",
}


class WordEmbedder(LetterEmbedder):
    """A bag of words in 512 buckets, so that a long text is a blur of all that it says."""

    def __init__(self) -> None:
        super().__init__("words/1")
        self.dimensions = 512
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(len(texts))
        rows = np.zeros((len(texts), 512), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[sum(map(ord, word.strip(".,?"))) * 31 % 512] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


class Broken(LetterEmbedder):
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        raise RuntimeError("out of order")


class Forgetful(LetterEmbedder):
    """Gives nothing for some texts."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = super().embed(texts)
        rows[[text.startswith("lost") for text in texts]] = 0
        return rows


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "m.db")
    yield opened
    await opened.close()


async def test_a_megabyte_is_on_file_and_found_at_once_and_no_model_is_asked(
    tmp_path: Path,
) -> None:
    # row 1
    embedder = Broken()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder)
    text = "".join(f"line {n} of the log of the walrus\n" for n in range(30_000))

    node = await memory.remember(NewNode("user", text[:500_000] + "heliotrope\n" + text))

    assert embedder.asked == []
    again = await memory.refer(node.address)
    assert again is not None
    assert len(again.text) > 1_000_000
    (hit,) = (await memory.recall(Query("heliotrope"))).hits
    assert hit.node.id == node.id
    await memory.close()


async def test_nothing_that_is_done_to_a_memory_changes_or_loses_it(memory: Memory) -> None:
    # row 2
    stored = [await memory.remember(NewNode("user", text)) for text in ("one", NOTE * 2, "three")]

    await memory.recall(Query("where was the boiler made?"))
    await memory.retire(stored[0].id, [stored[2].id])

    assert [await memory.refer(node.address) for node in stored] == stored
    assert (await memory.state()).nodes == 3


async def test_the_order_outlives_a_restart_though_all_came_in_one_millisecond(
    tmp_path: Path,
) -> None:
    # row 3
    class Stopped:
        def now(self) -> int:
            return 7

    memory = await Memory.open(tmp_path / "m.db", clock=Stopped())
    # row 4: the same text at the same time is another memory
    stored = [await memory.remember(NewNode("user", "again")) for _ in range(300)]
    await memory.close()

    memory = await Memory.open(tmp_path / "m.db", clock=Stopped())
    read = [await memory.refer(node.address) for node in stored]
    assert read == stored
    assert [node.seq for node in stored] == sorted({node.seq for node in stored})
    assert len({node.id for node in stored}) == 300
    await memory.close()


async def test_what_is_recalled_does_not_stay_in_memory(memory: Memory) -> None:
    # row 5
    for number in range(300):
        await memory.remember(NewNode("user", f"report {number} " + "of the harbour master " * 90))
    await memory.recall(Query("harbour master report 1"))
    tracemalloc.start()
    try:
        for number in range(40):
            await memory.recall(Query(f"harbour master report {number * 7}", limit=8))
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert grown < 300_000


async def test_a_memory_of_another_project_is_found_and_keeps_its_tag(memory: Memory) -> None:
    # row 8
    theirs = await memory.remember(NewNode("user", "the vault code is heliotrope", project="/a"))
    await memory.remember(NewNode("user", "the tea is cold", project="/b"))

    (hit,) = (await memory.recall(Query("what is the vault code?", project="/b"))).hits

    assert (hit.node.id, hit.node.project) == (theirs.id, "/a")


async def test_an_embedder_is_handed_bounded_batches(tmp_path: Path) -> None:
    # row 10
    embedder = WordEmbedder()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder)
    for number in range(100):
        await memory.remember(NewNode("user", f"memory number {number}"))

    assert await memory.settle(FOR_EVER) == 100

    assert embedder.batches == [32, 32, 32, 4]
    await memory.close()


async def test_half_embedded_anew_only_vectors_of_the_current_stamp_are_compared(
    tmp_path: Path,
) -> None:
    # row 12
    old = await Memory.open(tmp_path / "m.db", embedder=LetterEmbedder("letters/1"))
    for number in range(4):
        await old.remember(NewNode("user", f"zzz{number}"))
    await old.settle(FOR_EVER)
    await old.close()
    memory = await Memory.open(tmp_path / "m.db", embedder=WordEmbedder())

    def spaces(path: Path) -> list[int]:
        from memory.store.database import open_database

        db = open_database(path, reading=True)
        known = [vectors.known_space(db, stamp) for stamp in ("letters/1", "words/1")]
        counts = [0 if space is None else vectors.count(db, space) for space in known]
        db.close()
        return counts

    assert (await memory.recall(Query("zzz2 zzz3"))).hits[0].ways == ("text",)
    assert spaces(memory.path) == [4, 0]
    await memory.settle(FOR_EVER)
    assert spaces(memory.path) == [4, 4]
    await memory.close()


async def test_texts_that_an_embedder_has_nothing_for_do_not_keep_the_others_waiting(
    tmp_path: Path,
) -> None:
    # row 14
    memory = await Memory.open(tmp_path / "m.db", embedder=Forgetful())
    for number in range(40):
        await memory.remember(NewNode("user", f"{'lost' if number < 5 else 'kept'} {number}"))

    await memory.settle(FOR_EVER)

    assert (await memory.state()).embedded == 35
    assert await memory.settle(FOR_EVER) == 0
    await memory.close()


async def test_a_narrow_question_is_answered_by_the_piece_that_says_it_and_never_by_the_document(
    tmp_path: Path,
) -> None:
    # row 23
    memory = await Memory.open(tmp_path / "m.db", embedder=WordEmbedder())
    for number in range(40):
        await memory.remember(NewNode("user", f"unrelated remark number {number} about tea"))
    node = await memory.remember(NewNode("user", NOTE))
    await memory.settle(FOR_EVER)

    for question, answer in ASKED.items():
        (hit, *_) = (await memory.recall(Query(question))).hits
        assert hit.node.id == node.id
        assert hit.piece is not None
        assert answer in NOTE[slice(*hit.piece)], question
    await memory.close()


async def test_as_shipped_a_note_of_many_facts_answers_by_less_than_half_of_it(
    tmp_path: Path,
) -> None:
    # row 25
    note = NOTE[:950]
    asked = {question: answer for question, answer in ASKED.items() if answer in note}
    memory = await Memory.open(tmp_path / "m.db", embedder=choose())
    for number in range(20):
        await memory.remember(NewNode("user", f"unrelated remark number {number} about tea"))
    await memory.remember(NewNode("user", note))
    await memory.settle(FOR_EVER)

    answered = 0
    for question, answer in asked.items():
        for hit in (await memory.recall(Query(question))).hits[:1]:
            assert hit.piece is not None
            block = note[slice(*hit.piece)]
            answered += answer in block and len(block) < len(note) / 2
    assert len(asked) == 14
    assert answered >= 0.9 * len(asked)
    await memory.close()
