"""One score for all that words and vectors named."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memory.recall import by_text, by_vector, mixing, neighbours
from memory.settling import Settling
from memory.store import token_codes, vectors
from memory.store.errors import VectorsUnavailable

from .conftest import Store

QUESTION = "Which animals does Anna keep?"


class Marked:
    """An embedder whose texts are all alike, and whose late interaction answers by a mark: the
    more marks a text holds the better it answers."""

    stamp = "marked/1"
    dimensions = 4

    def __init__(self, mark: str = "*", fails: bool = False) -> None:
        self._mark, self._fails = mark, fails
        self.late = self

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.tile(np.float32([0.5, 0.5, 0.5, 0.5]), (len(texts), 1))

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        return [bytes([1 + text.count(self._mark)]) for text in texts]

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        if self._fails:
            raise RuntimeError("no weights")
        return np.array([code[0] / 10 for code in codes], dtype=np.float32)


def settled(store: Store, embedder: Marked) -> None:
    settling = Settling(embedder)
    while batch := settling.pending(store.db):
        settling.put(store.db, batch.space, settling.embed(batch))
        settling.done(batch)


def mixed(store: Store, embedder: Marked | None, question: str = QUESTION) -> mixing.Mixed:
    chance = by_vector.NullDistribution()
    near = by_vector.near(store.db, embedder, question, 60, chance) if embedder else []
    return mixing.mixed(store.db, question, by_text.find(store.db, question, 50), near)


def best(found: mixing.Mixed) -> int:
    return max(found.scores, key=lambda place: found.scores[place][0])


def talk(store: Store, *texts: str) -> list[int]:
    return [store.add(text, session="s").seq for text in texts]


def test_what_answers_stands_before_what_repeats_the_words(store: Store) -> None:
    _, answer, *_ = talk(store, "Anna, which animals?", "Bees. **", "Rain again.", "Late trams.")
    settled(store, Marked())
    assert best(mixed(store, Marked())) == answer


def test_without_codes_words_and_what_stands_beside_them_decide(store: Store) -> None:
    asked, *_ = talk(store, "Anna keeps animals.", "Bees.", "Rain.", "Trams.", "Soup.", "Chess.")
    assert best(mixed(store, None)) == asked


def test_a_reply_without_a_word_of_the_question_is_a_candidate(store: Store) -> None:
    _, reply, *_ = talk(store, "Which animals does Anna keep?", "Two hives.", "a", "b", "c", "d")
    found = mixed(store, None)
    assert reply in found.scores
    assert reply in found.beside
    assert reply not in found.sure


def test_the_mix_does_not_depend_on_which_way_named_a_memory_first(store: Store) -> None:
    talk(store, "Anna *", "animals **", "keep", "nothing", "Anna keeps animals ***")
    settled(store, Marked())
    assert mixed(store, Marked()) == mixed(store, Marked())


def test_what_has_not_settled_is_found_by_its_words(store: Store) -> None:
    talk(store, "Anna was here.", "It rained. *", "We ate.")
    settled(store, Marked())
    (fresh,) = talk(store, "Anna keeps bees and other animals.")
    assert best(mixed(store, Marked())) == fresh


def test_late_interaction_that_fails_is_said(store: Store) -> None:
    talk(store, "Anna keeps animals.", "Bees. *")
    settled(store, Marked())
    with pytest.raises(VectorsUnavailable, match="no weights"):
        mixing.mixed(
            store.db,
            QUESTION,
            by_text.find(store.db, QUESTION, 50),
            [
                by_vector.Near(
                    Marked(fails=True), 1, b"\0\0\0\x3f" * 4, (), frozenset(), by_vector.UNREACHABLE
                )
            ],
        )


def test_an_answer_above_chance_is_sure_though_no_word_agrees(store: Store) -> None:
    *_, answer = talk(store, *(f"Day {day} passed." for day in range(40)), "Hives. " + "*" * 8)
    settled(store, Marked())
    found = mixed(store, Marked(), "Which pets has the neighbour got?")
    assert answer in found.sure


def test_codes_go_with_the_vector(store: Store) -> None:
    (place,) = talk(store, "Bees. *")
    settled(store, Marked())
    space = vectors.known_space(store.db, "marked/1") or 0
    assert token_codes.of(store.db, space, [place]) == {place: b"\x02"}
    vectors.drop(store.db, space, [place])
    assert token_codes.of(store.db, space, [place]) == {}


def test_codes_without_a_vector_are_not_kept(store: Store) -> None:
    (place,) = talk(store, "Bees.")
    space = vectors.space_of(store.db, "marked/1", 4)
    with store.db.transaction():
        token_codes.put(store.db, space, [(place, b"x")])
    assert token_codes.of(store.db, space, [place]) == {}


def test_a_window_stays_in_its_session_and_skips_what_hands_printed(store: Store) -> None:
    first, second = talk(store, "one", "two")
    store.add("printed", session="s", role="tool")
    (third,) = talk(store, "three")
    store.add("elsewhere", session="other")
    assert neighbours.windows(store.db, [second, third], 2) == {
        second: (first, third),
        third: (second, first),
    }


def test_a_piece_stands_beside_pieces_of_its_own_text_and_what_was_said_around_it(
    new_store: Callable[[], Store],
) -> None:
    store = new_store()
    (before,) = talk(store, "before")
    long = " ".join(
        f"Sentence number {n} says a thing of its own, at some length." for n in range(60)
    )
    talk(store, long)
    (after,) = talk(store, "after")
    ids = [place for (place,) in store.db.rows("SELECT -id FROM pieces ORDER BY lo")]
    assert len(ids) > 3
    windows = neighbours.windows(store.db, [ids[0], ids[1], before, after], 1)
    assert windows[ids[0]] == (before, ids[1])
    assert windows[ids[1]] == (ids[0], ids[2])
    assert windows[before] == (ids[0],)
    assert windows[after] == (ids[-1],)


def test_chinese_keeps_pairs_that_only_look_like_function_words(store: Store) -> None:
    street, *_ = talk(store, "成都道是香港的一条街道。", "我们都去了那个地方。", "天气很好。")
    found = by_text.find(store.db, "成都道在什么地方？", 5)
    assert found.ranking[0][0] == street


def test_a_store_in_two_scripts_ranks_each_by_its_own_signals(store: Store) -> None:
    assert set(mixing.WEIGHTS) >= {"user", "assistant", "tool", "code", "wide", "bare"}
    english, chinese = talk(store, "The login fails at night.", "登录失败的原因是令牌过期。")
    assert best(mixed(store, None, "登录为什么失败？")) == chinese
    assert best(mixed(store, None, "Why does the login fail?")) == english
