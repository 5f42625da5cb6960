"""Which past questions are like this one, and from what likeness on."""

from __future__ import annotations

import numpy as np
import pytest

from memory.recall.likeness import FEWEST, Likeness, terms
from memory.recall.pointers import FOLLOWED_QUESTIONS, Bars, choose, match
from memory.store import questions
from memory.store.keys import Keys
from memory.store.pointers import Key
from memory.store.questions import Question

from .conftest import NOW


def keys_of(texts: list[str], vectors: list[list[float]], targets: list[int]) -> Keys:
    """Past questions, each answered by one memory."""
    rows = np.array(vectors, dtype=np.float32).reshape(
        len(texts), len(vectors[0]) if vectors else 0
    )
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    asked = tuple(
        Question(n, text, questions.normalised(text), n, NOW, NOW)
        for n, text in enumerate(texts, start=1)
    )
    made = {
        n: (Key(n, 0, target, n, n, 1, 1.0, 0, 0, 0, NOW),)
        for n, target in enumerate(targets, start=1)
    }
    return Keys("drawn/1", asked, rows, made)


def test_endings_do_not_make_another_word_and_function_words_are_none() -> None:
    assert terms("Where are the painted fences?") == terms("Who paints a fence?")
    assert terms("服务器端口") == terms("服务器端口")


def test_the_name_tells_two_questions_apart_that_lie_at_the_same_place() -> None:
    texts = ["Where did Anna leave her bicycle?", "Where did Tom leave his bicycle?"]
    keys = keys_of(texts, [[1, 0], [1, 0]], [5, 6])
    covered = Likeness().coverage(keys, "At which spot has Tom left a bicycle?")
    assert covered[1] > covered[0] > 0
    found = choose(keys, keys.vectors[0], "", NOW, Bars(0.8, 0.5), covered)
    assert found.leads[0].key.target == 6


def test_the_bar_lies_above_most_unlike_questions_of_this_store() -> None:
    chance = np.random.default_rng(4)
    rows = chance.normal(size=(80, 8)) + 2.0
    texts = [f"question {n}" for n in range(80)]
    keys = keys_of(texts, rows.tolist(), list(range(1, 81)))
    bars = Likeness().bars(keys)
    cosines = (keys.vectors @ keys.vectors.T - 9 * np.eye(80)).astype(np.float32)
    unlike = match(cosines, np.zeros_like(cosines))
    above = (unlike.max(axis=1) >= bars.follow).mean()
    assert above <= 0.25
    assert bars.boost < 1.0
    assert bars.spread > 0.0


def test_questions_of_one_memory_do_not_raise_the_bar() -> None:
    rows = [[1.0, 0.01 * n] for n in range(40)]
    alike = keys_of([f"wording {n}" for n in range(40)], rows, [7] * 40)
    assert Likeness().bars(alike).follow == 1.0


def test_few_questions_lead_on_only_what_is_nearer_than_any_two_unlike_ones() -> None:
    few = FEWEST - 2
    rows = np.eye(few, dtype=np.float32) + 0.5
    keys = keys_of([f"thing {n}" for n in range(few)], rows.tolist(), list(range(1, few + 1)))
    nearest = float(np.sort(keys.vectors @ keys.vectors.T, axis=1)[:, -2].max())
    assert (1 + match(nearest, 0.0)) / 2 <= Likeness().bars(keys).follow < 1.0
    assert Likeness().bars(keys_of([], [], [])).follow == 1.0


def test_the_same_words_are_followed_without_any_vector() -> None:
    keys = keys_of(["Where is the key?"], [[0, 0]], [5])
    likeness = Likeness()
    covered = likeness.coverage(keys, "where is the KEY")
    words = questions.normalised("where is the KEY")
    found = choose(keys, None, words, NOW, likeness.bars(keys), covered)
    assert [lead.key.target for lead in found.leads] == [5]


def test_only_the_best_past_questions_are_followed_with_all_that_answered_them() -> None:
    texts = [f"question {n}" for n in range(6)]
    keys = keys_of(texts, [[1.0, 0.02 * n] for n in range(6)], list(range(1, 7)))
    both = (*keys.of[1], Key(9, 0, 60, 1, 1, 1, 1.0, 0, 0, 0, NOW))
    keys = Keys(keys.stamp, keys.questions, keys.vectors, {**keys.of, 1: both})
    found = choose(keys, keys.vectors[0], "", NOW, Bars(0.8, 0.5))
    assert len({lead.key.question for lead in found.leads}) == FOLLOWED_QUESTIONS
    assert {1, 60} <= {lead.key.target for lead in found.leads}


def test_a_crowd_of_half_like_questions_lifts_less_than_one_that_stands_out() -> None:
    def turned(*degrees: float) -> list[list[float]]:
        return [[float(np.cos(np.radians(d))), float(np.sin(np.radians(d)))] for d in degrees]

    bars = Bars(follow=0.99, boost=0.7, spread=0.1)
    asked = np.array([1.0, 0.0], dtype=np.float32)
    lone = choose(keys_of(["a"], turned(40), [1]), asked, "", NOW, bars).boosts
    texts = [f"question {n}" for n in range(9)]
    crowd = choose(keys_of(texts, turned(*[40] * 9), list(range(1, 10))), asked, "", NOW, bars)
    assert 0 < max(crowd.boosts.values()) < lone[1] <= 1.0


def test_a_question_that_a_memory_misled_sinks_it_within_bounds() -> None:
    keys = keys_of(["a"], [[1, 0]], [5])
    misled = Key(1, 0, 5, 1, 1, -1, 9.0, 0, 0, 0, NOW)
    keys = Keys(keys.stamp, keys.questions, keys.vectors, {1: (misled,)})
    found = choose(keys, keys.vectors[0], "", NOW, Bars(0.9, 0.5))
    assert found.boosts[5] == pytest.approx(-1.0, abs=0.3)
    assert list(found.vetoed) == [5]
