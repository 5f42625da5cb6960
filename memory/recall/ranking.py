"""Orders what was brought: by score, who spoke and where, each text once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory.store.database import Database
from memory.store.texts import to_json

ROLE_WEIGHTS = {"user": 0.0, "assistant": -0.05, "tool": -0.3, "system": -0.3}
"""In standard deviations. Tool output is long and repeats what was said; at equal score the words
of the people come first, the user's before the reply."""

SAME_PROJECT = 0.3
"""In standard deviations, for memories of the project that asks."""

_COMPARED_CHARS = 4_000
"""Two texts whose words agree so far are repeats of each other."""

_ROWS = f"""
    SELECT seq AS place, seq, role, project, substr(text, 1, {_COMPARED_CHARS}) FROM nodes
    WHERE seq IN (SELECT value FROM json_each(?1))
    UNION ALL
    SELECT -pieces.id, seq, role, project, substr(text, lo + 1, min(hi - lo, {_COMPARED_CHARS}))
    FROM pieces JOIN nodes ON seq = node WHERE -pieces.id IN (SELECT value FROM json_each(?1))
"""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that will be shown if there is room."""

    place: int
    """Of a node, or of a piece of one."""
    position: int
    """On the timeline."""
    score: float
    ways: tuple[str, ...]
    words: str
    """Its beginning without case, spacing and punctuation."""


def ranked(
    db: Database, brought: Mapping[int, tuple[float, tuple[str, ...]]], project: str
) -> list[Candidate]:
    """Best first, equal ones newest first; of repeats the newest, in the place of the best.

    Reads the beginnings of texts only: a tool's output may be megabytes, and most candidates are
    not shown.
    """
    if not brought:
        return []
    candidates = []
    for place, seq, role, home, text in db.rows(_ROWS, (to_json(list(brought)),)):
        score, ways = brought[place]
        score += ROLE_WEIGHTS.get(role, 0.0) + (SAME_PROJECT if project and home == project else 0)
        words = " ".join(_WORD.findall(text.casefold())) or f"#{place}"
        candidates.append(Candidate(place, seq, score, ways, words))
    candidates.sort(key=lambda each: (-each.score, -each.position, -each.place))
    return without_repeats(candidates)


def without_repeats(candidates: list[Candidate]) -> list[Candidate]:
    """One of each text: the newest, with the place and score of the best."""
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        known = kept.setdefault(candidate.words, candidate)
        if candidate.position > known.position:
            kept[candidate.words] = replace(candidate, score=known.score)
    return list(kept.values())
