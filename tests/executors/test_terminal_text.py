"""How output reads once it is shown, and what is kept of much of it."""

from __future__ import annotations

import pytest

from executors.head_tail import HeadTail
from executors.terminal_text import TerminalText, shown


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("long line\rshort", "shortline"),
        ("long line\r\x1b[Kshort", "short"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("ab\b\bc", "cb"),
        ("bell\x07 nul\x00", "bell\\x07 nul\\x00"),
        ("tab\tstays", "tab\tstays"),
        ("csi \x9b31mx", "csi x"),
    ],
)
def test_output_reads_as_a_terminal_leaves_it(raw: str, plain: str) -> None:
    assert shown(raw) == plain


def test_an_escape_torn_between_pieces_is_still_removed() -> None:
    text = TerminalText()
    pieces = [text.feed(char) for char in "a\x1b[31mb\x1b[0m\r\nc"]
    assert "".join(pieces) + text.finish() == "ab\nc"


def test_a_line_without_end_is_passed_on() -> None:
    text = TerminalText()
    assert len(text.feed("x" * 70_000)) == 70_000


def test_long_output_keeps_both_ends_in_bounded_memory() -> None:
    kept = HeadTail(100)
    for number in range(1000):
        kept.append(f"{number}\n")
    text = kept.text()
    assert text.startswith("0\n1\n")
    assert text.endswith("998\n999\n")
    assert "characters were not kept" in text
    assert len(text) < 160


def test_short_output_is_kept_as_it_is() -> None:
    kept = HeadTail()
    kept.append("a")
    kept.append("b")
    assert kept.text() == "ab"
