"""The replay of case files: which format a file has, what is counted, what is an error."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest

from tests.cases.__main__ import main

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
GIVEN = [
    path
    for path in (
        SHARED / "growbox-anchor-cases" / "cache_cases.jsonl",
        SHARED / "growbox-anchor-cases" / "edit_cases.jsonl",
        SHARED / "growbox-anchor-cases" / "fts_cjk_cases.jsonl",
        SHARED / "growbox-anchor-cases" / "stream_decode_cases.jsonl",
        SHARED / "security" / "streams.jsonl",
    )
    if path.exists()
]
"""Cases that lie beside the checkout; where they do not, nothing is collected for them."""

if GIVEN:

    @pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.name)
    def test_all_given_cases_pass(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code = main([str(path)])

        assert code == 0, capsys.readouterr().out


def edit_row(expected: bytes, **more: str) -> str:
    row = {"file_b64": b64encode(b"a\r\nb\r\n").decode(), "encoding": "utf-8", "error": None}
    row |= {"old": "a\n", "new": "A\n", "expected_b64": b64encode(expected).decode(), **more}
    return json.dumps(row) + "\n"


def test_the_last_line_counts_and_a_failure_is_named_by_line_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "edit_cases.jsonl"
    file.write_text(edit_row(b"A\r\nb\r\n", id="good") + edit_row(b"A\nb\n"))

    code = main([str(file)])
    lines = capsys.readouterr().out.splitlines()

    assert code == 1
    assert lines[0].startswith("F 2: ")
    assert lines[-1] == "1 passed, 1 failed"


def test_a_format_that_is_not_known_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("{}\n")

    assert main([str(file)]) == 2
    assert "cases.jsonl" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert main([str(tmp_path / "edit_cases.jsonl")]) == 2


def stream_row(tmp_path: Path, arguments: str, finish: str, calls: list[object]) -> Path:
    function = {"name": "read_file", "arguments": arguments}
    piece = {"index": 0, "id": "c1", "type": "function", "function": function}
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
    ]
    row = {
        "id": "one",
        "wire": "openai-chat",
        "http": {"status": 200, "headers": {"content-type": "text/event-stream"}},
        "writes": [f"data: {json.dumps(each)}\n\n" for each in chunks],
        "end": "close",
        "tools": ["read_file(path:string!)"],
        "expect": {"outcome": "complete", "tool_calls": calls},
    }
    file = tmp_path / "streams.jsonl"
    file.write_text(json.dumps(row) + "\n")
    return file


WHOLE = {"name": "read_file", "arguments": {"path": "a.py"}}


def test_a_stream_passes_when_just_the_allowed_calls_were_run(tmp_path: Path) -> None:
    assert main([str(stream_row(tmp_path, '{"path":"a.py"}', "tool_calls", [WHOLE]))]) == 0


def test_a_stream_fails_when_a_call_was_run_that_it_does_not_allow(tmp_path: Path) -> None:
    assert main([str(stream_row(tmp_path, '{"path":"a.py"}', "tool_calls", []))]) == 1


def test_a_stream_fails_when_a_call_was_not_run_that_it_demands(tmp_path: Path) -> None:
    assert main([str(stream_row(tmp_path, '{"path":"a.p', "tool_calls", [WHOLE]))]) == 1
