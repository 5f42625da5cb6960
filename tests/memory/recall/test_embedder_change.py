"""Another embedder: what was learned under the old one is never compared with the new one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory import Memory
from memory.recall.following import follow
from memory.recall.pointers import Bars
from memory.recollection import Query, Rung
from memory.store import nodes, pointers, questions
from memory.store.database import Database, open_database
from memory.store.keys import ResidentKeys
from memory.store.pointers import Key
from memory.types import NewNode
from tests.doubles.embedding import SetClock

NODES, POINTERS, DIMENSIONS = 10_000, 1_000, 24
BARS = Bars(follow=0.9, boost=0.8)


def question(number: int) -> str:
    return f"what does tale {number} tell?"


def reworded(number: int) -> str:
    return f"tell of tale {number}"


class Turned:
    """Texts of one number are alike under each stamp, but what lies at number n under one stamp is
    at n + ``turn`` under another: whoever compares two spaces is sure, and always wrong."""

    dimensions = DIMENSIONS

    def __init__(self, stamp: str, turn: int) -> None:
        self.stamp, self.turn = stamp, turn
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += len(texts)
        rows = np.array([_row((_number(text) + self.turn) % NODES) for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _number(text: str) -> int:
    return int("".join(filter(str.isdigit, text)))


def _row(number: int) -> list[float]:
    drawn = random.Random(number)
    return [drawn.gauss(0, 1) for _ in range(DIMENSIONS)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten thousand nodes; a thousand questions, each led to the node of its number."""
    path: Path = tmp_path_factory.mktemp("grown") / "m.db"
    db = open_database(path)
    with db.transaction():
        for n in range(NODES):
            nodes.add(db, NewNode("user", f"tale {n}"), n)
        for n in range(POINTERS):
            made = questions.put(db, question(n), n)
            pointer = pointers.link(db, 0, n + 1, n)
            new = Key(pointer, 0, n + 1, made.id, made.family, 1, 1.0, 0, 0, 0, n)
            pointers.put_keys(db, [new], n)
    db.close()
    return path


@pytest.fixture
def reading(path: Path) -> Iterator[Database]:
    db = open_database(path, reading=True)
    yield db
    db.close()


def led(db: Database, resident: ResidentKeys, embedder: Turned, asked: str) -> list[int]:
    keys = resident.fresh(db, embedder.stamp)
    assert keys.stamp == embedder.stamp
    (vector,) = embedder.embed([asked])
    found, _ = follow(db, keys, vector, questions.normalised(asked), NODES, BARS)
    return [place for each in found for place in each.places]


def followed(db: Database, resident: ResidentKeys, embedder: Turned) -> int:
    """How many of some questions, in other words, are led to where they belong; none is led
    elsewhere, and in its own words each is led there at once."""
    right = 0
    for n in range(3, POINTERS, 10):
        there = led(db, resident, embedder, reworded(n))
        assert there in ([], [n + 1])
        right += there == [n + 1]
        assert led(db, resident, embedder, question(n)) == [n + 1]
    return right


async def settled(path: Path, embedder: Turned, *, patience: float = 600) -> Memory:
    memory = await Memory.open(path, embedder=embedder, clock=SetClock())
    await memory.settle(patience)
    return memory


async def test_no_two_spaces_are_ever_compared_and_all_shortcuts_work_after_the_change(
    path: Path, reading: Database
) -> None:
    # row 13
    first, second = Turned("first/1", 0), Turned("second/1", 10)
    resident = ResidentKeys()
    await (await settled(path, first)).close()
    assert followed(reading, resident, first) == POINTERS // 10

    assert followed(reading, resident, second) == 0, "nothing of the new stamp is known yet"
    memory = await Memory.open(path, embedder=second, clock=SetClock())
    grown = []
    while not grown or grown[-1] < POINTERS // 10:
        await memory.settle(0.01)
        grown.append(followed(reading, resident, second))
    assert grown == sorted(grown)
    await memory.close()
    assert len(questions.vectors_of(reading, "second/1", range(1, 2 * POINTERS))) == POINTERS

    assert followed(reading, resident, first) == POINTERS // 10, "and the way back is open"


async def test_what_is_interrupted_goes_on_and_each_text_is_embedded_once(path: Path) -> None:
    third = Turned("third/1", 20)
    for patience in (0.2, 600, 600):
        await (await settled(path, third, patience=patience)).close()
    assert third.asked == NODES + POINTERS


async def test_the_ladder_takes_the_shortcuts_again_after_the_change(path: Path) -> None:
    memory = await settled(path, Turned("fourth/1", 30))
    without: frozenset[Rung] = frozenset({"anchors", "near", "scan"})
    for n in range(3, POINTERS, 50):
        for words in (question(n), reworded(n)):
            found = await memory.recall(Query(words, without=without))
            assert [(hit.rung, hit.node.seq) for hit in found.hits] == [("pointers", n + 1)]
            assert found.hits[0].key == question(n)
    await memory.close()
