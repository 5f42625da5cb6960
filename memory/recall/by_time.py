"""Finds memories by when they were made: what was said then, newest conversation first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo

from memory.recollection import Query
from memory.store import nodes
from memory.store.database import Database
from memory.types import Node

from .time_phrases import TimeAsked

SAID = ("user", "assistant")
"""Time brings what was said, not what the hands printed."""

_SLOPE = 0.3
"""How far the last of what was said then lies below the first; what was not said then has 0."""


def find(
    db: Database, query: Query, asked: TimeAsked, k: int, zone: tzinfo | None = None
) -> tuple[tuple[tuple[int, float], ...], str]:
    """Pairs of seq and score, best first, and a notice when it is not what was asked for.

    With a span: what was said in it, in any project. Without one ("last time"), or when nothing was
    said then: the last earlier conversation of the project (of any, if the query names none).
    """
    if asked.span is not None:
        first, last = asked.span
        said = nodes.between(db, first, last, roles=SAID, limit=k)
        if said:
            return _ranked(said), ""
    session = nodes.latest_session(db, project=query.project or None, besides=query.session)
    said = nodes.newest(db, k, session=session, roles=SAID) if session is not None else []
    if asked.span is None:
        return _ranked(said), "" if said else "There is no earlier conversation in this project."
    if not said:
        return (), f"Nothing is remembered for “{asked.phrase}”."
    day = datetime.fromtimestamp(said[0].at / 1000, UTC).astimezone(zone).date()
    return _ranked(said), (
        f"Nothing is remembered for “{asked.phrase}”; "
        f"this is from the last earlier conversation in this project ({day.isoformat()})."
    )


def _ranked(said: Iterable[Node]) -> tuple[tuple[int, float], ...]:
    """Newest session first, in it the newest words first. The scores fall evenly, but little: being
    of the time asked for counts more than being late in it."""
    ordered = sorted(said, key=lambda node: -node.seq)
    newest: dict[str, int] = {}
    for node in ordered:
        newest.setdefault(node.session, node.seq)
    ordered.sort(key=lambda node: (-newest[node.session], -node.seq))
    count = len(ordered)
    return tuple((node.seq, 1 - _SLOPE * place / count) for place, node in enumerate(ordered))
