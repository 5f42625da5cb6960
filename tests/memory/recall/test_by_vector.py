"""Finding by meaning, and what counts as near."""

from __future__ import annotations

import numpy as np

from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from memory.hyperspace.embedders.static_embedder import StaticEmbedder
from memory.recall import by_vector, chance
from memory.store import vectors

from .conftest import Store


def test_meaning_finds_what_shares_no_word(diary: Store) -> None:
    embedder = StaticEmbedder()
    diary.embed_all(embedder)
    hits = diary.recall("automobile battery charge percentage display", embedder).hits
    assert hits[0].node.text == "The battery indicator lies below five percent."
    assert "vector" in hits[0].ways


def test_the_bar_is_learned_from_the_store_and_the_same_each_time(diary: Store) -> None:
    embedder = NgramEmbedder()
    space = vectors.known_space(diary.db, embedder.stamp)
    assert space is not None
    bars = [
        by_vector.NullDistribution().bar(diary.db, space, 200, "which token?") for _ in range(2)
    ]
    assert bars[0] == bars[1]
    assert 0 < bars[0] < 1


def test_a_small_store_knows_no_chance(store: Store) -> None:
    store.add("one lonely memory about gardens")
    store.embed_all(NgramEmbedder())
    nulls = by_vector.NullDistribution()
    (found,) = by_vector.near(store.db, NgramEmbedder(), "gardens and memory", 5, nulls)
    assert len(found.ranking) == 1
    assert found.sure == frozenset()


def test_vectors_of_another_stamp_are_not_asked(store: Store) -> None:
    store.add("something to embed")
    store.embed_all(NgramEmbedder())
    nulls = by_vector.NullDistribution()
    assert by_vector.near(store.db, StaticEmbedder(), "embed something", 5, nulls) == []


def test_a_question_without_direction_finds_nothing(store: Store) -> None:
    store.add("something to embed")
    store.embed_all(NgramEmbedder())
    (found,) = by_vector.near(store.db, NgramEmbedder(), "!!!", 5, by_vector.NullDistribution())
    assert found.ranking == ()
    assert not np.any(NgramEmbedder().embed(["!!!"]))


def test_what_chance_brings_is_kept_with_the_stamp_and_read_again(diary: Store) -> None:
    embedder = NgramEmbedder()
    found = chance.measured(diary.db, embedder)
    (key,) = found
    assert embedder.stamp in key
    with diary.db.transaction():
        chance.keep(diary.db, {key: {**found[key], "narrow": 0.123}})
    try:
        assert chance.measured(diary.db, embedder) == {}
        space = vectors.known_space(diary.db, embedder.stamp) or 0
        stored = vectors.count(diary.db, space)
        bar = by_vector.NullDistribution().bar(diary.db, space, stored, "which token?")
        assert bar == 0.123
    finally:
        diary.db.execute("DELETE FROM kv WHERE key = ?", (key,))
