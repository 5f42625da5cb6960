"""A long memory shows the lines that the question is about."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.passages import fold, passages
from memory.context.render import render
from memory.store.segment import match_terms
from memory.tokens import estimate
from memory.types import Node

LOG = [
    f"12:00:{n % 60:02d} INFO worker {n % 17} served page {n} in {n % 97} ms" for n in range(9000)
]
NOTE = re.compile(r"\[… (\d+) characters left out[^\n]*…\]\n?")


def node(text: str) -> Node:
    return Node(1, "abc123def456", "tool", "shell", text, 1_700_000_000_000, "/p", "s", 1, {})


def shown(text: str, question: str, limit: int = 200) -> str:
    return render(node(text), limit, question).split("\n", 1)[1]


def with_lines(**lines: str) -> str:
    """The log with some lines replaced: ``at_500="…"``."""
    whole = list(LOG)
    for place, line in lines.items():
        whole[int(place.removeprefix("at_"))] = line
    return "\n".join(whole)


def test_the_line_that_the_question_is_about_is_shown_whole_with_its_neighbours() -> None:
    text = with_lines(at_5000="ERROR migration 0042 failed", at_5001="  column walrus is missing")

    words = shown(text, "why did the walrus migration fail?").split("\n")

    place = words.index("ERROR migration 0042 failed")
    assert words[place + 1] == "  column walrus is missing"
    assert words[place - 1] == LOG[4999]
    assert words[place + 2] == LOG[5002]
    assert set(words[1:-1]) <= set(text.split("\n"))


def test_notes_count_what_is_left_out_and_the_first_names_the_address() -> None:
    text = with_lines(at_3000="the walrus sleeps", at_7000="the heliotrope blooms")

    words = shown(text, "walrus and heliotrope")

    assert words.index("the walrus sleeps") < words.index("the heliotrope blooms")
    notes = list(NOTE.finditer(words))
    assert len(notes) == 3
    assert "; recall mem://abc123def456 brings the whole" in notes[0][0]
    assert words.count("mem://") == 1
    kept = NOTE.sub("", words)
    # Each note between two passages stands in a line of its own.
    assert sum(int(note[1]) for note in notes) + len(kept) == len(text) + 2


def test_rare_words_choose_before_common_ones() -> None:
    text = with_lines(at_8000="walrus")

    assert "\nwalrus\n" in shown(text, "which worker served the walrus page in ms, INFO", 60)


def test_a_line_that_holds_more_of_the_question_comes_before_one_that_holds_less() -> None:
    text = with_lines(at_2000="the port is closed", at_6000="the port of the walrus is 8080")

    words = shown(text, "port of the walrus", 40)

    assert "the port of the walrus is 8080" in words
    assert "the port is closed" not in words


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("she was running late", "who runs?"),
        ("all migrations are done", "migration"),
        ("def getUserName(self):", "user"),
        ("数据库迁移失败了", "数据库的迁移为什么失败"),
        ("Straßen in München", "munchen"),
        ("ＥＲＲＯＲ ４２", "error 42"),
        ("ログイン処理の修正", "ログイン"),
        ("İstanbul Office", "office"),
        ("ΟΔΥΣΣΕΥΣ", "Οδυσσευς"),
        ("caching is on", "cache"),
    ],
)
def test_words_are_found_in_other_forms_and_scripts(line: str, question: str) -> None:
    assert line in shown(with_lines(at_4000=line), question)


def test_a_short_word_is_not_found_inside_another() -> None:
    text = with_lines(at_2000="the rapid one", at_6000="the api answers")

    words = shown(text, "api", 60)

    assert "the api answers" in words
    assert "rapid" not in words


def test_a_giant_line_shows_the_part_around_the_word() -> None:
    text = "{" + '"key":1,' * 200_000 + '"walrus":"heliotrope",' + '"key":2,' * 200_000 + "}"

    words = shown(text, "walrus", 100)

    assert '"walrus":"heliotrope"' in words
    assert estimate(words) < 160


@pytest.mark.parametrize("question", ["", "hello there", "the of and", "…", "zebra"])
def test_without_a_word_of_the_question_head_and_tail_are_shown(question: str) -> None:
    assert shown("\n".join(LOG), question) == shown("\n".join(LOG), "")
    assert shown("\n".join(LOG), "").startswith(LOG[0])
    assert shown("\n".join(LOG), "").endswith(LOG[-1])


def test_a_short_text_is_shown_whole_whatever_is_asked() -> None:
    assert shown("one\nwalrus\nthree", "walrus") == "one\nwalrus\nthree"


def test_line_ends_of_two_characters_become_one() -> None:
    text = with_lines(at_4000="the walrus").replace("\n", "\r\n")

    words = shown(text, "walrus")

    assert "\r" not in words
    assert "\n\n" not in words
    assert LOG[3999] + "\nthe walrus\n" + LOG[4001] in words


def test_a_question_as_long_as_a_page_shows_the_line_that_it_is_about() -> None:
    text = with_lines(at_4000="walrus heliotrope")
    page = " ".join(f"word{n}" for n in range(100))

    assert "walrus heliotrope" in shown(text, f"{page} walrus served pages {page}")


@given(st.text(max_size=300))
def test_folding_keeps_every_place(text: str) -> None:
    assert len(fold(text)) == len(text)


LINES = st.lists(
    st.one_of(
        st.sampled_from(
            ["", "walrus", "the port is 8080", "数据库迁移失败", "x" * 300, "a walrus " * 20]
        ),
        st.text(max_size=40),
    ),
    max_size=60,
)


@given(
    LINES, st.sampled_from(["walrus", "port 8080", "迁移", "walrus port x"]), st.integers(1, 200)
)
def test_passages_stand_in_order_apart_and_within_the_limit(
    lines: list[str], question: str, limit: int
) -> None:
    text = "\n".join(lines)

    spans = passages(text, question, limit)

    places = [place for span in spans for place in span]
    assert places == sorted(places)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(later[0] - earlier[1] > 1 for earlier, later in pairwise(spans))
    assert sum(estimate(text[start:end]) for start, end in spans) <= limit * 1.1 + 40
    body = render(node(text), limit, question)
    assert body == render(node(text), limit, question)
    assert estimate(body) <= limit * 1.5 + 120
    if spans and estimate(text) > limit + 60:
        folded = fold(body)
        assert any(term in folded for term in match_terms(question))
