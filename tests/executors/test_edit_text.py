"""What an edit does to bytes, and what it never does."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executors.edit_text import EditError, apply_edit

CASES = Path(__file__).resolve().parents[2].parent / "shared/cases/growbox-anchor-cases"
GIVEN = CASES / "edit_cases.jsonl"
ROWS = [json.loads(row) for row in GIVEN.read_text().splitlines()] if GIVEN.exists() else []


if ROWS:

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
    def test_each_known_complaint_is_answered(row: dict[str, str]) -> None:
        before = b64decode(row["file_b64"])
        if row["error"] is None:
            assert apply_edit(before, row["old"], row["new"]) == b64decode(row["expected_b64"])
            return
        try:
            after = apply_edit(before, row["old"], row["new"])
        except EditError:
            return
        assert after in [b64decode(each) for each in row.get("allowed_b64", [])]


ENCODINGS = {
    "utf-8": "标题：一，二。\u2028naïve \u201cquotes\u201d",
    "gbk": "配置文件的标题，请不要删除。这是中文",
    "cp950": "設定檔案的標題，請不要刪除。這是中文",
    "cp932": "設定ファイルの名前です。これは日本語",
    "cp949": "설정 파일의 이름입니다. 이것은 한국어",
    "cp1252": "le café déjà fermé, la leçon est à côté",
    "utf-16-le": "标题：一，二。naïve",
}
BOMS = {"utf-8": (b"", b"\xef\xbb\xbf"), "utf-16-le": (b"\xff\xfe",)}
MARKER = "needle_42"


@given(
    codec=st.sampled_from(sorted(ENCODINGS)),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=2, max_size=8),
    tails=st.lists(st.sampled_from(["", "  ", "\t", "\x0c"]), min_size=8, max_size=8),
    where=st.integers(0, 7),
    last=st.booleans(),
    mark=st.integers(0, 1),
)
def test_bytes_outside_the_edit_stay_for_every_encoding_and_line_end(
    codec: str, ends: list[str], tails: list[str], where: int, last: bool, mark: int
) -> None:
    where %= len(ends)
    bom = BOMS.get(codec, (b"",))[mark % len(BOMS.get(codec, (b"",)))]
    rows = [f"{ENCODINGS[codec]} {i}{tails[i]}" for i in range(len(ends))]
    rows[where] = f"x = {MARKER}{tails[where]}"
    text = "".join(row + end for row, end in zip(rows, ends, strict=True))
    text += "no end" if last else ""
    before = bom + text.encode(codec)
    start = len(bom) + len(text[: text.index(MARKER)].encode(codec))
    size = len(MARKER.encode(codec))
    after = apply_edit(before, MARKER, "replaced")
    assert after == before[:start] + "replaced".encode(codec) + before[start + size :]


@given(
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    old=st.lists(st.sampled_from(["a", "b", "", "中"]), min_size=1, max_size=4),
    new=st.lists(st.sampled_from(["x", "a", "", "文"]), min_size=1, max_size=6),
)
def test_new_lines_take_the_files_line_end(end: str, old: list[str], new: list[str]) -> None:
    wanted = ["<<", *new, ">>"]
    before = end.join(["head", "<<", *old, ">>", "tail", ""]).encode()
    if old == new:
        return
    after = apply_edit(before, "\n".join(["<<", *old, ">>"]), "\n".join(wanted))
    assert after == end.join(["head", *wanted, "tail", ""]).encode()


SCRAPS = st.text(st.sampled_from(list('ab \t\n\r\x0c\u2028“"，,é\u0301１1:')), max_size=12)


@given(text=SCRAPS, old=SCRAPS, new=SCRAPS, everywhere=st.booleans())
def test_an_edit_is_made_or_refused_and_nothing_else(
    text: str, old: str, new: str, everywhere: bool
) -> None:
    try:
        after = apply_edit(text.encode(), old, new, everywhere)
    except EditError as error:
        assert str(error)
    else:
        assert after != text.encode()


def edit(text: str, old: str, new: str, **options: bool) -> str:
    return apply_edit(text.encode(), old, new, **options).decode()


def refusal(data: bytes, old: str, new: str) -> EditError:
    with pytest.raises(EditError) as caught:
        apply_edit(data, old, new)
    return caught.value


def test_mixed_line_ends_stay_each_as_it_was() -> None:
    assert edit("a\r\nb\nc\rd\r\n", "a\nb\n", "a\nB\n") == "a\r\nB\nc\rd\r\n"
    assert edit("a\r\nb\nc\r\n", "b\n", "b1\nb2\n") == "a\r\nb1\nb2\nc\r\n"
    assert edit("a\r\nb\nc\r\n", "c", "c\nd") == "a\r\nb\nc\r\nd\r\n"


def test_a_carriage_return_is_data_in_a_file_with_line_feeds() -> None:
    assert edit("one\rtwo\nend\n", "one\rtwo", "one\rthree") == "one\rthree\nend\n"


def test_a_line_end_can_itself_be_what_is_edited() -> None:
    assert edit("a\r\nb\r\n", "a\r\nb", "a\nb") == "a\nb\r\n"


def test_no_final_newline_is_added() -> None:
    assert edit("a\nb", "b", "c") == "a\nc"
    assert edit("a\r\nb", "b", "b\nc") == "a\r\nb\r\nc"


def test_u2028_and_form_feed_are_not_line_ends() -> None:
    assert edit("a\u2028b\x0cc\x85d\ne\n", "e", "f") == "a\u2028b\x0cc\x85d\nf\n"
    assert "line 2" in str(refusal("x\u2028y\nfoo(1)\n".encode(), "foo(2)", "z"))


def test_an_empty_file_takes_new_text_and_a_full_one_refuses_an_empty_old() -> None:
    assert apply_edit(b"", "", "new\n") == b"new\n"
    assert refusal(b"x", "", "y").code == "empty_old"
    assert refusal(b"", "x", "y").code == "not_found"


def test_duplicates_are_refused_with_their_lines_unless_all_is_asked() -> None:
    error = refusal(b"a\nb\na\n", "a", "c")
    assert error.code == "ambiguous"
    assert "2 occurrences (lines 1, 3)" in str(error)
    assert edit("a\nb\na\n", "a", "c", all=True) == "c\nb\nc\n"
    assert edit("aaa", "aa", "b", all=True) == "ba"


def test_an_inexact_match_changes_only_what_it_matched() -> None:
    before = "第一行，“说明”  \n第二行，内容\n第三行，“结束”  \n"
    after = edit(before, "第二行,内容", "第二行,新内容")
    assert after == "第一行，“说明”  \n第二行,新内容\n第三行，“结束”  \n"


def test_lines_that_old_and_new_share_stay_as_the_file_has_them() -> None:
    assert edit("“a”  \nb\n", '"a"\nb\n', '"a"\nc\n') == "“a”  \nc\n"


def test_spaces_sent_for_tabs_become_tabs() -> None:
    before = "all:\n\tif x; then \\\n\t\techo a\n"
    after = edit(before, "    if x; then \\\n        echo a", "    if y; then \\\n        echo b")
    assert after == "all:\n\tif y; then \\\n\t\techo b\n"


def test_other_indentation_is_named() -> None:
    error = refusal(b"  if x:\n\t\treturn 1\n", "if x:\n   return 1", "y")
    assert error.code == "tabs"
    assert "2 tabs" in str(error)
    assert "3 spaces" in str(error)


def test_what_is_not_found_is_shown_where_it_is_nearest() -> None:
    data = b"import os\n\ndef f(a, b):\n    total = a + b\n    return total\n"
    error = refusal(data, "def f(a, b):\n    total = a - b\n    return total", "x")
    assert error.code == "not_found"
    assert "lines 3-5" in str(error)
    assert "First difference, line 4: the file has '    total = a + b'" in str(error)


def test_in_a_large_file_the_likeliest_lines_are_compared_and_the_cut_is_told() -> None:
    rows = [
        f"    value_{i} = compute({i % 97}, {i * 7 % 89}, the_rest_of_it)" for i in range(30_000)
    ]
    rows[29_000] = "    if answer is None: raise Unanswered(question, patience)"
    error = refusal("\n".join(rows).encode(), "if answer is None: raise Unanswred(question)", "x")
    assert "Closest is line 29001" in str(error)
    assert "the search was cut short" in str(error)
    small = refusal("\n".join(rows[28_900:29_100]).encode(), "if answer is Nine: raise Un(x)", "x")
    assert "Closest is line 101" in str(small)
    assert "cut short" not in str(small)


def test_lines_beyond_those_that_are_compared_are_told_of() -> None:
    assert "cut short" in str(refusal(b"x\n" * 50_001, "yy", "z"))
    assert "cut short" not in str(refusal(b"x\n" * 150 + b"y\n", "x\nz\ny", "z"))


def test_other_indentation_is_found_after_many_lines_like_its_first() -> None:
    error = refusal(b"  a\n" * 20_000 + b"  b\n\n  c", "a\n" * 9_000 + "b\n\n\tc", "y")
    assert error.code == "tabs"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    error = refusal("编译成功\n".encode("gbk"), "成功", "成功🚀")
    assert error.code == "encoding"
    assert "gbk" in str(error)
    assert refusal(b"a", "a", "\ud83d").code == "encoding"


def test_the_old_text_tells_the_encoding_where_the_bytes_do_not() -> None:
    assert apply_edit("舊".encode("cp950"), "舊", "新") == "新".encode("cp950")
    assert apply_edit("値".encode("cp932"), "値", "名") == "名".encode("cp932")


def test_binary_and_pictures_are_refused() -> None:
    assert refusal(b"\x89PNG\r\n\x1a\n\0\x01PNG", "PNG", "JPG").code == "binary"
    assert refusal(b"abc\0def", "abc", "x").code == "binary"


def test_line_numbers_in_old_are_refused_with_a_hint() -> None:
    assert refusal(b"foo\nbar\n", "     1\tfoo\n     2\tbar", "     1\tx").code == "line_numbers"


def test_stray_bytes_in_utf8_stay() -> None:
    before = "一行文字\n".encode() + b"bad \xff byte\n" + "末行文字\n".encode()
    assert apply_edit(before, "末行", "尾行") == before.replace("末".encode(), "尾".encode())


def test_a_large_edit_keeps_the_lines_it_does_not_change() -> None:
    rows = [f"row {i}\r\n" for i in range(3000)]
    old = "".join(rows).replace("\r\n", "\n")
    after = edit("".join(rows), old, old.replace("row 1500\n", "changed\n"))
    assert after == "".join(rows).replace("row 1500\r", "changed\r")
