"""``growbox cache``: the story of a session's prompt cache, told by another process."""

from __future__ import annotations

import json

from tests.e2e.conftest import Growbox


def test_the_story_of_two_processes_is_one_story(growbox: Growbox) -> None:
    growbox("-p", "What is this?")
    growbox("--resume", "-p", "And who prunes?")

    story = json.loads(growbox("cache", "--output", "json").out)
    table = growbox("cache").out

    assert [row["request"] for row in story["requests"]] == [1, 2]
    assert story["requests"][0]["kind"] == "first"
    assert story["requests"][1]["predicted"] > 0
    assert story["totals"]["ever"]["requests"] == 2
    assert [line.split()[0] for line in table.splitlines()[:3]] == ["#", "1", "2"]


def test_what_cannot_be_told_is_said_in_a_sentence(growbox: Growbox) -> None:
    nothing = growbox("cache")
    assert (nothing.code, nothing.out) == (2, "")
    assert nothing.err == "There is no session yet. growbox starts one.\n"
    assert growbox("cache", "--output", "xml").code == 2
