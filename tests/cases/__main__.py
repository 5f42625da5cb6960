"""Replays case files against the product: ``python -m tests.cases FILE…``.

Prints the ids that fail and what differed, then ``N passed, M failed``. Exit code 0 when none
failed, 1 when any did, 2 for a file that cannot be read or whose format is not known.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.cases.verdict import Verdict

Replay = Callable[[Path], Iterable[Verdict]]

FORMATS = {
    "cache_cases.jsonl": "cache",
    "edit_cases.jsonl": "edit",
    "fts_cjk_cases.jsonl": "fts_cjk",
    "stream_decode_cases.jsonl": "stream_decode",
    "streams.jsonl": "streams",
    "pi-edit-cases/cases.jsonl": "pi_edit",
}
"""Module by file name, or by folder and file name where the name alone says nothing. Only the
module that is needed is imported."""


def format_of(path: Path) -> Replay | None:
    """How a file is replayed; ``None`` for a format that is not known."""
    whole = path.resolve()
    name = FORMATS.get(whole.name) or FORMATS.get(f"{whole.parent.name}/{whole.name}")
    if name is None:
        return None
    replay: Replay = importlib.import_module(f"tests.cases.{name}").replay
    return replay


def report(path: Path, replay: Replay) -> Counter[str]:
    """Replay one file, print what failed, and count."""
    counts: Counter[str] = Counter()
    for verdict in replay(path):
        counts[verdict.outcome] += 1
        if verdict.outcome == "failed":
            print(f"F {verdict.case}: {verdict.why}", flush=True)
        elif verdict.outcome == "read":
            print(f"R to be read by a person: {verdict.case}: {verdict.why}", flush=True)
    return counts


def main(arguments: Sequence[str]) -> int:
    """Replay all files; the exit code."""
    if not arguments:
        print(f"usage: python -m tests.cases FILE…\nformats: {', '.join(FORMATS)}", file=sys.stderr)
        return 2
    known: list[tuple[Path, Replay]] = []
    for path in map(Path, arguments):
        replay = format_of(path)
        if replay is None or not path.is_file():
            why = f"no format of this name (known: {', '.join(FORMATS)})" if replay is None else ""
            print(f"{path}: {why or 'no such file'}", file=sys.stderr)
            return 2
        known.append((path, replay))
    counts: Counter[str] = Counter()
    for path, replay in known:
        counts += report(path, replay)
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
