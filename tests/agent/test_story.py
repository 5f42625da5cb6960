from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from growbox_tui.agent.story import FIGURES, StoryRow, Totals, added, read, row, total
from memory.memory import Memory
from tests.doubles.embedding import SetClock

NOON = 1_777_809_600
"""Seconds: the middle of a day."""
RECORD = {
    "request": 3,
    "input": 1_000,
    "output": 20,
    "cache_read": 700,
    "cache_write": 300,
    "cost": 0.002,
    "seconds": 1.5,
    "predicted": 710,
    "cause": "",
    "kind": "",
    "bound": 900,
    "saved": 0.001,
    "lost": 0.0004,
    "model": "a/b",
    "estimated": 980,
}


def test_a_record_becomes_a_row() -> None:
    made = row(5_000, 2, json.dumps(RECORD))
    assert made == StoryRow(3, 5_000, "a/b", 2, 1_000, 710, 700, 900, "", "", 0.002, 0.001, 0.0004)
    assert made.avoidable == 200


def test_a_request_that_was_never_reported_counts_by_its_estimate() -> None:
    body = {**RECORD, "input": None, "cache_read": None, "cost": None, "kind": "not reported"}
    made = row(1, 1, json.dumps(body))
    assert (made.tokens, made.reported, made.avoidable, made.missed) == (980, None, 0, False)


def test_a_record_of_an_earlier_version_is_read_as_far_as_it_goes() -> None:
    old = {
        "model": "a/b",
        "estimated": 900,
        "event": "UsageReported",
        "request": 1,
        "input": 1_000,
        "output": 5,
        "cache_read": 600,
        "cache_write": None,
        "cost": None,
        "seconds": 1.0,
        "predicted": 650,
        "cause": "",
    }
    made = row(9, 1, json.dumps(old))
    assert (made.tokens, made.predicted, made.reported, made.bound) == (1_000, 650, 600, 650)
    assert (made.kind, made.cost, made.saved) == ("", None, None)


def test_totals_leave_out_what_is_not_known_and_say_how_much_that_is() -> None:
    silent = {**RECORD, "cache_read": None}
    unpriced = {**RECORD, "cost": None, "saved": None, "lost": None}
    rows = [row(1, 1, json.dumps(body)) for body in (RECORD, silent, unpriced)]
    made = total(rows)
    assert (made.requests, made.unreported, made.unpriced) == (3, 1, 1)
    assert (made.tokens, made.served, made.bound, made.avoidable) == (2_000, 1_400, 1_800, 400)
    assert made.hit == 0.7
    assert (round(made.cost, 6), round(made.saved, 6)) == (0.004, 0.002)


COUNT = st.none() | st.integers(0, 10_000)
DOLLARS = st.none() | st.integers(-100, 100).map(float)


@given(
    st.lists(
        st.fixed_dictionaries(
            {name: DOLLARS if name in ("cost", "saved", "lost") else COUNT for name in FIGURES}
        )
    )
)
def test_totals_of_figures_alone_are_those_of_the_whole_records(
    records: Sequence[dict[str, Any]],
) -> None:
    rows = [row(0, 1, json.dumps(record)) for record in records]
    assert added([tuple(record[name] for name in FIGURES) for record in records]) == total(rows)


async def test_the_story_is_of_one_session_and_its_totals_of_three(tmp_path: Path) -> None:
    clock = SetClock()
    memory = await Memory.open(tmp_path / "dated.db", clock=clock)
    mine = await memory.open_session("/p", "a/b")
    other = await memory.open_session("/p", "a/b")
    clock.at = (NOON - 3 * 86_400) * 1000
    await memory.note_request(mine, 1, json.dumps({**RECORD, "request": 1}))
    clock.at = NOON * 1000
    await memory.note_request(other, 1, json.dumps(RECORD))
    await memory.note_request(mine, 2, json.dumps({**RECORD, "request": 2}))
    await memory.note_request(mine, 2, json.dumps({**RECORD, "request": 0}))
    story = await read(memory, mine, NOON)
    await memory.close()
    assert [each.request for each in story.rows] == [1, 2]
    assert [each.epoch for each in story.rows] == [1, 2]
    assert [each.request for each in story.pings] == [0]
    counted = (story.session.requests, story.today.requests, story.ever.requests)
    assert counted == (3, 3, 4)


async def test_a_session_without_a_request_has_an_empty_story(memory: Memory) -> None:
    session = await memory.open_session("/p", "a/b")
    story = await read(memory, session, NOON)
    assert (story.rows, story.session, story.today, story.ever) == (
        (),
        Totals(),
        Totals(),
        Totals(),
    )
    assert story.session.hit is None
