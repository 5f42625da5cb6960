"""The map from questions to answers: learned from pairs, and only where it helps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.recall.learned_weights import FEWEST_PAIRS, QueryMaps, fit, gains
from memory.store import pointers, questions, vectors
from memory.store.keys import ResidentKeys

from .conftest import NOW, Store

SIZE = 16
STAMP = "drawn/1"


def drawn(pairs: int, noise: float, seed: int = 1) -> tuple[NDArray[np.float32], ...]:
    """Questions, and answers that lie turned away from them, as far as there is no noise."""
    chance = np.random.default_rng(seed)
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(SIZE, SIZE)))[0]
    asked = unit(chance.normal(size=(pairs, SIZE)))
    told = unit(asked @ turned + noise * chance.normal(size=(pairs, SIZE)))
    return asked, told


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")
    return made


def test_an_answer_that_lies_elsewhere_is_found_by_what_pairs_taught() -> None:
    made = fit(*drawn(200, 0.05))
    assert made is not None
    asked, told = drawn(50, 0.05, seed=2)
    moved = np.stack([made.apply(row) for row in asked])
    assert np.allclose(np.linalg.norm(moved, axis=1), 1.0, atol=1e-5)
    assert ((moved @ told.T).argmax(axis=1) == np.arange(50)).mean() > 0.9
    assert ((asked @ told.T).argmax(axis=1) == np.arange(50)).mean() < 0.3


def test_where_questions_lie_at_their_answers_or_anywhere_nothing_is_learned() -> None:
    asked, _ = drawn(200, 0.0)
    assert fit(asked, asked) is None
    elsewhere, _ = drawn(200, 0.0, seed=3)
    noisy = fit(asked, elsewhere)
    assert noisy is None or np.linalg.norm(noisy.shift) < 4.0


def test_few_pairs_teach_nothing() -> None:
    asked, told = drawn(FEWEST_PAIRS - 1, 0.05)
    assert fit(asked, told) is None


def learn(store: Store, asked: NDArray[np.float32], told: NDArray[np.float32]) -> list[int]:
    """Past questions that were answered, with vectors of both; the positions of the answers."""
    space = vectors.space_of(store.db, STAMP, SIZE)
    places = [store.add(f"answer {number}").seq for number in range(len(told))]
    vectors.put(store.db, space, [(p, row.tobytes()) for p, row in zip(places, told, strict=True)])
    for number, (place, row) in enumerate(zip(places, asked, strict=True)):
        question = questions.put(store.db, f"question {number}", NOW)
        led = pointers.link(store.db, 0, place, NOW)
        new = (led, 0, place, question.id, question.family, 1, 1.0, 0, 0, 0, NOW)
        pointers.put_keys(store.db, [pointers.Key(*new)], NOW)
        questions.put_vectors(store.db, STAMP, [(question.id, row.tobytes())])
    return places


def test_the_map_of_a_store_lifts_the_answer_among_what_was_found(store: Store) -> None:
    asked, told = drawn(300, 0.05)
    with store.db.transaction():
        places = learn(store, asked, told)
    made = QueryMaps().fresh(store.db, ResidentKeys().fresh(store.db, STAMP))
    assert made is not None
    found = gains(store.db, made, STAMP, asked[7], [*places, places[-1] + 1_000])
    assert set(found) == set(places)
    assert max(found, key=lambda place: found[place]) == places[7]


def test_a_store_that_learned_nothing_has_no_map(store: Store) -> None:
    assert QueryMaps().fresh(store.db, ResidentKeys().fresh(store.db, STAMP)) is None
