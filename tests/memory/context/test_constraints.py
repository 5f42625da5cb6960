"""The rules that the user stated: one line each, few, and none lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.context.constraints import (
    ALIKE,
    MOST_RULES,
    RULE_CHARS,
    add,
    alike,
    contradict,
    edit,
    one_line,
    render_rules,
)
from memory.types import Rule


def stated(*texts: str) -> tuple[Rule, ...]:
    return tuple(Rule(number, text, "stated", 5) for number, text in enumerate(texts, 1))


def test_a_new_rule_stands_at_the_end_with_the_id_it_is_given() -> None:
    added = add(stated("Use tabs"), 7, "Answer in\n  German ", "steered", 9)

    assert added.outcome == "kept"
    assert added.rule == Rule(7, "Answer in German", "steered", 9)
    assert added.rules == (*stated("Use tabs"), added.rule)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use 4 spaces for indentation", "use 4 spaces for indentation."),
        ("Use four spaces for indentation", "Use 4 spaces for indentation"),
        ("Please never push to main", "never push to main"),
        ("Never push to main", "Do not push to main"),
        ("Do not touch the auth service", "Don't touch the auth service!"),
        ("Use pytest, not unittest", "Use pytest instead of unittest"),
        ("提交前必须运行测试", "提交前一定要运行测试"),
        ("用中文回答", "请用中文回答"),
        ("以后都用中文回答我", "以后都用中文回答"),
        ("不要修改 config.py", "别修改 config.py"),
    ],
)
def test_near_duplicates_become_one_rule_in_the_place_of_the_older(one: str, other: str) -> None:
    rules = stated("Answer in verse", one, "Keep functions short")

    added = add(rules, 4, other, "stated", 9)

    assert (added.outcome, added.rules) == ("merged", rules)
    assert added.rule == rules[1]
    assert alike(one, other) >= ALIKE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use 4 spaces for indentation", "Use 2 spaces for indentation"),
        ("keep lines under 100 characters", "keep lines under 80 characters"),
        ("use tabs, not spaces", "use spaces, not tabs"),
        ("Never push to main, push to dev", "Push to main, never push to dev"),
        ("Always run the whole test suite before you commit",
         "Never run the whole test suite before you commit"),
        ("Before every commit run the whole test suite and the linter on main",
         "Before every commit run the whole test suite and the linter on dev"),
        ("Run the tests before a commit", "Run the tests after a commit"),
        ("Turn logging on in production", "Turn logging off in production"),
        ("用中文回答", "用英文回答"),
        ("不要修改 config.py 文件里的任何一行", "可以修改 config.py 文件里的任何一行"),
        ("每个函数最多三十行", "每个函数最多四十行"),
    ],
)  # fmt: skip
def test_rules_that_say_something_else_are_two_however_alike_they_look(
    one: str, other: str
) -> None:
    assert add(stated(one), 2, other, "stated", 9).outcome == "kept"
    assert add(stated(other), 2, one, "stated", 9).outcome == "kept"


def test_a_fuller_wording_takes_the_place_of_the_shorter_one() -> None:
    added = add(stated("Keep functions under 40 lines"), 2,
                "Keep functions under 40 lines of code", "steered", 9)  # fmt: skip

    assert added.outcome == "merged"
    assert added.rules == (Rule(1, "Keep functions under 40 lines of code", "stated", 5),)


def test_the_51st_rule_is_refused_aloud_and_a_duplicate_still_merged() -> None:
    rules = stated(*(f"Keep module {number} free of globals" for number in range(MOST_RULES)))

    refused = add(rules, 51, "Answer in German", "stated", 9)
    merged = add(rules, 51, "keep module 7 free of globals", "stated", 9)

    assert (refused.outcome, refused.rule, refused.rules) == ("refused", None, rules)
    assert "50 rules" in refused.why
    assert "/rules" in refused.why
    assert "Answer in German" in refused.why
    assert (merged.outcome, merged.rule) == ("merged", rules[7])


@pytest.mark.parametrize("text", ["", " \n\t ", "\u2003"])
def test_a_rule_without_words_is_refused(text: str) -> None:
    assert add((), 1, text, "stated", 9).outcome == "refused"
    assert edit(stated("Use tabs"), 1, text).outcome == "refused"


def test_a_given_similarity_is_trusted_but_not_with_a_not_or_a_number() -> None:
    def same(_: str, __: str) -> float:
        return 1.0

    rules = stated("Reply in German")

    assert add(rules, 2, "Antworte auf Deutsch", "stated", 9, same).outcome == "merged"
    assert add(rules, 2, "Do not reply in German", "stated", 9, same).outcome == "kept"
    assert add(rules, 2, "Reply in German twice in 3 cases", "stated", 9, same).outcome == "kept"
    assert add(rules, 2, "reply in german", "stated", 9, lambda *_: 0.849).outcome == "kept"
    assert add(rules, 2, "reply in french", "stated", 9, lambda *_: 0.85).outcome == "merged"


def test_a_rule_is_reworded_in_its_place() -> None:
    rules = stated("Use tabs", "Answer in German")

    edited = edit(rules, 1, "Use spaces")

    assert edited.outcome == "kept"
    assert [rule.text for rule in edited.rules] == ["Use spaces", "Answer in German"]
    assert edit(rules, 1, "use TABS").rules[0].text == "use TABS"


def test_a_rewording_into_another_rule_is_refused_and_an_unknown_rule_is_told() -> None:
    rules = stated("Use tabs", "Answer in German")

    refused = edit(rules, 1, "answer in german")

    assert (refused.outcome, refused.rules) == ("refused", rules)
    assert "Rule 2" in refused.why
    with pytest.raises(LookupError, match="9"):
        edit(rules, 9, "x")


def test_what_steers_a_terminal_is_no_part_of_a_rule() -> None:
    added = add([], 1, "no \x1b[31mred\x00 words\ud800\x07", "stated", 0)
    assert added.rule is not None
    assert added.rule.text == "no [31mred words"
    assert add([], 1, "\x07\x1b", "stated", 0).outcome == "refused"


def test_the_block_shows_each_rule_on_a_line_of_its_own_by_its_id() -> None:
    rules = (Rule(3, "Use tabs", "steered", 1), Rule(1, "Answer\nin German", "stated", 2))

    lines = render_rules(rules).split("\n")

    assert lines[1:] == ["1. Answer in German", "3. Use tabs (added later)"]
    assert render_rules(rules[::-1]) == render_rules(rules)
    assert render_rules(()) == ""


@given(st.text(max_size=600))
def test_any_rule_stands_on_one_line_of_at_most_200_characters(text: str) -> None:
    line = one_line(text)

    assert len(line) <= RULE_CHARS
    assert len(line.splitlines()) <= 1
    assert line == one_line(line)
    if len(" ".join(text.split())) > RULE_CHARS:
        assert line.endswith("…")


@given(st.text(max_size=80), st.text(max_size=80))
def test_likeness_is_symmetric_and_every_rule_is_like_itself(one: str, other: str) -> None:
    assert alike(one, other) == pytest.approx(alike(other, one))
    assert 0 <= alike(one, other) <= 1
    assert contradict(one, other) == contradict(other, one)
    assert not contradict(one, one)
    if any(char.isalpha() for char in one.lower() if char.isascii()):
        assert alike(one, one) == pytest.approx(1.0)


@given(st.lists(st.text("用中文回答 abcdef not 不 123", min_size=1, max_size=12), max_size=60))
def test_there_are_never_more_than_50_and_each_is_there_merged_or_refused(
    texts: list[str],
) -> None:
    rules: tuple[Rule, ...] = ()
    for number, text in enumerate(texts, 1):
        added = add(rules, number, text, "stated", 0)
        assert len(added.rules) <= MOST_RULES
        assert [rule.id for rule in added.rules] == sorted(rule.id for rule in added.rules)
        assert bool(added.why) == (added.outcome == "refused")
        if added.outcome == "merged":
            assert len(added.rules) == len(rules)
        rules = added.rules
    assert render_rules(rules).count("\n") == len(rules)
