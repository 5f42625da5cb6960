from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.render import minute, render, shown_ids
from memory.tokens import estimate
from memory.types import Node


def node(text: str, *, role: str = "user", kind: str = "", at: int = 1_700_000_000_000) -> Node:
    return Node(1, "abc123def456", role, kind, text, at, "/p", "s", 1, {})  # type: ignore[arg-type]


def test_a_memory_says_where_when_and_who_before_it_speaks() -> None:
    body = render(node("We use port 8080."), 100)

    assert body == "--- mem://abc123def456 2023-11-14 22:13 UTC user ---\nWe use port 8080."
    assert shown_ids(body) == ("abc123def456",)


@pytest.mark.parametrize(
    ("role", "kind", "who"),
    [
        ("user", "", "user"),
        ("assistant", "", "assistant"),
        ("tool", "shell", "tool:shell"),
        ("tool", "", "tool"),
    ],
)
def test_the_speaker_is_named(role: str, kind: str, who: str) -> None:
    assert render(node("x", role=role, kind=kind), 100).splitlines()[0].endswith(f"UTC {who} ---")


def test_a_long_memory_loses_its_middle_and_names_the_address_of_the_whole() -> None:
    text = "START " + "middle " * 5000 + "END"

    body = render(node(text), 100)

    head, words = body.split("\n", 1)
    assert words.startswith("START ")
    assert words.endswith("END")
    assert "recall mem://abc123def456 brings the whole" in words
    assert estimate(body) < 100 + estimate(head) + 40


@given(st.text(max_size=2000), st.integers(1, 300))
def test_a_rendered_memory_is_within_its_limit_and_always_the_same(text: str, limit: int) -> None:
    body = render(node(text), limit)

    assert body == render(node(text), limit)
    assert "\r" not in body
    assert estimate(unicodedata.normalize("NFC", body)) <= limit * 1.5 + 90


@pytest.mark.parametrize("at", [0, -1, -(10**17), 10**18])
def test_a_broken_clock_makes_no_memory_unreadable(at: int) -> None:
    assert shown_ids(render(node("x", at=at), 10)) == ("abc123def456",)


def test_a_damaged_memory_says_so() -> None:
    bad = Node(1, "abc123def456", "user", "", "x", 0, "", "", 0, {"damaged": True})

    assert "damaged on disk" in render(bad, 10)


def test_addresses_in_passing_are_not_shown_memories() -> None:
    first, second = render(node("see mem://zzzzzzzzzzzz"), 50), render(node("again"), 50)

    assert shown_ids(f"{first}\n{second}\nmem://yyyyyyyyyyyy") == ("abc123def456",)


@pytest.mark.parametrize(
    ("at", "shown"), [(-(10**18), "1970-01-01 00:00"), (10**18, "9999-12-31 23:59")]
)
def test_a_broken_clock_shows_the_nearest_minute_there_is(at: int, shown: str) -> None:
    assert minute(at) == shown


def test_a_piece_that_was_found_stands_alone_and_says_what_it_is_part_of() -> None:
    text = "".join(f"line {n} of the tale\n" for n in range(1, 301))
    lo, hi = text.index("line 12 "), text.index("line 15 ")

    body = render(node(text), 400, "line 200", (lo, hi))

    assert body == (
        "--- mem://abc123def456 2023-11-14 22:13 UTC user, lines 12-14 of 301 ---\n"
        "line 12 of the tale\nline 13 of the tale\nline 14 of the tale\n"
        "[part of a longer text; recall mem://abc123def456 brings the whole, "
        f"mem://abc123def456#{hi} what follows]"
    )
    assert shown_ids(body) == ("abc123def456",)


def test_a_piece_within_a_line_is_told_by_its_characters() -> None:
    text = "我们把钥匙放在垫子下面。" * 100

    body = render(node(text), 100, "", (1188, 1200))

    head, words, rest = body.split("\n")
    assert head.endswith("UTC user, characters 1188-1200 of 1200 ---")
    assert words == "我们把钥匙放在垫子下面。"
    assert rest == "[part of a longer text; recall mem://abc123def456 brings the whole]"


def test_a_text_that_has_room_stands_as_a_whole_whatever_piece_was_found() -> None:
    text = "alpha\nbeta\ngamma"

    assert render(node(text), 400, "", (6, 11)) == render(node(text), 400)


def test_of_a_piece_that_is_larger_than_the_room_its_passages_are_shown() -> None:
    text = "padding\n" * 900 + "the walrus key\n" + "padding\n" * 900
    piece = (800, len(text) - 800)

    body = render(node(text), 100, "walrus", piece)

    assert "the walrus key" in body
    assert "lines 101-1701 of 1802" in body.splitlines()[0]
    assert estimate(body) < 100 + 90
