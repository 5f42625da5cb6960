"""What a question says about when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.time_phrases import time_asked

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 5, 6, 15, 30, tzinfo=ZONE)  # a Wednesday


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def day(month: int, number: int, hour: int = 0, year: int = 2026) -> datetime:
    return datetime(year, month, number, hour, tzinfo=ZONE)


SPANS = [
    ("what did we do yesterday", day(5, 5), day(5, 6)),
    ("yesterday's login fix", day(5, 5), day(5, 6)),
    ("what broke yesterday morning?", day(5, 5, 4), day(5, 5, 12)),
    ("the thing from the day before yesterday", day(5, 4), day(5, 5)),
    ("this morning", day(5, 6, 4), day(5, 6, 12)),
    ("what have we done today", day(5, 6), day(5, 7)),
    ("last night's run", day(5, 5, 18), day(5, 6, 4)),
    ("what did we change last week?", day(4, 27), day(5, 4)),
    ("last month", day(4, 1), day(5, 1)),
    ("three days ago", day(5, 3), day(5, 4)),
    ("2 hours ago", day(5, 6, 13), day(5, 6, 14)),
    ("on Monday", day(5, 4), day(5, 5)),
    ("last Friday", day(5, 1), day(5, 2)),
    ("last Wednesday", day(4, 29), day(4, 30)),
    ("what did I ask on 3 May?", day(5, 3), day(5, 4)),
    ("on May 3rd, 2025", day(5, 3, year=2025), day(5, 4, year=2025)),
    ("on December 24", day(12, 24, year=2025), day(12, 25, year=2025)),
    ("2026-04-30", day(4, 30), day(5, 1)),
    ("昨天我们做了什么", day(5, 5), day(5, 6)),
    ("昨天下午改的那个接口", day(5, 5, 12), day(5, 5, 18)),
    ("前天", day(5, 4), day(5, 5)),
    ("今天早上", day(5, 6, 4), day(5, 6, 12)),
    ("今天我们改了哪些文件", day(5, 6), day(5, 7)),
    ("上周讨论的方案", day(4, 27), day(5, 4)),
    ("上个星期", day(4, 27), day(5, 4)),
    ("上周三", day(4, 29), day(4, 30)),
    ("上个月", day(4, 1), day(5, 1)),
    ("三天前", day(5, 3), day(5, 4)),
    ("两小时前说的", day(5, 6, 13), day(5, 6, 14)),
    ("5月3日", day(5, 3), day(5, 4)),
    ("2025年12月31号", day(12, 31, year=2025), day(1, 1)),
    ("昨日の修正", day(5, 5), day(5, 6)),
    ("어제 고친 것", day(5, 5), day(5, 6)),
]


@pytest.mark.parametrize(("text", "first", "last"), SPANS, ids=[row[0] for row in SPANS])
def test_a_phrase_names_its_stretch_of_time(text: str, first: datetime, last: datetime) -> None:
    asked = time_asked(text, ms(NOW), ZONE)
    assert asked is not None
    assert asked.span == (ms(first), ms(last))


@pytest.mark.parametrize(
    "text", ["what did you just now say", "刚才说的那个", "in the last 2 hours"]
)
def test_a_stretch_up_to_now_holds_now(text: str) -> None:
    asked = time_asked(text, ms(NOW), ZONE)
    assert asked is not None and asked.span is not None
    assert asked.span[0] < ms(NOW) - 3_600_000
    assert asked.span[1] > ms(NOW)


@pytest.mark.parametrize(
    "text",
    [
        "last time",
        "in the previous session you said something",
        "what did I say earlier?",
        "have we seen this error before?",
        "where were we?",
        "continue",
        "Please continue with the parser",
        "pick up where we left off",
        "what did we decide about the parser",
        "do you remember the retry policy",
        "上次",
        "之前的方案",
        "我们之前说的接口",
        "继续",
        "接着做",
        "做到哪了",
        "前回の続き",
    ],
)
def test_a_phrase_of_continuity_means_the_conversation_before(text: str) -> None:
    asked = time_asked(text, ms(NOW), ZONE)
    assert asked is not None
    assert asked.span is None


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "use continue in a loop",
        "continue statement in Python",
        "run the tests before the commit",
        "在提交之前运行测试",
        "what's the weather today?",
        "今天天气怎么样",
        "show the last commit",
        "fix the separate 2 tests",
        "31 February",
        "version 3.5.2",
        "line 2026 of app.py",
        "",
    ],
)
def test_what_only_looks_like_time_is_left_alone(text: str) -> None:
    assert time_asked(text, ms(NOW), ZONE) is None


def test_what_is_left_of_a_question_is_what_it_is_about() -> None:
    asked = time_asked("what did we do about the login bug yesterday?", ms(NOW), ZONE)
    assert asked is not None
    assert asked.phrase == "yesterday"
    assert "login bug" in asked.rest and "yesterday" not in asked.rest


def test_days_begin_where_the_asker_lives() -> None:
    moment = ms(datetime(2026, 5, 6, 1, tzinfo=ZONE))  # still 5 May in London
    here, there = time_asked("yesterday", moment, ZONE), time_asked("yesterday", moment, UTC)
    assert here is not None and there is not None
    assert here.span == (ms(day(5, 5)), ms(day(5, 6)))
    assert there.span == tuple(ms(datetime(2026, 5, n, tzinfo=UTC)) for n in (4, 5))


@given(st.text(max_size=200), st.integers(0, 4_000_000_000_000))
def test_no_text_at_any_time_makes_it_raise(text: str, now: int) -> None:
    asked = time_asked(text, now, UTC)
    assert asked is None or asked.span is None or asked.span[0] < asked.span[1]


@given(st.sampled_from(SPANS), st.integers(0, 4_000_000_000_000))
def test_every_phrase_works_at_any_time(row: tuple[str, datetime, datetime], now: int) -> None:
    asked = time_asked(row[0], now, UTC)
    assert asked is None or (asked.span is not None and asked.span[0] < asked.span[1])
