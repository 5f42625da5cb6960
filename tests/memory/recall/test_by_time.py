"""Questions about when, answered from the timeline."""

from __future__ import annotations

from memory.recollection import Query

from .conftest import Store

PROJECT = "/work"


def test_yesterday_brings_what_was_said_yesterday_newest_session_first(store: Store) -> None:
    store.add("older than that", hours_ago=60, session="a", project=PROJECT)
    store.add("fix the login", hours_ago=30, session="b", project=PROJECT)
    store.add("the login is fixed", hours_ago=29, session="b", role="assistant", project=PROJECT)
    store.add("PASS 12 tests", hours_ago=28.5, session="b", role="tool", project=PROJECT)
    store.add("write the release notes", hours_ago=26, session="c", project=PROJECT)
    store.add("today's work", hours_ago=1, session="d", project=PROJECT)
    found = store.recall(Query("What did we do yesterday?", PROJECT, "d"))
    assert [hit.node.text for hit in found.hits] == [
        "write the release notes",
        "the login is fixed",
        "fix the login",
    ]
    assert {hit.ways for hit in found.hits} == {("time",)}
    assert found.notice == ""
    assert "time" in found.ways


def test_chinese_asks_the_same(store: Store) -> None:
    store.add("修复登录接口", hours_ago=30, session="b", project=PROJECT)
    store.add("别的事情", hours_ago=90, session="a", project=PROJECT)
    assert store.texts(Query("昨天我们做了什么？", PROJECT)) == ["修复登录接口"]


def test_what_matches_in_the_asked_time_comes_first(store: Store) -> None:
    store.add("the login token was wrong", hours_ago=90, session="a", project=PROJECT)
    store.add("the login page is slow", hours_ago=30, session="b", project=PROJECT)
    for n in range(5):
        store.add(f"chapter {n} of the manual", hours_ago=27, session="b", project=PROJECT)
    found = store.texts(Query("what about the login yesterday", PROJECT))
    assert found[0] == "the login page is slow"


def test_last_time_is_the_conversation_before_this_one(store: Store) -> None:
    store.add("the first talk", hours_ago=90, session="a", project=PROJECT)
    store.add("the second talk", hours_ago=50, session="b", project=PROJECT)
    store.add("elsewhere", hours_ago=20, session="x", project="/other")
    store.add("this talk", hours_ago=1, session="c", project=PROJECT)
    for question in ("where were we last time?", "continue", "上次做到哪了", "继续"):
        found = store.recall(Query(question, PROJECT, "c"))
        assert [hit.node.text for hit in found.hits] == ["the second talk"]
        assert found.notice == ""


def test_an_empty_yesterday_falls_back_to_the_last_conversation_and_says_so(store: Store) -> None:
    store.add("tuned the cache", hours_ago=100, session="a", project=PROJECT)
    store.add("hello again", hours_ago=0.1, session="b", project=PROJECT)
    found = store.recall(Query("what did we do yesterday?", PROJECT, "b"))
    assert [hit.node.text for hit in found.hits] == ["tuned the cache"]
    assert "“yesterday”" in found.notice
    assert "2026-05-02" in found.notice


def test_with_no_past_at_all_the_notice_says_that(store: Store) -> None:
    yesterday = store.recall(Query("what did we do yesterday?", PROJECT, "b"))
    assert yesterday.hits == () and "Nothing is remembered" in yesterday.notice
    before = store.recall(Query("continue", PROJECT, "b"))
    assert before.hits == () and "no earlier conversation" in before.notice


def test_time_brings_other_projects_too_but_after_the_own(store: Store) -> None:
    store.add("mine", hours_ago=30, session="a", project=PROJECT)
    store.add("theirs", hours_ago=30, session="b", project="/other")
    found = store.texts(Query("what did we do yesterday?", PROJECT))
    assert set(found) == {"mine", "theirs"}
