"""Each row from 1 to 78 of the specification's checklist is tried somewhere, in a test that says so
with a comment ``# row 12`` (its first line), or is listed here with the reason why it is not.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\s+# row (\d+)\b", re.MULTILINE)
ROWS = range(1, 79)

WITHOUT_MEANING = {
    6: "What changes of a memory (heat, pins) is kept beside it and never on it, so no copy of a "
    "node can be stale.",
    9: "No kind of node is read by its first lines here: what has structure has it in its meta.",
    21: "Nothing is unsplittable: a sentence that is longer than a piece is cut between words, and "
    "a word that is, between visible signs (tried in test_cutting under row 16). What comes to one "
    "piece stays whole and is decided once, in the transaction that stores it.",
}
"""Rows that our design makes meaningless."""


def named() -> dict[int, set[str]]:
    """Row → the test files that name it."""
    found: dict[int, set[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        if path == Path(__file__):
            continue
        for number in ROW.findall(path.read_text(encoding="utf-8")):
            found.setdefault(int(number), set()).add(path.relative_to(TESTS).as_posix())
    return found


def test_every_row_of_the_checklist_is_tried_or_has_a_reason() -> None:
    missing = [row for row in ROWS if row not in named() and row not in WITHOUT_MEANING]

    assert missing == []


def test_each_row_is_named_in_one_file() -> None:
    assert {row: files for row, files in named().items() if len(files) > 1} == {}


def test_no_row_that_is_tried_is_called_meaningless() -> None:
    assert sorted(named().keys() & WITHOUT_MEANING.keys()) == []
