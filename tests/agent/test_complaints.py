from __future__ import annotations

import pytest

from growbox_tui.agent.complaints import complains


@pytest.mark.parametrize(
    "text",
    [
        "That's wrong, it was 5433.",
        "No, that's not right. We moved it in May.",
        "that is incorrect",
        "This is not what I meant",
        "That isn't it",
        "You're wrong: it was nine bar",
        "You misremember, it was June",
        "Wrong.",
        "wrong answer, look again",
        "No. Not what we decided",
        "不对，是另一个端口",
        "不对",
        "错了，上次说的是五月",
        "你记错了，是五月。",
        "这不对。",
        "不，这个不对，再找找",
        "你说的不对，是 9 巴",
        "我说的不是这个",
        "不是这个，是之前那个",
    ],
)
def test_a_complaint_is_heard(text: str) -> None:
    assert complains(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What's wrong with the build?",
        "Is that wrong?",
        "That's wrong?",
        "That's wrong in the docs only, the code is fine",
        "That is not right on Windows; add a case",
        "No, go on",
        "Wrong file names should raise an error",
        "Fix the wrong import",
        "I think that's wrong",
        "not what the linter wants, but keep it",
        "That's not a problem",
        "It was right, thanks",
        "不对称加密怎么用",
        "不对劲的日志在哪",
        "错了吗？",
        "这不对吗",
        "错误处理在哪里",
        "不错",
        "不是这样写也行",
        "看看哪里错了",
    ],
)
def test_what_is_no_complaint_about_the_answer_is_none(text: str) -> None:
    assert not complains(text)
