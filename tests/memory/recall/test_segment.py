"""Cutting text into words: any script, any input."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.store import fulltext
from memory.store.database import open_database
from memory.store.segment import MAX_TERMS, holds_together, match_terms, segment

WORDS = st.one_of(
    st.text(alphabet="abcXYZ09_", min_size=1, max_size=12),
    st.text(alphabet="登录接口数据库迁移失败", min_size=1, max_size=6),
    st.text(alphabet="ログイン処理修正", min_size=1, max_size=6),
    st.text(alphabet="로그인오류수정", min_size=1, max_size=6),
    st.text(alphabet="éüßñçøåИванмир", min_size=1, max_size=8),
    st.sampled_from(["C++", "95%", "C:\\Users", "getUserName", "snake_case", "a:b", "src/app.py"]),
)


@given(st.text(st.characters(), max_size=300))
def test_no_input_makes_the_cut_raise(text: str) -> None:
    assert '"' not in segment(text)
    assert all(term and " " not in term and '"' not in term for term in match_terms(text))


@given(st.lists(WORDS, min_size=1, max_size=8))
def test_every_term_of_a_texts_own_words_is_among_its_words(words: list[str]) -> None:
    stored = set(segment(" ".join(words)).split())
    for word in words:
        assert set(match_terms(word)) <= stored


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("用户登录接口返回 500", "登录"),
        ("用户登录接口返回 500", "登"),
        ("ログイン処理のバグを修正", "ログイン"),
        ("ﾛｸﾞｲﾝ", "ログイン"),
        ("로그인 오류 수정", "오류"),
        ("ＦＴＳ５ 检索", "fts5"),
        ("class HTTPServer2Handler", "server"),
        ("call getUserName()", "get_user_name"),
        ("the config.snake_case key", "snake"),
        ("path is C:\\Users\\张三", "C:\\Users"),
        ("缓存命中率 95%", "95%"),
        ("C++ 模板", "c++"),
        ("he was running", "runs"),
        ("Straße in München", "STRASSE munchen"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("a\x00b NUL", "nul"),
        ("NOT AND OR NEAR", "not"),
    ],
)
def test_what_is_stored_is_found(tmp_path: Path, text: str, asked: str) -> None:
    db = open_database(tmp_path / "memory.db")
    with db.transaction():
        fulltext.index(db, 1, text)
        fulltext.index(db, 2, "something else 別のこと 다른")
    found = fulltext.matches(db, match_terms(asked), 10)
    db.close()
    assert found[0][0] == 1


@pytest.mark.parametrize("asked", ["", "*", "(", '""', "…", "\ud800", "- : ^"])
def test_a_question_without_words_has_no_terms(asked: str) -> None:
    assert match_terms(asked) == []


def test_function_words_go_while_something_else_remains() -> None:
    assert match_terms("what is the login bug?") == ["login", "bug"]
    assert match_terms("NOT") == ["not"]
    assert match_terms("数据库的迁移是什么") == ["数据", "据库", "迁移"]
    assert match_terms("什么") == ["什么"]


def test_words_that_hold_together_are_told_from_words_that_mean() -> None:
    assert all(map(holds_together, ["the", "的", "什么", "です", "のは"]))
    assert not any(map(holds_together, ["login", "登录", "修正", "오류"]))


def test_an_identifier_has_its_parts_and_a_hash_has_none() -> None:
    assert segment("parseHTTPHeader") == "parsehttpheader parse http header"
    assert segment("a3f9b2c81d") == "a3f9b2c81d"


LINES = 50_000
"""Lines of a hundred characters in a text of five megabytes."""


def test_a_word_anywhere_in_five_megabytes_is_indexed() -> None:
    lines = ["an ordinary line of some output".ljust(99)] * LINES
    for place in (0, 3_000, LINES // 2, LINES - 1):
        lines[place] = f"walrus{place}"

    words = segment("\n".join(lines)).split()

    assert {"walrus0", "walrus3000", "walrus25000", "walrus49999"} <= set(words)


@pytest.mark.parametrize("letter", ["x", "ж", "长"])
def test_of_a_giant_text_head_and_tail_are_indexed(letter: str) -> None:
    wide = len(letter.encode())
    filler = f"{letter}\n" * (2_500_000 // (wide + 1))

    words = segment(f"first {filler} second {filler} middle {filler} third {filler} last").split()

    assert {"first", "second", "last", letter} <= set(words)
    assert "middle" not in words


def test_two_million_chinese_characters_are_indexed_whole() -> None:
    assert " 中 间 " in segment("长" * 999_000 + "。中间。" + "长" * 999_000)


def test_a_question_has_a_bounded_number_of_terms() -> None:
    assert len(match_terms(" ".join(f"word{n}" for n in range(5_000)))) == MAX_TERMS


def test_accents_that_stand_apart_are_the_accents_that_are_composed() -> None:
    composed, apart = "café " * 600, "cafe\u0301 " * 600
    assert segment(apart) == segment(composed)


def test_piled_up_accents_still_give_words() -> None:
    assert segment("a" + "\u0301\u0323" * 5_000).startswith("\u1ea1")
