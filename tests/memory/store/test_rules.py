from __future__ import annotations

from pathlib import Path

import pytest

from memory.context import constraints
from memory.store import conversation, rules
from memory.store.database import Database, open_database
from memory.types import Rule, RuleAdded


@pytest.fixture
def db(tmp_path: Path) -> Database:
    return open_database(tmp_path / "m.db")


@pytest.fixture
def session(db: Database) -> str:
    return conversation.open_session(db, "/p", "m", 1)


def add(db: Database, session: str, text: str) -> RuleAdded:
    return rules.add_rule(
        db, session, lambda known, number: constraints.add(known, number, text, "stated", 5)
    )


def edit(db: Database, session: str, number: int, text: str) -> RuleAdded:
    return rules.edit_rule(db, session, lambda known: constraints.edit(known, number, text))


def test_rules_read_back_in_the_order_in_which_they_were_stated(db: Database, session: str) -> None:
    first, second = add(db, session, "Use tabs"), add(db, session, "用中文回答")

    assert rules.rules(db, session) == (first.rule, second.rule) == second.rules
    assert second.rule == Rule(2, "用中文回答", "stated", 5)


def test_a_number_is_never_given_twice_and_a_dropped_rule_leaves_no_words(
    db: Database, session: str
) -> None:
    add(db, session, "Use tabs")
    add(db, session, "Say heliotrope")

    assert [rule.id for rule in rules.drop_rule(db, session, 2)] == [1]
    assert add(db, session, "Answer in verse").rule == Rule(3, "Answer in verse", "stated", 5)

    assert db.rows("SELECT 1 FROM rules WHERE text LIKE '%heliotrope%'") == []
    with pytest.raises(LookupError, match="2"):
        rules.drop_rule(db, session, 2)


def test_a_merged_rule_is_reworded_on_file_and_a_refused_one_changes_nothing(
    db: Database, session: str
) -> None:
    add(db, session, "Keep functions under 40 lines")

    merged = add(db, session, "Keep functions under 40 lines of code")
    refused = add(db, session, "  ")

    assert (merged.outcome, refused.outcome) == ("merged", "refused")
    assert rules.rules(db, session) == merged.rules == refused.rules
    assert merged.rules[0].text == "Keep functions under 40 lines of code"


def test_an_edited_rule_keeps_its_number_source_and_time(db: Database, session: str) -> None:
    add(db, session, "Use tabs")

    edit(db, session, 1, "Use spaces")

    assert rules.rules(db, session) == (Rule(1, "Use spaces", "stated", 5),)
    with pytest.raises(LookupError, match="7"):
        edit(db, session, 7, "x")


def test_each_conversation_has_rules_of_its_own(db: Database, session: str) -> None:
    other = conversation.open_session(db, "/p", "m", 1)
    add(db, session, "Use tabs")

    assert rules.rules(db, other) == ()
    assert add(db, other, "Use tabs").rule == Rule(1, "Use tabs", "stated", 5)


def test_an_unknown_conversation_has_no_rules_and_takes_none(db: Database) -> None:
    assert rules.rules(db, "nosuchsession") == ()
    with pytest.raises(LookupError, match="nosuchsession"):
        add(db, "nosuchsession", "Use tabs")
