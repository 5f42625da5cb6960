"""Recall as a whole: what it brings, in which order, and when it keeps still."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory.hyperspace.embedders.ngram_embedder import NgramEmbedder
from memory.hyperspace.embedders.static_embedder import StaticEmbedder
from memory.recollection import Query
from memory.store import extension, vectors
from memory.store.errors import Busy

from .conftest import Store
from .diary import SENTENCES

SMALL_TALK = [
    "hello", "hi there!", "Good morning", "thanks a lot", "ok", "yes please", "how are you?",
    "what is this?", "why", "", "???", "你好", "谢谢", "好的", "早上好", "こんにちは", "안녕하세요",
]  # fmt: skip
ELSEWHERE = [
    "Which orchid blooms longest in a shaded garden?",
    "Who won the football championship in 1974?",
    "红烧肉怎么做才好吃",
    "Recommend a hiking trail near the glacier",
]
ALLOWED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
EMBEDDERS = [None, NgramEmbedder(), StaticEmbedder()]


class Untouchable:
    """An embedder that must not be asked for anything but its name."""

    stamp = "untouchable/1"
    dimensions = 4

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        pytest.fail("loaded")


class Failing:
    """An embedder that has a name and fails at whatever it is asked."""

    stamp = NgramEmbedder().stamp
    dimensions = NgramEmbedder().dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise RuntimeError("no weights left")


class Falling:
    """An embedder whose name changes when it is asked, as one does that cannot load."""

    dimensions = NgramEmbedder().dimensions

    def __init__(self) -> None:
        self.stamp = "wanted/1"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.stamp = NgramEmbedder().stamp
        return NgramEmbedder().embed(texts)


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=["none", "ngram", "static"])
@pytest.mark.parametrize("question", SMALL_TALK + ELSEWHERE)
def test_a_greeting_or_an_unrelated_question_brings_nothing(
    diary: Store, question: str, embedder
) -> None:
    if isinstance(embedder, StaticEmbedder):
        diary.embed_all(embedder)
    assert diary.texts(question, embedder) == []


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("why did the login fail with the token?", "The login bug came from a token"),
        ("what ceiling has the retry policy?", "We moved the retry policy"),
        ("renaming user_id", "Please rename the column"),
        ("缓存命中率为什么下降", "缓存命中率从九成降到三成"),
        ("数据库迁移", "数据库迁移脚本"),
        ("トークン更新", "ログイン処理の"),
        ("토큰 만료", "로그인 토큰의"),
        ("libpq", "The nightly build fails"),
    ],
)
def test_a_question_finds_what_was_said_about_it(diary: Store, question: str, start: str) -> None:
    for embedder in EMBEDDERS[:2]:
        assert diary.texts(question, embedder)[0].startswith(start)


@settings(max_examples=40, suppress_health_check=ALLOWED)
@given(st.sampled_from(SENTENCES))
def test_every_sentence_finds_itself_first(diary: Store, sentence: str) -> None:
    assert diary.texts(sentence, NgramEmbedder())[0] == sentence


@settings(max_examples=40, suppress_health_check=ALLOWED)
@given(st.text(st.characters(), max_size=80))
def test_no_question_makes_recall_raise(diary: Store, question: str) -> None:
    found = diary.recall(Query(question, limit=3), NgramEmbedder())
    assert len(found.hits) <= 3


def test_the_same_question_has_the_same_answer(diary: Store) -> None:
    first, second = (diary.recall("the token expired", NgramEmbedder()) for _ in range(2))
    assert first.hits == second.hits
    assert first.ways == second.ways == ("text", "vector")
    assert first.ms > 0


def test_full_text_serves_before_anything_is_embedded(store: Store) -> None:
    store.add("the deploy key lives in the vault")
    found = store.recall("where is the deploy key?", Untouchable())
    assert found.ways == ("text",)
    assert [hit.ways for hit in found.hits] == [("text",)]


def test_nothing_is_excluded_for_its_project_and_the_own_one_comes_first(store: Store) -> None:
    store.add("the parser is recursive descent", project="/mine")
    store.add("the parser is table driven", project="/other")
    found = store.texts(Query("which parser", project="/mine"))
    assert found == ["the parser is recursive descent", "the parser is table driven"]
    assert store.texts(Query("which parser", project="/other"))[0] == "the parser is table driven"


def test_the_own_project_lifts_nothing_over_the_bar(diary: Store) -> None:
    for question in ELSEWHERE:
        assert diary.recall(Query(question, project="/work"), NgramEmbedder()).hits == ()


def test_words_of_people_come_before_tool_output_of_the_same_words(store: Store) -> None:
    store.add("timeout of the gateway is forty", role="user")
    store.add("gateway timeout is forty of the", role="tool", kind="shell")
    hits = store.recall("gateway timeout").hits
    assert [hit.node.role for hit in hits] == ["user", "tool"]


def test_a_repeated_text_comes_once_and_newest(store: Store) -> None:
    store.add("Run the linter, please!", hours_ago=9)
    newest = store.add("run the linter   please", hours_ago=2)
    assert [hit.node.seq for hit in store.recall("linter").hits] == [newest.seq]


def test_equal_hits_come_newest_first(store: Store) -> None:
    made = [store.add(f"alpha release{sign}", session=str(n)) for n, sign in enumerate("abc")]
    found = [hit.node.seq for hit in store.recall("alpha").hits]
    assert found == [node.seq for node in reversed(made)]


def test_the_reply_comes_with_the_question_that_matches(store: Store) -> None:
    store.add("which port does the preview use?", session="a", turn=1)
    store.add("x" * 50, session="a", turn=1, role="tool", kind="shell")
    store.add("It listens on 4711.", session="a", turn=1, role="assistant")
    store.add("unrelated words", session="b")
    found = store.texts("preview port")
    assert found == ["which port does the preview use?", "It listens on 4711."]


def test_a_long_question_is_answered_though_no_memory_covers_it(store: Store) -> None:
    for sentence in SENTENCES[:60]:
        store.add(sentence)
    trace = " ".join(f"frame{n} module{n} call{n}" for n in range(30))
    found = store.texts(f"{trace} orphaned index on orders after rolling back migration {trace}")
    assert found[0].startswith("Rolling back migration 0042")


def test_a_limit_of_nothing_brings_nothing(diary: Store) -> None:
    assert diary.recall(Query("the login token", limit=0)).hits == ()


def test_the_clock_of_the_question_counts_when_it_has_one(store: Store) -> None:
    said = store.add("we chose the blue theme", hours_ago=24 * 30 + 20)
    month_ago = said.at + 24 * 3_600_000
    assert store.texts(Query("what did we choose yesterday", now=month_ago)) == [said.text]


def test_a_failing_embedder_leaves_words_and_time_and_says_why(diary: Store) -> None:
    found = diary.recall(Query("did the login fail with the token yesterday?", limit=99), Failing())

    assert any(hit.node.text.startswith("The login bug came from") for hit in found.hits)
    assert found.ways == ("text", "time")
    assert not found.complete
    assert "no weights left" in found.notice


def test_a_missing_extension_leaves_words_and_says_what_to_do(
    diary: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diary.db, "vectors_loaded", False)
    monkeypatch.setattr(extension, "find_spec", lambda name: None)

    found = diary.recall("why did the login fail with the token?", NgramEmbedder())

    assert found.hits[0].node.text.startswith("The login bug came from")
    assert (found.ways, found.complete) == (("text",), False)
    assert "sqlite-vec" in found.notice
    assert "Install growbox again" in found.notice


def test_an_extension_that_does_not_load_is_no_broken_file(
    diary: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vec0.so").write_text("no library")
    broken = ModuleSpec("sqlite_vec", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(diary.db, "vectors_loaded", False)
    monkeypatch.setattr(extension, "find_spec", lambda name: broken)

    found = diary.recall("why did the login fail with the token?", NgramEmbedder())

    assert not found.complete
    assert "does not load" in found.notice


def test_a_file_that_fails_under_vectors_is_not_taken_for_missing_vectors(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add("the deploy key lies in the vault")
    store.embed_all(NgramEmbedder())

    def busy(*_: object) -> None:
        raise Busy("held")

    monkeypatch.setattr(vectors, "nearest", busy)
    with pytest.raises(Busy):
        store.recall("where is the deploy key?", NgramEmbedder())


def test_vectors_are_never_compared_with_those_of_the_embedder_that_did_not_load(
    store: Store,
) -> None:
    store.add("the deploy key lies in the vault")
    space = vectors.space_of(store.db, "wanted/1", Falling.dimensions)
    ones = np.ones(Falling.dimensions, np.float32).tobytes()
    vectors.put(store.db, space, [(1, ones)])

    fallen = store.recall("where is the deploy key?", Falling())
    assert (fallen.ways, fallen.complete) == (("text",), False)
    assert "wanted/1 does not load" in fallen.notice

    store.embed_all(NgramEmbedder())
    settled = store.recall("where is the deploy key?", Falling())
    assert (settled.ways, settled.complete, settled.notice) == (("text", "vector"), True, "")


def test_what_can_be_asked_whole_is_complete(diary: Store) -> None:
    found = diary.recall("why did the login fail with the token?", NgramEmbedder())

    assert (found.ways, found.complete, found.notice) == (("text", "vector"), True, "")
