"""A store to recall from, filled in a few words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import pytest

from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from memory.protocols import Embedder
from memory.recall import by_vector, ladder
from memory.recollection import Hit, Query, Recollection
from memory.store import nodes, pieces, vectors
from memory.store.database import Database, open_database
from memory.types import NewNode, Node

NOW = round(datetime(2026, 5, 6, 12, tzinfo=UTC).timestamp() * 1000)


class StandingClock:
    """Noon of 6 May 2026, always."""

    def now(self) -> int:
        return NOW


class Store:
    """A memory file and the few verbs that the tests need."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def add(self, text: str, hours_ago: float = 1, **facts: object) -> Node:
        new = replace(NewNode("user", text), **facts)
        with self.db.transaction():
            return nodes.add(self.db, new, NOW - round(hours_ago * 3_600_000))

    def embed_all(self, embedder: Embedder) -> None:
        space = vectors.space_of(self.db, embedder.stamp, embedder.dimensions)
        waiting = vectors.pending(self.db, space, 10_000)
        rows = embedder.embed([text for _, text in waiting])
        put = [(seq, row.tobytes()) for (seq, _), row in zip(waiting, rows, strict=True)]
        vectors.put(self.db, space, put)

    def recall(self, query: Query | str, embedder: Embedder | None = None) -> Recollection:
        """What words, vectors and time bring: one step of the ladder, without a judge."""
        asked = Query(query) if isinstance(query, str) else query
        now = NOW if asked.now is None else asked.now
        chance = by_vector.NullDistribution()
        started = perf_counter()
        found = ladder.near(self.db, asked, embedder, chance, now, zone=UTC)
        told = {place: (score, ways) for place, score, ways in found.brought}
        hits = tuple(
            Hit(each.node, *told[each.place], piece=each.piece)
            for each in pieces.hits(self.db, told, asked.limit)
        )
        notice = " ".join(filter(None, (found.notice, found.failure)))
        took = (perf_counter() - started) * 1000
        return Recollection(asked.text, hits, found.ways, took, not found.failure, notice)

    def texts(self, query: Query | str, embedder: Embedder | None = None) -> list[str]:
        return [hit.node.text for hit in self.recall(query, embedder).hits]


@pytest.fixture(scope="session")
def new_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Store]]:
    opened: list[Database] = []

    def make() -> Store:
        path: Path = tmp_path_factory.mktemp("store") / "memory.db"
        opened.append(open_database(path))
        return Store(opened[-1])

    yield make
    for db in opened:
        db.close()


@pytest.fixture
def store(new_store: Callable[[], Store]) -> Store:
    return new_store()


@pytest.fixture(scope="session")
def diary(new_store: Callable[[], Store]) -> Store:
    """Two hundred sentences, ten to a session, all embedded. Only to be read."""
    from tests.memory.recall.diary import SENTENCES

    made = new_store()
    with made.db.transaction():
        for place, sentence in enumerate(SENTENCES):
            made.add(sentence, hours_ago=1_000 - place, session=f"s{place // 10}", project="/work")
    made.embed_all(NgramEmbedder())
    return made
