import json
from pathlib import Path

import pytest

from tests.models.stream_judge import dispatchable, faults, play

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases"
STREAMS = CASES / "security" / "streams.jsonl"

if STREAMS.is_file():
    ROWS = [json.loads(line) for line in STREAMS.read_text(encoding="utf-8").splitlines()]

    @pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
    async def test_a_given_fault_has_the_right_outcome_and_runs_no_call_that_it_should_not(row):
        got = await play(row)
        calls = [call.name for call in dispatchable(row, got)]
        allowed = [call["name"] for call in row["expect"].get("tool_calls", [])]
        assert "tool_calls" not in row["expect"] or calls == allowed
        assert faults(row, got) == []
