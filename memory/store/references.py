"""References: nodes that hold what a file said, and whether it was seen to say otherwise since.

A node with ``meta["reference"]`` (``path``: absolute; ``sha256``: of the file's bytes when it was
read) is a copy of part of that file. The timeline never changes, so an edited file is a newer node
of the same path with another sum; what led to the older one has to be looked at before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory.store.database import Database
from memory.store.texts import to_json

_OUTDATED = """
    SELECT old.seq FROM nodes AS old
    WHERE old.seq IN (SELECT value FROM json_each(?1))
    AND json_extract(old.meta, '$.reference.path') IS NOT NULL
    AND EXISTS (
        SELECT 1 FROM nodes AS new
        WHERE new.seq > old.seq
        AND json_extract(new.meta, '$.reference.path')
            = json_extract(old.meta, '$.reference.path')
        AND json_extract(new.meta, '$.reference.sha256')
            IS NOT json_extract(old.meta, '$.reference.sha256')
    )
"""


def outdated(db: Database, seqs: Iterable[int]) -> set[int]:
    """Those of the nodes at these positions whose file has been seen with other contents since."""
    return {seq for (seq,) in db.rows(_OUTDATED, (to_json(list(seqs)),))}
