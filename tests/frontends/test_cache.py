from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC
from pathlib import Path

import pytest

from growbox_tui.agent.story import Story, StoryRow, total
from growbox_tui.claims import SessionError
from growbox_tui.frontends.cache import as_json, as_table, dollars, told
from memory.memory import Memory

FIRST = StoryRow(1, 0, "a/b", 1, 1_000, 0, 0, 0, "first", "", 0.0025, -0.0005, 0.0)
LOST = StoryRow(
    2, 90_000, "a/b", 1, 2_000, 1_000, 0, 1_000, "expiry", "nothing was asked for 7 min\x1b[2J",
    0.005, -0.001, 0.0024,
)  # fmt: skip
SILENT = StoryRow(
    3, 95_000, "a/b", 1, 2_100, 2_000, None, 2_000, "not reported", "", None, None, None
)
PING = StoryRow(0, 99_000, "a/b", 1, 2_100, 2_000, 2_000, 2_000, "", "", 0.0002, 0.0038, 0.0)
ROWS = (FIRST, LOST, SILENT)
STORY = Story(ROWS, total([*ROWS, PING]), total([LOST]), total([*ROWS, PING]), (PING,))


def test_each_request_is_a_line_in_columns_and_then_come_the_totals() -> None:
    lines = as_table("s1", STORY, UTC)
    assert lines[0].split() == [
        *("#", "time", "tokens", "predicted", "reported", "bound"),
        *("kind", "cost", "saved", "cause"),
    ]
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "ping"]
    assert lines[2].split()[1:8] == [
        *("1970-01-01", "00:01:30", "2,000", "1,000", "0", "1,000", "expiry")
    ]
    assert [line.split(":")[0].strip() for line in lines[6:]] == [
        "this session",
        "today",
        "all time",
    ]


def test_figures_stand_under_their_names() -> None:
    head, *rows = as_table("s1", STORY, UTC)[:5]
    for name in ("tokens", "predicted", "reported", "bound"):
        end = head.index(name) + len(name)
        assert all(row[end - 1] != " " and row[end] == " " for row in rows)


def test_what_is_not_known_is_said_to_be_so() -> None:
    lines = as_table("s1", STORY, UTC)
    assert "unknown" in lines[3]
    assert " - " in lines[3]
    assert "1 not reported" in lines[6]
    assert "1 of unknown price" in lines[6]


def test_no_word_of_a_cause_steers_the_terminal() -> None:
    assert "\x1b" not in "\n".join(as_table("s1", STORY, UTC))


def test_a_session_without_a_request_says_so() -> None:
    assert as_table("s1", Story()) == ["Session s1 has made no request yet."]


def test_json_carries_the_same() -> None:
    told = json.loads(as_json("s1", STORY))
    assert told["session"] == "s1"
    assert [row["request"] for row in told["requests"]] == [1, 2, 3]
    assert told["requests"][1]["avoidable"] == 1_000
    assert told["requests"][2]["reported"] is None
    assert told["pings"][0]["cost"] == 0.0002
    assert told["totals"]["today"]["lost"] == 0.0024
    assert told["totals"]["session"]["hit"] == pytest.approx(2_000 / 5_100)


@pytest.mark.parametrize(
    ("amount", "words"),
    [(None, "unknown"), (0.0, "$0.0000"), (-0.0015, "-$0.0015"), (1234.5, "$1,234.50")],
)
def test_dollars_are_written_with_their_sign(amount: float | None, words: str) -> None:
    assert dollars(amount) == words


@pytest.fixture
async def file(tmp_path: Path) -> AsyncIterator[Path]:
    memory = await Memory.open(tmp_path / "memory.db")
    for project in ("/here", "/there"):
        session = await memory.open_session(project, "a/b")
        window = await memory.window(session)
        await memory.note_request(session, 1, json.dumps({"request": 1, "model": project}))
        await say(memory, window)
    await memory.close()
    yield tmp_path / "memory.db"


async def say(memory: Memory, window: object) -> None:
    from growbox_tui.agent.messages import Message, Text, message_to_json
    from memory.types import Budget

    budget = Budget(9_000, 1_000, 3_000, 1_000, 3_000, 500)
    await memory.begin_epoch(
        window, tools=(), system=(), why="", budget=budget, cold=True, shorten=lambda e, n: e
    )  # type: ignore[call-arg]
    body = message_to_json(Message("user", (Text("hi"),)))
    await memory.record(window, turn=1, role="user", body=body, tokens=3)  # type: ignore[arg-type]


async def test_the_newest_session_of_the_folder_is_told_unless_one_is_named(file: Path) -> None:
    here = json.loads(await told(file, "/here", None, "json"))
    there = json.loads(await told(file, "/there", "last", "json"))
    named = json.loads(await told(file, "/here", there["session"], "json"))
    elsewhere = json.loads(await told(file, "/new", None, "json"))
    assert here["requests"][0]["model"] == "/here"
    assert there["requests"][0]["model"] == "/there"
    assert named == there
    assert elsewhere["session"] in (here["session"], there["session"])
    assert here["totals"]["ever"]["requests"] == 2


async def test_an_unknown_session_and_an_empty_file_are_told(file: Path, tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no session 'nosuch'"):
        await told(file, "/here", "nosuch", "text")
    with pytest.raises(SessionError, match="no session yet"):
        await told(tmp_path / "new.db", "/here", None, "text")
