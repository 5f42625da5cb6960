from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.config import MOST_PIECES, MOST_TOOL_PIECES, PIECE_TOKENS, WHOLE_TOKENS
from memory.store.cutting import LONGEST, chosen, cut, heading, pieces, sentence_starts, weight
from memory.store.signs import boundary

SCRAPS = st.sampled_from(
    [
        *("word ", "a。", "好吗？", "Yes! ", "No. ", "；", "\n", "\n\n", "\r\n", "def f(x):\n"),
        *("    y = 1\n", "2026-05-06 12:00:00 up\n", "| a | b |\n", "# Title\n", "x" * 300),
        *("👩\u200d👩\u200d👧", "e\u0301", "🇫🇷", "\0"),
    ]
)
TEXTS = st.one_of(st.text(max_size=600), st.lists(SCRAPS, max_size=120).map("".join))
SMALL = st.integers(4, 60)

CODE = '''import os


def first(path):
    """Docs."""

    return os.path.join(path, "a")


@cached
def second(path):
    with open(path) as file:
        for line in file:
            yield line


class Third:
    def method(self):
        return 3


async def fourth():
    pass
'''


def texts(text: str, tokens: int, at: tuple[int, ...] = ()) -> list[str]:
    return [text[lo:hi] for lo, hi in cut(text, tokens, at)]


@given(TEXTS, SMALL)
def test_pieces_put_together_are_the_text_and_none_is_empty(text: str, tokens: int) -> None:
    # row 16
    cut_up = texts(text, tokens)

    assert "".join(cut_up) == text
    assert all(cut_up)


@given(TEXTS, SMALL)
def test_no_piece_is_larger_than_the_limit(text: str, tokens: int) -> None:
    # A visible sign of several characters may stand over it, and so may blanks.
    limit = LONGEST * tokens + 64 * 0.85
    assert all(weight("".join(part.split())) <= limit for part in texts(text, tokens))


@given(TEXTS, SMALL)
def test_no_visible_sign_is_torn_apart(text: str, tokens: int) -> None:
    assert all(boundary(text, lo) == lo for lo, _ in cut(text, tokens))


@given(TEXTS, st.sets(st.integers(-5, 700), max_size=8), SMALL)
def test_a_text_is_cut_where_it_is_told_to_be_whatever_the_size(
    text: str, at: set[int], tokens: int
) -> None:
    starts = {lo for lo, _ in cut(text, tokens, at)}

    assert {place for place in at if 0 < place < len(text)} <= starts


@given(st.lists(SCRAPS, max_size=60).map("".join))
def test_sentences_begin_behind_an_end_of_sentence_or_line(text: str) -> None:
    for start in sentence_starts(text)[1:]:
        assert text[start - 1] in "。！？；!?;. \t\n\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def test_blank_lines_belong_to_what_stands_before_them() -> None:
    # row 17
    assert texts("a。\n\n\nb", 2, at=(5,)) == ["a。\n\n\n", "b"]
    assert sentence_starts("a。\n\n\nb") == [0, 5]
    assert texts("\n\n\n", 1) == ["\n\n\n"]
    assert texts("\n \na\n", 100) == ["\n \na\n"]
    assert texts("", 10) == []


@pytest.mark.parametrize(
    "text",
    ["我们去了北京。天气很好！你呢？" * 20, "One went. Two came! Did three? " * 20, "一行\n" * 60],
)
def test_sentences_stay_whole_where_they_fit(text: str) -> None:
    for part in texts(text, 30):
        assert part.rstrip()[-1] in "。！？.!?行"


@pytest.mark.parametrize("text", ["see a.py, v1.2.3 and e.g.this", "x != y; // not", "a?b=c&d=1"])
def test_a_point_inside_a_name_or_number_is_no_end(text: str) -> None:
    assert all(text[start - 1] == " " for start in sentence_starts(text)[1:])


def test_code_breaks_between_functions_with_their_decorators() -> None:
    parts = texts(CODE, 25)

    assert [part.split("\n", 1)[0] for part in parts] == [
        "import os",
        "@cached",
        "class Third:",
    ]


def test_a_log_breaks_between_entries_and_not_within_a_trace() -> None:
    entry = (
        "2026-05-06 12:00:0{} ERROR it broke\nTraceback (most recent call last):\n"
        '  File "a.py", line 3, in f\nValueError: {}\n'
    )
    log = "".join(entry.format(n, n) for n in range(8))

    assert all(part.startswith("2026-05-06") for part in texts(log, 60))


def test_paragraphs_stay_together() -> None:
    paragraphs = [f"Paragraph {n} begins here. It goes on. It ends.\n\n" for n in range(12)]

    assert all(part.startswith("Paragraph") for part in texts("".join(paragraphs), 30))


def test_a_sentence_without_end_is_cut_between_words() -> None:
    parts = texts("word " * 1_000, 40)

    assert len(parts) > 20
    assert all(part.startswith("word ") for part in parts)
    assert len(texts("x" * 5_000, 40)) > 20


@given(TEXTS, st.lists(st.one_of(st.integers(-3, 40), st.none(), st.text(max_size=2)), max_size=9))
def test_whatever_a_model_answers_no_character_is_lost(text: str, answers: list[object]) -> None:
    spans = chosen(text, answers, 30)

    assert "".join(text[lo:hi] for lo, hi in spans) == text
    assert all(text[lo:hi] for lo, hi in spans)


def test_a_models_breaks_and_the_size_decide_together() -> None:
    text = "".join(f"Sentence {n} is about something. " for n in range(20))
    starts = sentence_starts(text)

    by_both = [lo for lo, _ in chosen(text, [3], 40)]

    assert starts[3] in by_both
    assert len(by_both) > 2
    assert chosen(text, [], 40) == chosen(text, ["3", None, 3.0, True, -1, 0, 99], 40)
    assert len(chosen(text, [], 40)) > 2


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_what_is_short_stays_whole_and_so_does_what_cannot_be_two(role: str) -> None:
    assert pieces("short", role) == []  # type: ignore[arg-type]
    assert pieces("x" * int(WHOLE_TOKENS / 0.27 - 1), role) == []  # type: ignore[arg-type]
    assert pieces(" \n" * 400, role) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("role", ["user", "tool"])
@pytest.mark.parametrize(
    "text",
    [
        *("x" * 400_000, "word " * 100_000, "行" * 200_000, "a\n" * 100_000, "error: 1\n" * 60_000),
        *("".join(f"error {n} of many kinds\n" for n in range(20_000)), "e\u0301" * 100_000),
    ],
    ids=["letters", "words", "chinese", "lines", "errors", "kinds", "marks"],
)
def test_pieces_of_a_giant_text_are_few_and_small_at_both_ends(text: str, role: str) -> None:
    spans = pieces(text, role)  # type: ignore[arg-type]

    assert len(spans) <= (MOST_TOOL_PIECES if role == "tool" else MOST_PIECES)
    assert "".join(text[lo:hi] for lo, hi in spans) == text
    for lo, hi in (spans[0], spans[-1]):
        assert weight(text[lo:hi]) <= 2 * PIECE_TOKENS


def test_lines_that_tell_of_errors_in_a_giant_text_are_pieces_of_their_own() -> None:
    rows = [f"row {n} went well and as expected\n" for n in range(30_000)]
    rows[15_000] = "Exception: the flux valve is stuck\n"
    text = "".join(rows)

    (span,) = [span for span in pieces(text, "tool") if "flux" in text[slice(*span)]]

    assert weight(text[slice(*span)]) <= 2 * PIECE_TOKENS


def test_a_heading_is_the_first_line_with_words_and_bounded() -> None:
    assert heading("\n\n read_file: a.py\nx") == "read_file: a.py"
    assert heading("") == heading(" \n") == ""
    assert 0 < weight(heading("很长" * 500)) <= 40
