"""What came of one case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row, judged."""

    case: str
    """The row's id, or its line number."""
    outcome: Literal["passed", "failed", "read"]
    """``read``: no program can act it out, so a person has to read it."""
    why: str = ""
    """What differed, or what a person should look at."""


def passed(case: str) -> Verdict:
    """The product did the right thing."""
    return Verdict(case, "passed")


def failed(case: str, why: str) -> Verdict:
    """It did not; ``why`` holds what was wanted and what came."""
    return Verdict(case, "failed", why)


def to_read(case: str, why: str) -> Verdict:
    """The row does not say, or no program can act it out."""
    return Verdict(case, "read", why)


def compared(case: str, wanted: object, got: object) -> Verdict:
    """Passed when both are equal."""
    if wanted == got:
        return passed(case)
    return failed(case, f"wanted {short(wanted)}, got {short(got)}")


def short(value: object, limit: int = 300) -> str:
    """A value on one line of plain ASCII: rows hold control and bidi characters on purpose."""
    text = ascii(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def rows(path: Path) -> Iterator[tuple[str, Row]]:
    """``(id, row)`` of each line of a JSONL file; a row without ``id`` has its line number."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                row: Row = json.loads(line)
                yield str(row.get("id", number)), row
