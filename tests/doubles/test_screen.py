"""The double of a terminal shows what a terminal would."""

from __future__ import annotations

from tests.doubles.screen import Screen


def shown(*written: str) -> list[str]:
    screen = Screen(10, 3)
    for text in written:
        screen.feed(text)
    return screen.lines()


def test_words_stand_where_the_cursor_was_sent() -> None:
    assert shown("\x1b[2;3Hhi\x1b[1;1Hx") == ["x", "  hi", ""]


def test_colours_and_titles_leave_no_trace() -> None:
    assert shown("\x1b[1;38;2;1;2;3mred\x1b[0m\x1b]0;title\x07!\x1b[?2026h") == ["red!", "", ""]


def test_a_sequence_may_be_cut_between_two_writes() -> None:
    assert shown("a\x1b[", "2;", "2Hb") == ["a", " b", ""]


def test_wide_characters_take_two_columns() -> None:
    assert shown("你好x\x1b[1;6H!") == ["你好x!", "", ""]


def test_erasing_to_the_end_of_the_line_takes_only_that() -> None:
    assert shown("abcdef\x1b[1;3H\x1b[K\r\nz") == ["ab", "z", ""]
