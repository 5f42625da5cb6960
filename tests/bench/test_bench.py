"""The benches count rightly; what they measure is left to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from growbox_tui.agent.events import MessageEnded
from tests.bench.__main__ import BENCHES, main, parser_of
from tests.bench.figures import as_json, percentile, table
from tests.bench.kill import Round, faults_on_file, unanswered
from tests.doubles.layout import share, shares, units


def body(*words: str) -> dict[str, object]:
    return {"tools": [{"name": "shell"}], "messages": [{"content": word} for word in words]}


def test_a_prompt_that_only_grows_reaches_its_bound() -> None:
    found = shares([body("a"), body("a", "b"), body("a", "b", "c")])

    assert [each.broken for each in found] == [False, False, False]
    assert found[1].cached == found[1].bound == found[0].size


def test_a_prompt_whose_beginning_changed_is_broken() -> None:
    found = shares([body("a" * 50, "b" * 50), body("x" * 50, "b" * 50, "c")])

    assert found[1].broken


def test_requests_without_tools_do_not_count() -> None:
    assert len(shares([body("a"), {"messages": [{"content": "title"}]}, body("a", "b")])) == 2


def test_marks_for_the_cache_are_no_part_of_its_text() -> None:
    marked = {"messages": [{"content": "a", "cache_control": {"type": "ephemeral"}}], "tools": [1]}

    assert not shares([marked, {"messages": [{"content": "a"}], "tools": [1]}])[1].broken


def test_a_read_costs_a_tenth_and_a_write_a_quarter_more() -> None:
    first = share(None, ["x" * 400])
    second = share(["x" * 400], ["x" * 400, "y" * 40])

    assert units([first, second]) == round((1.25 * 440 + 0.1 * 400) / 4)


def test_the_rank_of_a_percentile_is_the_nearest() -> None:
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([7.0], 0.95) == 7.0


def test_figures_are_shown_as_a_table_and_as_one_line_of_json() -> None:
    figures = {"start_s": 0.123456, "heavy": False}

    assert table(figures).splitlines() == ["start_s  0.123", "heavy    False"]
    assert json.loads(as_json(figures)) == {"start_s": 0.1235, "heavy": False}


def test_a_call_without_a_result_right_behind_it_is_found() -> None:
    call = {"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]}
    result = {"role": "tool", "tool_call_id": "c1"}
    words = {"role": "user", "content": "go on"}

    assert unanswered({"messages": [call, result, words]}) == ["call c2 was not answered"]
    assert unanswered({"messages": [result]}) == ["a result answers no call: c1"]


async def test_a_message_that_was_told_as_finished_and_is_not_on_file_is_found(
    tmp_path: Path,
) -> None:
    killed = Round(None, [MessageEnded("mem://nothing", "Lost words", "end")])

    faults = await faults_on_file(tmp_path / "memory.db", killed)

    assert [fault.partition(" was told")[0] for fault in faults] == [
        "mem://nothing",
        "'Lost words'",
    ]


@pytest.mark.parametrize("name", BENCHES)
def test_every_bench_that_is_named_is_there(name: str) -> None:
    assert "--json" in parser_of(name).format_help()


def test_the_list_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(BENCHES)


def test_an_unknown_name_is_a_usage_error() -> None:
    assert main(["speed"]) == 2
