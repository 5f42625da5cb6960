"""Orders what was brought: by score, who spoke and where, each text once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory.store.database import Database

ROLE_WEIGHTS = {"user": 0.0, "assistant": -0.05, "tool": -0.3, "system": -0.3}
"""In standard deviations. Tool output is long and repeats what was said; at equal score the words
of the people come first, the user's before the reply."""

SAME_PROJECT = 0.3
"""In standard deviations, for memories of the project that asks."""

_COMPARED_CHARS = 4_000
"""Two texts whose words agree so far are repeats of each other."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that will be shown if there is room."""

    seq: int
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
    marks = ", ".join("?" * len(brought))
    rows = db.rows(
        f"SELECT seq, role, project, substr(text, 1, {_COMPARED_CHARS}) FROM nodes"
        f" WHERE seq IN ({marks})",
        tuple(brought),
    )
    candidates = []
    for seq, role, home, text in rows:
        score, ways = brought[seq]
        score += ROLE_WEIGHTS.get(role, 0.0) + (SAME_PROJECT if project and home == project else 0)
        words = " ".join(_WORD.findall(text.casefold())) or f"#{seq}"
        candidates.append(Candidate(seq, score, ways, words))
    candidates.sort(key=lambda candidate: (-candidate.score, -candidate.seq))
    return without_repeats(candidates)


def without_repeats(candidates: list[Candidate]) -> list[Candidate]:
    """One of each text: the newest, with the place and score of the best."""
    kept: dict[str, Candidate] = {}
    for candidate in candidates:
        known = kept.setdefault(candidate.words, candidate)
        if candidate.seq > known.seq:
            kept[candidate.words] = replace(candidate, score=known.score)
    return list(kept.values())
