from __future__ import annotations

import json

from growbox_tui.agent.errata import Errata, Front, corrections, written

HAND = json.dumps({"name": "fetch", "description": "get a page", "parameters": {}})


def test_nothing_is_told_of_what_did_not_change() -> None:
    front = Front("be terse", ("no emoji",), (HAND,))
    assert corrections(front, front) == ()


def test_edited_instructions_are_told_as_a_diff() -> None:
    lines = [f"line {number}" for number in range(40)]
    before = "\n".join(lines)
    lines[20] = "a new line"
    (note,) = corrections(Front(before), Front("\n".join(lines)))
    assert "-line 20\n+a new line" in note
    assert "line 3\n" not in note
    assert len(note) < len(before)


def test_instructions_that_changed_all_over_are_told_whole() -> None:
    (note,) = corrections(Front("a\nb\nc"), Front("x\ny\nz"))
    assert note.endswith("They now read:]\nx\ny\nz")


def test_instructions_that_came_or_went_are_told_so() -> None:
    assert corrections(Front(), Front("use tabs"))[0].endswith("\nuse tabs")
    assert "taken away" in corrections(Front("use tabs"), Front())[0]


def test_rules_are_told_as_what_holds_now_and_what_does_no_more() -> None:
    (note,) = corrections(Front(rules=("a", "旧规则")), Front(rules=("a", "新规则")))
    assert "from now on:]\n- 新规则" in note
    assert "any more:]\n- 旧规则" in note
    assert "- a" not in note


def test_late_hands_are_announced_with_their_schema_and_missed_by_name() -> None:
    (note,) = corrections(Front(), Front(hands=(HAND,)))
    assert "call_tool" in note
    assert HAND in note
    (gone,) = corrections(Front(hands=(HAND,)), Front())
    assert "fetch" in gone
    assert "get a page" not in gone


def test_a_front_that_is_written_anew_holds_all_but_late_hands() -> None:
    errata = written(Front("be terse", ("no emoji",), (HAND,)))
    assert errata.stands == errata.told == Front("be terse", ("no emoji",))


def test_what_was_told_survives_the_file() -> None:
    errata = Errata(Front("a", ("b",)), Front("c", ("d", "e"), (HAND,)))
    assert Errata.from_plain(json.loads(json.dumps(errata.to_plain()))) == errata
