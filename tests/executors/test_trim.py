"""What stays of a result that is too long."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from executors.trim import trim

ADDRESS = "mem://abc"
NOTE = re.compile(
    r"\[… (?:\d+ lines, )?(\d+) characters left out; "
    r'recall \{"address": "mem://abc"\} reads all in parts …\]\n'
)


@given(
    st.text(st.sampled_from(list("ab \n\r中é\u0301👨\u200d👩🇩🇪🏽각ᆨ")), min_size=1, max_size=600),
    st.integers(120, 400),
)
def test_both_ends_stay_within_the_limit_and_no_sign_is_cut(text: str, limit: int) -> None:
    short = trim(text, limit, ADDRESS)
    if len(text) <= limit:
        assert short == text
        return
    assert len(short) <= limit
    note = NOTE.search(short)
    assert note
    head, tail = short[: note.start()], short[note.end() :]
    assert text.startswith((head, head.removesuffix("\n")))
    assert text.endswith(tail)
    kept = int(note.group(1))
    assert len(text) - kept in (len(head) + len(tail), len(head) + len(tail) - 1)
    assert not tail or not unicodedata.combining(tail[0]) or (len(text) > 0 and "\n" not in text)


def test_cuts_stand_at_line_ends() -> None:
    text = "".join(f"line {n}\n" for n in range(1000))
    short = trim(text, 500, ADDRESS)
    assert short.startswith("line 0\nline 1\n")
    assert short.endswith("line 999\n")
    assert all(re.fullmatch(r"line \d+|\[….*…\]", row) for row in short.split("\n")[:-1])


def test_one_long_line_is_cut_between_signs() -> None:
    family = "👨\u200d👩\u200d👧"
    short = trim(family * 500, 301, ADDRESS)
    note = NOTE.search(short)
    assert note
    head, tail = short[: note.start() - 1], short[note.end() :]
    assert head == family * (len(head) // 5)
    assert tail == family * (len(tail) // 5)
    assert head
    assert tail


def test_the_line_says_how_much_is_gone() -> None:
    text = "x\n" * 5000
    note = NOTE.search(trim(text, 1000, ADDRESS))
    assert note
    assert len(text) - int(note.group(1)) > 800


def test_a_limit_shorter_than_the_line_still_gives_the_line() -> None:
    assert NOTE.fullmatch(trim("x" * 900, 10, ADDRESS))
