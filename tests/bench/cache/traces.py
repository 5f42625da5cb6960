"""Traces: recorded sessions of coding agents, sizes and times only, as a bench replays them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]

SCALES = {"pi_large": 1.259, "pi_refactor": 1.231}
"""How many tokens Claude counted for one of the trace's, fitted on what was billed."""
TIMED_SCALE = 1.25
"""The same for other sessions with times: they were recorded of the same family of models."""
TOOL_SECONDS = 8.0
"""Between two messages of a trace that has no times."""
USER_SECONDS = 60.0
"""Before a user's message of a trace that has no times."""
PAUSE_SECONDS = 600.0
"""Between two tasks of one day."""
LEFT_OUT = ("aider_00",)
"""One giant paste and hardly a conversation."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One message of a trace."""

    role: Role
    tokens: int
    blocks: int
    """Content blocks it is made of, at most its tokens."""
    at: float
    """Seconds since the trace began, when it exists."""


Trace = tuple[Recorded, ...]


def load(folder: Path) -> dict[str, Trace]:
    """All traces of a folder by name.

    A session with times, or whose name begins with ``pi_``, stands for itself. What SWE agents did
    is joined into ``swe_day`` and what aider did into ``aider_day``, with pauses between the tasks.
    Raises ``ValueError`` for a folder without traces, and for a line that is none.
    """
    paths = [path for path in sorted(folder.glob("*.jsonl")) if path.stem not in LEFT_OUT]
    days: dict[str, list[Path]] = {}
    found: dict[str, Trace] = {}
    for path in paths:
        family = path.stem.partition("_")[0]
        if family in ("swe", "mini"):
            days.setdefault("swe_day", []).append(path)
        elif family == "aider":
            days.setdefault("aider_day", []).append(path)
        else:
            found[path.stem] = tuple(_messages(path, _scale(path)))
    # SWE agents first, then mini-swe-agent: the order in which the published figures were made.
    for name, parts in days.items():
        found[name] = _joined(sorted(parts, key=lambda path: (path.stem[0] == "m", path.stem)))
    if not found:
        raise ValueError(f"no traces (*.jsonl) in {folder}")
    return found


def calls(trace: Sequence[Recorded]) -> int:
    """How many times the model was called: once for each reply, the very first message aside."""
    return sum(message.role == "assistant" for message in trace[1:])


def _scale(path: Path) -> float:
    if path.stem in SCALES:
        return SCALES[path.stem]
    timed = any("t" in row for row in _rows(path))
    return TIMED_SCALE if timed else 1.0


def _joined(paths: Iterable[Path]) -> Trace:
    found: list[Recorded] = []
    start = 0.0
    for path in paths:
        found += _messages(path, 1.0, start)
        start = (found[-1].at if found else start) + PAUSE_SECONDS
    return tuple(found)


def _messages(path: Path, scale: float, start: float = 0.0) -> list[Recorded]:
    found: list[Recorded] = []
    at = start
    for row in _rows(path):
        role = row["role"]
        if role not in ("user", "assistant", "tool"):
            continue
        if "t" in row:
            at = start + float(row["t"])
        else:
            at += USER_SECONDS if role == "user" else TOOL_SECONDS
        tokens = max(1, round(row["tokens"] * scale))
        blocks = max(1, min(int(row.get("blocks", 1)), tokens))
        found.append(Recorded(role, tokens, blocks, at))
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    """The messages of a file. Raises ``ValueError`` with file and line for what is none."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if row["type"] == "msg":
                rows.append({**row, "role": row["role"], "tokens": int(row["tokens"])})
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path.name}:{number}: no message of a trace: {error!r}") from error
    return rows
