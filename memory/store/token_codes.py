"""Token codes: what late interaction keeps of a text, beside its vector in one space.

Read for the few candidates of a question alone, by place. They go with the vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from memory.store.database import Database
from memory.store.texts import to_json


def put(db: Database, space: int, rows: Sequence[tuple[int, bytes]]) -> None:
    """Keep the codes of places that have a vector in this space; empty ones are left out. Belongs
    in the transaction that stores the vectors."""
    db.many(
        "INSERT OR REPLACE INTO token_codes SELECT ?1, ?2, ?3 WHERE EXISTS"
        " (SELECT 1 FROM embedded WHERE space = ?2 AND seq = ?1 AND stored = 1)",
        [(place, space, codes) for place, codes in sorted(rows) if codes],
    )


def of(db: Database, space: int, places: Sequence[int]) -> dict[int, bytes]:
    """Place → its codes of this space; what has none is left out."""
    rows = db.rows(
        "SELECT place, codes FROM token_codes"
        " WHERE space = ? AND place IN (SELECT value FROM json_each(?))",
        (space, to_json(list(places))),
    )
    return {place: bytes(codes) for place, codes in rows}
