from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.reply_summary import LONGEST, SummaryFilter, split


def streamed(pieces: list[str]) -> tuple[str, str]:
    sieve = SummaryFilter()
    shown = "".join(sieve.feed(piece) for piece in pieces)
    rest, summary = sieve.finish()
    return shown + rest, summary


@pytest.mark.parametrize(
    ("text", "shown", "summary"),
    [
        ("Done.\n<sum>mended the parser</sum>", "Done.", "mended the parser"),
        ("Done.<sum>\nmended the parser\n</sum>\n", "Done.", "mended the parser"),
        ("改好了。<sum>修复了解析器</sum>", "改好了。", "修复了解析器"),
        ("no summary", "no summary", ""),
        ("<sum>mended the parser</sum>", "mended the parser", ""),
        ("\n<sum>修复了解析器</sum>\n", "\n修复了解析器", ""),
        ("a <sum>b</sum> c", "a <sum>b</sum> c", ""),
        ("use `<sum>` and <sum>told</sum>", "use `<sum>` and", "told"),
        ("begun <sum>but never closed", "begun <sum>but never closed", ""),
        ("half a tag <su", "half a tag <su", ""),
        ("empty <sum></sum>", "empty ", ""),
        ("two\n<sum>a\n\nb</sum>", "two\n<sum>a\n\nb</sum>", ""),
    ],
)
def test_only_a_line_at_the_replys_end_is_a_summary(text: str, shown: str, summary: str) -> None:
    assert split(text) == (shown, summary)


def test_a_summary_that_is_no_line_is_shown() -> None:
    text = f"x<sum>{'y' * (LONGEST + 1)}</sum>"
    assert split(text) == (text, "")


@given(st.lists(st.sampled_from(["a", " ", "\n", "<", "<sum>", "</sum>", "<su", "m>", "狐"])))
def test_the_pieces_in_which_a_reply_comes_change_nothing(pieces: list[str]) -> None:
    whole, summary = split("".join(pieces))
    shown, told = streamed(pieces)
    assert told == summary
    assert shown.rstrip() == whole.rstrip()
    assert streamed(list("".join(pieces))) == (shown, told)


@given(st.text(alphabet="ab <\n", max_size=40))
def test_words_without_a_summary_are_shown_as_they_are(text: str) -> None:
    assert split(text) == (text, "")


def test_what_cannot_become_a_summary_is_shown_at_once() -> None:
    sieve = SummaryFilter()
    assert sieve.feed("Hello") == "Hello"
    assert sieve.feed(" there <") == " there "
    assert sieve.feed("b>") == "<b>"
