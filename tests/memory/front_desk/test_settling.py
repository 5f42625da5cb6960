from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory import Memory, VectorsUnavailable
from memory.recollection import Query
from memory.store.database import open_database
from memory.types import NewNode
from tests.doubles.embedding import LetterEmbedder
from tests.doubles.patience import FOR_EVER


class FallingEmbedder(LetterEmbedder):
    """Changes its stamp at the first text, as one does that cannot load."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.stamp = "fallen/1"
        return super().embed(texts)


async def test_what_was_settled_before_an_embedder_fell_back_is_settled_again(
    tmp_path: Path,
) -> None:
    # row 11
    path = tmp_path / "m.db"
    before = await Memory.open(path, embedder=LetterEmbedder("wanted/1"))
    for text in ("the deploy key", "the vault door"):
        await before.remember(NewNode("user", text))
    await before.settle(FOR_EVER)
    await before.close()

    memory = await Memory.open(path, embedder=FallingEmbedder("wanted/1"))
    assert await memory.settle(FOR_EVER) == 0
    assert (await memory.recall(Query("where is the deploy key?"))).notice

    assert await memory.settle(FOR_EVER) == 2

    found = await memory.recall(Query("where is the deploy key?"))
    assert (found.notice, "vector" in found.ways) == ("", True)
    assert (await memory.state()).embedder == "fallen/1"
    await memory.close()


class FailingEmbedder(LetterEmbedder):
    """Fails until it is mended."""

    mended = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.mended:
            raise RuntimeError("out of order")
        return super().embed(texts)


class ShortEmbedder(LetterEmbedder):
    """Gives one vector fewer than it was asked for."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return super().embed(texts)[1:]


async def test_what_a_failing_embedder_leaves_is_told_and_stays_pending(tmp_path: Path) -> None:
    embedder = FailingEmbedder()
    memory = await Memory.open(tmp_path / "m.db", embedder=embedder)
    await memory.remember(NewNode("user", "the deploy key"))

    with pytest.raises(VectorsUnavailable, match="RuntimeError: out of order"):
        await memory.settle(FOR_EVER)

    embedder.mended = True
    assert await memory.settle(FOR_EVER) == 1
    await memory.close()


async def test_vectors_that_belong_to_no_text_are_refused(tmp_path: Path) -> None:
    memory = await Memory.open(tmp_path / "m.db", embedder=ShortEmbedder())
    await memory.remember(NewNode("user", "the deploy key"))

    with pytest.raises(VectorsUnavailable, match="shape"):
        await memory.settle(FOR_EVER)

    assert (await memory.state()).embedded == 0
    await memory.close()


async def test_a_question_does_not_wait_for_an_embedder_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()
    let_go.set()

    class Hanging(LetterEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            let_go.wait()
            return super().embed(texts)

    memory = await Memory.open(tmp_path / "m.db", embedder=Hanging())
    await memory.remember(NewNode("user", "the deploy key"))
    await memory.settle(FOR_EVER)
    let_go.clear()
    with monkeypatch.context() as patch:
        patch.setattr("memory.settling.EMBED_PATIENCE_SECONDS", 0.01)
        found = await memory.recall(Query("where is the deploy key?"))
    assert [hit.node.text for hit in found.hits] == ["the deploy key"]
    assert (found.complete, found.ways) == (False, ("text",))
    assert "takes too long" in found.notice

    let_go.set()
    assert not (await memory.recall(Query("where is the deploy key?"))).notice
    await memory.close()


async def test_the_next_process_looks_only_at_what_came_after_all_was_settled(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.db"
    memory = await Memory.open(path, embedder=LetterEmbedder("wanted/1"))
    await memory.remember(NewNode("user", "the deploy key"))
    await memory.settle(FOR_EVER)
    await memory.close()
    # As if it were not: whether it is looked at again shows where looking begins.
    db = open_database(path)
    db.execute("DELETE FROM embedded")
    db.close()

    again = await Memory.open(path, embedder=LetterEmbedder("wanted/1"))
    assert await again.settle(FOR_EVER) == 0
    await again.remember(NewNode("user", "the vault door"))
    assert await again.settle(FOR_EVER) == 1
    await again.close()
