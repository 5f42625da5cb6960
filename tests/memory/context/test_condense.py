"""A message in one line and a text in an excerpt: what tells stays, in the same bytes anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.condense import LINE_TOKENS, line, line_of
from memory.context.excerpt import NOTE, excerpt
from memory.context.signals import errors, is_error, lowered, sentences
from memory.store.signs import boundary, cut, cut_chars
from memory.tokens import estimate
from memory.types import Node

PYTEST = """shell: pytest -q tests/memory
....F..
================ FAILURES ================
___ test_the_queue_keeps_its_order ___

    def test_the_queue_keeps_its_order():
>       assert queue.order == [1, 2]
E       assert [2, 1] == [1, 2]

tests/test_queue.py:5: AssertionError
=========== short test summary info ===========
FAILED tests/test_queue.py::test_the_queue_keeps_its_order - assert [2, 1] == [1, 2]
1 failed, 6 passed in 0.12s
exit 1"""
INFO = [
    f"12:00:{n % 60:02d} INFO worker {n % 17} served page {n} in {n % 97} ms" for n in range(4000)
]
LOG = "\n".join(
    [
        "shell: tail -n 8001 app.log",
        *INFO,
        "12:59:59 ERROR worker 3: Connection refused by db-7",
        *INFO,
    ]
)
REPLY = """I looked at the failing test first. The queue is copied per entry, which is quadratic.

```python
def append(self, entry):
    self.entries += (entry,)
```

- Changed `TailRing.append` to keep a list.
- Added a test for 2,000 messages.

All 212 tests pass now, and recording takes 40 ms instead of 3 s. Would you like me to look at the
region as well?"""
ANSWER = (
    "好的。我检查了数据库连接池的配置，发现最大连接数只有 5，而高峰时需要 40 个。"
    "我先修改了 HikariCP 的 maximumPoolSize，然后重新运行了压力测试，观察了十分钟。"
    "原因是连接泄漏：OrderService 在异常路径没有关闭连接。"
    "现在已经修复，所有测试通过，吞吐量从 200 提高到 900。需要我把这个改动提交吗？"
)


def test_a_test_run_keeps_what_was_asked_what_failed_and_how_it_ended() -> None:
    shown = line(PYTEST, role="tool", kind="shell")

    assert shown.startswith("shell: pytest -q tests/memory … ")
    assert "E assert [2, 1] == [1, 2]" in shown
    assert "exit 1" in shown
    assert "FAILURES" not in shown


def test_one_error_among_thousands_of_lines_is_kept() -> None:
    shown = line(LOG, role="tool", kind="shell")

    assert "ERROR worker 3: Connection refused by db-7" in shown
    assert shown.startswith("shell: tail -n 8001 app.log … ")
    assert "8001 lines" in shown


def test_a_traceback_keeps_its_exception() -> None:
    deep = "\n".join(f'  File "a{n}.py", line {n}, in f{n}\n    f{n + 1}()' for n in range(40))
    head, last = "Traceback (most recent call last):", "ValueError: bad port 99"
    text = f"shell: python run.py\n{head}\n{deep}\n{last}\nexit 1"

    assert "ValueError: bad port 99" in line(text, role="tool", kind="shell")


def test_a_file_that_was_read_keeps_its_name_and_both_ends_and_handles_no_error() -> None:
    body = "\n".join(f"{n} except KeyError as error: log({n})" for n in range(2, 90))
    shown = line(
        f'read_file: a/b.py\n1 """Reads keys."""\n{body}\n90 END = 1', role="tool", kind="read_file"
    )

    assert shown == 'read_file: a/b.py … 1 """Reads keys.""" … 90 END = 1 … [90 lines]'


@pytest.mark.parametrize(
    "text", ["no errors", "0 errors, 3 warnings", "0 failed", "没有错误", "FAILED: 0"]
)
def test_the_absence_of_errors_is_none(text: str) -> None:
    assert not is_error(text)


@pytest.mark.parametrize(
    "text",
    ["error: expected ';'", "error[E0308]: mismatched types", "src/a.ts(3,1): error TS2322: Type",
     "fatal: not a git repository", "bash: foo: command not found", "ValueError: bad",
     "npm ERR! 404",
     "thread 'main' panicked at src/main.rs", "2024 ERROR db down", "错误：找不到文件", "构建失败",
     "cat: x: No such file or directory"],
)  # fmt: skip
def test_errors_are_known_in_many_dialects(text: str) -> None:
    assert is_error(text)
    assert errors(f"a\n{text}\nb", lowered(f"a\n{text}\nb")) == [(2, 2 + len(text))]


def test_prose_keeps_its_first_sentence_and_the_one_that_concludes() -> None:
    assert line(REPLY) == (
        "I looked at the failing test first. … "
        "All 212 tests pass now, and recording takes 40 ms instead of 3 s."
    )


def test_chinese_prose_does_too() -> None:
    shown = line(ANSWER)

    assert shown.startswith("我检查了数据库连接池的配置，发现最大连接数只有 5")
    assert shown.endswith("现在已经修复，所有测试通过，吞吐量从 200 提高到 900。")


def test_what_the_user_demands_is_kept() -> None:
    words = (
        "Hi, thanks for yesterday! We have some trouble with the login page since the last release "
        "went out on Monday. I collected a few numbers with the ops team over the whole week, and "
        "they look odd to us all here. You must never deploy on Fridays. Have a nice day anyway, "
        "and greetings from the rest of the team that waits for it."
    )

    assert "You must never deploy on Fridays." in line(words, role="user")


def test_a_short_message_stays_whole_on_one_line() -> None:
    assert line("Fix\n  the   login ") == "Fix the login"
    assert line("shell: ls\na.py\nb.py", role="tool", kind="shell") == "shell: ls a.py b.py"


def test_code_alone_gives_what_it_defines() -> None:
    code = (
        "```python\nimport os\n\ndef first(a):\n"
        + "    a += 1\n" * 60
        + "\nclass Second:\n"
        + "    x = 1\n" * 90
        + "```"
    )

    shown = line(code)

    assert "def first(a):" in shown
    assert "class Second:" in shown


def node(text: str, **meta: object) -> Node:
    return Node(1, "abc123def456", "assistant", "", text, 1, "/p", "s", 1, dict(meta))


def test_a_summary_that_the_writer_gave_wins_over_the_extract() -> None:
    assert line_of(node(REPLY, summary=" Made\nappend linear. ")) == "Made append linear."
    assert line_of(node(REPLY, summary=" ")) == line(REPLY)
    assert line_of(node(REPLY, summary=7)) == line(REPLY)
    assert estimate(line_of(node(REPLY, summary="word " * 500))) <= LINE_TOKENS


def test_an_excerpt_shows_the_odd_lines_of_a_log_once_and_in_order() -> None:
    shown = excerpt(LOG, 150).split("\n")

    assert shown[0] == "shell: tail -n 8001 app.log"
    assert "12:59:59 ERROR worker 3: Connection refused by db-7" in shown
    assert shown[-1] == INFO[-1]
    assert NOTE in shown
    places = [LOG.index(row) for row in shown if row != NOTE and LOG.count(row) == 1]
    assert places == sorted(places)


def test_an_excerpt_of_code_shows_what_it_defines() -> None:
    code = "\n".join(
        f"def handler_{name}(request):\n" + "    value = value + 1\n" * 40
        for name in ("login", "logout", "refund", "invoice")
    )

    shown = excerpt(code, 90)

    assert shown.count("def handler_") == 4


def test_an_excerpt_of_one_long_chinese_paragraph_cuts_at_sentences() -> None:
    shown = excerpt(ANSWER * 6, 120)

    for part in shown.split(f"\n{NOTE}"):
        words = part.strip("\n").removeprefix(NOTE).strip("\n")
        assert not words or words[-1] in "。？；，：…"


def test_a_text_that_fits_is_its_own_excerpt() -> None:
    assert excerpt("a\r\nb\rc\n", 100) == "a\nb\nc"
    assert excerpt("", 10) == ""


WILD = st.text(
    st.sampled_from(
        "ab e.!?。，的错误:\n\r\t 1\u0301\u200d\U0001f469\U0001f1e9\U0001f1ea\ud83d\ude00각`-#E"
    ),
    max_size=600,
)
ANY = (
    WILD
    | st.text(max_size=300)
    | st.lists(st.sampled_from([*INFO[:3], PYTEST, REPLY, ANSWER])).map("\n".join)
)


@given(
    ANY,
    st.integers(1, 90),
    st.sampled_from(("user", "assistant", "tool")),
    st.sampled_from(("", "shell")),
)
def test_a_line_is_one_line_within_its_tokens(text: str, tokens: int, role: str, kind: str) -> None:
    shown = line(text, tokens, role=role, kind=kind)

    assert estimate(shown) <= tokens
    assert len(shown.splitlines()) <= 1
    assert line(text, tokens, role=role, kind=kind) == shown
    if role != "tool" and text.split():
        assert shown


@given(ANY, st.integers(1, 200))
def test_an_excerpt_is_within_its_tokens_and_made_of_the_text(text: str, tokens: int) -> None:
    shown = excerpt(text, tokens)

    assert estimate(shown) <= tokens
    assert excerpt(text, tokens) == shown
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    plain = unicodedata.normalize("NFC", plain)
    place = 0
    for part in shown.replace(NOTE, "\0").split("\0"):
        words = part.strip("\n").removesuffix("…").rstrip("\n ")
        place = plain.index(words, place) + len(words)


@given(WILD, st.integers(0, 600))
def test_no_cut_tears_a_visible_sign(text: str, place: int) -> None:
    at = boundary(text, min(place, len(text)))

    assert 0 <= at <= len(text)
    if 0 < at < len(text):
        assert text[at] not in "\u0301\u200d"
        assert not ("\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff")
    for shown in (cut(text, place), cut_chars(text, place)):
        if shown != text and shown:
            assert shown.endswith("…")
            assert text.startswith(shown[:-1])
    assert estimate(cut(text, place)) <= place
    assert len(cut_chars(text, place)) <= place


def test_flags_and_families_stay_whole() -> None:
    family, flags = "👨‍👩‍👧‍👦", "🇩🇪🇫🇷🇯🇵"

    assert boundary(f"a{family}b", 4) == 1
    assert boundary(flags, 3) == 2
    assert cut_chars(flags, 4) == "🇩🇪…"
    assert cut_chars("e\u0301" * 5, 4) == "e\u0301…"


def test_sentences_end_where_they_end() -> None:
    text = "Use e.g. pip. It is in v1.2 of J. Doe's tool!\n\n# Result\nDone\n\n1. one\n2. two"

    assert sentences(text) == [
        "Use e.g. pip.", "It is in v1.2 of J. Doe's tool!", "Result", "Done", "one", "two",
    ]  # fmt: skip
    assert sentences("好。你呢？“行！”走") == ["好。", "你呢？", "“行！”", "走"]


def test_hash_seed_and_time_zone_change_no_byte(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom memory.context.condense import line, excerpt\n"
        "text = open(sys.argv[1], encoding='utf-8').read()\n"
        "out = [line(text), line(text, role='tool', kind='shell'), excerpt(text, 200)]\n"
        "sys.stdout.buffer.write('\\0'.join(out).encode('utf-8'))\n"
    )
    file = tmp_path / "text"
    file.write_text("\n".join([PYTEST, REPLY, ANSWER, LOG[:20_000]]), encoding="utf-8")
    answers = {
        subprocess.run(
            [sys.executable, "-c", code, str(file)],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("77", "Asia/Shanghai"))
    }

    assert len(answers) == 1
