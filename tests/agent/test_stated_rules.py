from __future__ import annotations

import pytest

from growbox_tui.agent.stated_rules import stated

RULES = [
    "Always run the tests before you say that it works.",
    "Never commit to main; ask first",
    "Please always answer in English.",
    "from now on, answer in German",
    "You must always use ruff",
    "don't ever push",
    "never again touch that file",
    "rule: no emoji",
    "以后都用 pnpm。",
    "请以后一律用中文回答",
    "一律用 UTF-8",
    "不要再改测试文件",
    "必须用 tabs 缩进",
    "从现在起每次提交前先跑测试",
    "规则：提交前跑 lint",
]
FALSE_FRIENDS = [
    "you never told me",
    "You never told me that the tests always pass.",
    "why does it always fail?",
    "Should I always use tabs?",
    "never mind",
    "Never mind that, do the other thing",
    "It always fails on Windows. It never worked.",
    "The function must always return 0",
    "from now on I'll do it myself",
    "From now on?",
    'The guide says "always use spaces" and I disagree',
    '"Never commit secrets" is what it says',
    "> Always sign off commits",
    "```\nAlways run it\n```",
    "    Always indented code",
    "always @(posedge clk) q <= d;",
    "Never saw this before",
    "Always the same error!",
    "What is the rule here",
    "以后再说",
    "以后怎么办？",
    "以后我会改",
    "必须这样吗？",
    "为什么必须用 tabs",
    "你总是失败",
    "见 @rules/always.md",
    "",
]


@pytest.mark.parametrize("text", RULES)
def test_a_sentence_that_plainly_states_a_rule_is_one(text: str) -> None:
    assert stated(text) == (text,)


@pytest.mark.parametrize("text", FALSE_FRIENDS)
def test_a_sentence_that_only_looks_like_a_rule_is_none(text: str) -> None:
    assert stated(text) == ()


def test_the_rules_are_found_among_other_sentences_each_once() -> None:
    text = (
        "Fix the parser, please. Always use 4 spaces!\n"
        "- Never edit generated files\n"
        "1. Always use 4 spaces!\n"
        "修复解析器。以后都用 pnpm。谢谢"
    )
    assert stated(text) == (
        "Always use 4 spaces!",
        "Never edit generated files",
        "以后都用 pnpm。",
    )


def test_a_long_story_is_no_rule() -> None:
    assert stated("Always run " + "the tests and then " * 30) == ()
