"""``edit_cases.jsonl``: a file's bytes, one edit, and the bytes that must come of it.

Each row's file is written to a temporary workspace and edited by the ``edit_file`` hand. Where
the right answer is an error, any refusal passes that leaves the bytes as they were.
"""

from __future__ import annotations

import asyncio
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from executors.edit_file import EditFile
from executors.protocol import HandError, Job
from executors.seen_files import SeenFiles
from executors.workspace import Workspace
from tests.cases.verdict import Row, Verdict, failed, passed, rows, short

NAME = "file.txt"


def replay(path: Path) -> Iterator[Verdict]:
    """One verdict for each row."""
    for case, row in rows(path):
        yield judged(case, row)


def judged(case: str, row: Row) -> Verdict:
    """Edit as the row says, and compare bytes."""
    before = b64decode(row["file_b64"])
    after, refusal = edited(before, row["old"], row["new"])
    allowed = [b64decode(each) for each in allowed_bytes(row)]
    if row["error"] is None:
        allowed = [b64decode(row["expected_b64"])]
    elif refusal and after == before:
        return passed(case)
    if not refusal and after in allowed:
        return passed(case)
    wanted = f"one of {short(allowed)}" if row["error"] is None else f"a refusal ({row['error']})"
    return failed(case, f"wanted {wanted}, got {short(after)} {short(refusal) if refusal else ''}")


def allowed_bytes(row: Row) -> list[str]:
    """Results that are right as well where the row names an error."""
    given = row.get("allowed_b64") or []
    return [given] if isinstance(given, str) else list(given)


def edited(before: bytes, old: str, new: str) -> tuple[bytes, str]:
    """The file's bytes after the hand was run, and its refusal (empty when it agreed)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / NAME
        file.write_bytes(before)
        refusal = asyncio.run(run_hand(Path(folder), old, new))
        return file.read_bytes(), refusal


async def run_hand(root: Path, old: str, new: str) -> str:
    """Edit through the hand; the text of its refusal, empty when it agreed."""
    arguments = {"path": NAME, "old": old, "new": new}
    try:
        outcome = await EditFile(Workspace(root), SeenFiles()).run(arguments, Job("case"))
    except HandError as error:
        return str(error) or "refused"
    return outcome.content if outcome.is_error else ""
