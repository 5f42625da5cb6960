"""Cache: the story of a session's prompt cache, as a table or as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from growbox_tui.agent.story import Story, StoryRow, Totals, read
from growbox_tui.claims import SessionError
from growbox_tui.frontends.clean import clean

if TYPE_CHECKING:
    from memory import Memory

HEAD = (
    "#", "time", "tokens", "predicted", "reported", "bound", "kind", "cost", "saved", "cause",
)  # fmt: skip
WORDS = ("kind", "cause")
"""Columns that are read from the left; the others hold figures."""
NOTHING = "-"


async def told(
    file: Path, project: str, session: str | None, output: Literal["text", "json"]
) -> str:
    """The story of a session of the memory file: of the named one, else of the newest in this
    folder, else of the newest. Raises ``SessionError`` for an unknown name or where there is no
    session at all, ``MemoryFileError`` for a file that cannot be read."""
    from memory import Memory

    memory = await Memory.open(file)
    try:
        name = await _chosen(memory, project, session)
        story = await read(memory, name, time.time())
    finally:
        await memory.close()
    return as_json(name, story) if output == "json" else "\n".join(as_table(name, story))


async def _chosen(memory: Memory, project: str, session: str | None) -> str:
    if session is not None and session != "last":
        if await memory.session(session) is None:
            raise SessionError(f"There is no session {session!r}.", "growbox sessions lists them.")
        return session
    newest = await memory.sessions(project, 1) or await memory.sessions(limit=1)
    if not newest:
        raise SessionError("There is no session yet.", "growbox starts one.")
    return newest[0].id


def as_json(session: str, story: Story) -> str:
    """One object with all rows and totals. What is not known is ``null``."""
    totals = {"session": story.session, "today": story.today, "ever": story.ever}
    body = {
        "session": session,
        "requests": [_plain_row(row) for row in story.rows],
        "pings": [_plain_row(row) for row in story.pings],
        "totals": {name: {**asdict(each), "hit": each.hit} for name, each in totals.items()},
    }
    return json.dumps(body, ensure_ascii=False)


def _plain_row(row: StoryRow) -> dict[str, Any]:
    return {**asdict(row), "avoidable": row.avoidable, "missed": row.missed}


def as_table(session: str, story: Story, zone: tzinfo | None = None) -> list[str]:
    """The rows, oldest first, then the totals. ``zone`` is where the reader is; ``None`` is the
    system's own."""
    rows = sorted((*story.rows, *story.pings), key=lambda row: row.at)
    if not rows:
        return [f"Session {session} has made no request yet."]
    lines = _columns([HEAD, *(_cells(row, zone) for row in rows)])
    named = (("this session", story.session), ("today", story.today), ("all time", story.ever))
    return [*lines, "", *(_total_line(name, each) for name, each in named)]


def _cells(row: StoryRow, zone: tzinfo | None) -> tuple[str, ...]:
    at = datetime.fromtimestamp(row.at / 1000).astimezone(zone)
    return (
        str(row.request) if row.request else "ping",
        f"{at:%Y-%m-%d %H:%M:%S}",
        f"{row.tokens:,}",
        f"{row.predicted:,}",
        NOTHING if row.reported is None else f"{row.reported:,}",
        f"{row.bound:,}",
        row.kind or ("as forecast" if row.reported is not None else NOTHING),
        dollars(row.cost),
        dollars(row.saved),
        clean(row.cause).replace("\n", " "),
    )


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if name in WORDS else cell.rjust(width)
            for name, cell, width in zip(HEAD, row, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _total_line(name: str, total: Totals) -> str:
    """What some requests come to, in words."""
    words = [f"{total.requests:,} {'request' if total.requests == 1 else 'requests'}"]
    if total.hit is not None:
        best = total.bound / total.tokens
        words += [
            f"{total.served:,} of {total.tokens:,} tokens served ({total.hit:.1%})",
            f"bound {best:.1%}",
            f"{total.avoidable:,} avoidable",
        ]
    if total.unreported:
        words.append(f"{total.unreported:,} not reported")
    if total.requests > total.unpriced:
        words += [
            f"cost {dollars(total.cost)}",
            f"saved {dollars(total.saved)}",
            f"lost {dollars(total.lost)}",
        ]
    if total.unpriced:
        words.append(f"{total.unpriced:,} of unknown price")
    return f"{name:>12}: {', '.join(words)}"


def dollars(amount: float | None) -> str:
    """US dollars; what is not known is said to be so."""
    if amount is None:
        return "unknown"
    sign, size = "-" if amount < 0 else "", abs(amount)
    return f"{sign}${size:,.2f}" if size >= 100 else f"{sign}${size:.4f}"
