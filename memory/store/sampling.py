"""Sampling: a few places of a space that stand for all, drawn without chance."""

from __future__ import annotations

from memory.store import code_blocks, old_vectors
from memory.store.database import Database

KNUTH = 2_654_435_761
"""Its multiples scatter over 32 bits."""
ORDERED = 64
"""A sample is drawn from a list of all places unless there are more than so many times as many."""

_DRAWN = f"""
    SELECT seq FROM embedded WHERE space = ? AND stored = 1
    ORDER BY (seq * {KNUTH}) & 4294967295, seq LIMIT ?
"""


def sample(db: Database, space: int, many: int) -> list[int]:
    """About so many places with a vector, ascending, scattered over all that was said; the same on
    every machine. Takes some ms whatever the size of the space."""
    state = code_blocks.state(db, space)
    if state is None or state.stored <= ORDERED * many or old_vectors.left(db, space):
        return sorted(place for (place,) in db.rows(_DRAWN, (space, many)))
    table = f"vectors_{space:d}"
    lowest = int(db.value(f"SELECT min(id) FROM {table}"))
    highest = int(db.value(f"SELECT max(id) FROM {table}"))
    width = highest - lowest + 1
    asked = [lowest + (turn * KNUTH % 2**32) * width // 2**32 for turn in range(many)]
    behind = f"SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT 1"
    return sorted({int(db.value(behind, (place,))) for place in asked})
