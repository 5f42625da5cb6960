"""``pi-edit-cases/cases.jsonl``: edits whose ``old`` is not quite what the file holds.

A row names the whole result, or words that must be in it, or that it must be refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.cases.edit import edited
from tests.cases.verdict import Row, Verdict, compared, failed, passed, rows, short


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    for case, row in rows(path):
        yield judged(case, row)


def judged(case: str, row: Row) -> Verdict:
    """Edit as the row says, and compare text."""
    before = row["file"].encode()
    data, refusal = edited(before, row["old"], row["new"])
    after = data.decode()
    if row["error"] is not None:
        return passed(case) if refusal and data == before else failed(case, f"got {short(after)}")
    if row["expected"] is not None:
        return compared(case, row["expected"], refusal or after)
    if not refusal and row["contains"] in after:
        return passed(case)
    return failed(case, f"{short(row['contains'])} is not in {short(refusal or after)}")
