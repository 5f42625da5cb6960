"""Search: the nearest vectors of a space in two stages, or by looking at all.

The codes of a space say which places are likely near; the vectors of these are read in the order of
that likeness, a batch at a time, until what the last batch looked like says that another one would
hardly bring anything.
"""

from __future__ import annotations

from contextlib import nullcontext
from math import erfc, sqrt
from typing import TYPE_CHECKING

import apsw

from memory.store import code_blocks, codes, cosines, old_vectors
from memory.store.cosines import Cosines, has_direction
from memory.store.database import Database
from memory.store.extension import load
from memory.store.resident import ResidentCodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NEIGHBOURS = 4_096
"""The largest ``k``."""
FIRST_BATCH = 256
"""Vectors that are read at least; about 1.5 ms."""
MOST_READ = 3_072
"""Vectors that are read at most, unless ``k`` asks for more: some 15 ms."""
MISSED = 0.15
"""Share of ``k`` that as many again may be expected to bring when no more are read. It errs on the
safe side: at a million .99 of the ten nearest are found after 1,200 vectors read in the mean."""


def nearest(
    db: Database, space: int, vector: bytes, k: int, *, exact: bool = False
) -> list[tuple[int, float]]:
    """The ``k`` nearest places, at most ``MOST_NEIGHBOURS``: (place, cosine), nearest first, equal
    ones newest first. ``vector``: little-endian float32; nothing is near one without a direction.

    The cosines are exact. That no place is missing is likely and not sure, unless all vectors are
    read (``exact``), which takes seconds at a million. Raises ``MemoryFileError``.
    """
    k = min(k, MOST_NEIGHBOURS)
    if k < 1 or not has_direction(vector):
        return []
    load(db)
    # One view of the file: codes of one basis and vectors of the same moment.
    with nullcontext() if db.connection.in_transaction else db.snapshot():
        found = old_vectors.nearest(db, space, vector, k)
        state = code_blocks.state(db, space)
        if state is not None and state.stored:
            if exact or state.basis is None:
                near = cosines.everywhere(db, space, vector)
            else:
                near = _two_stages(db, space, state, state.basis, vector, k)
            found += _best(*near, k)
    return sorted(found, key=lambda hit: (-hit[1], -hit[0]))[:k]


def scan(db: Database, space: int, vector: bytes, lo: int, hi: int) -> Cosines:
    """The exact cosines of all that was said from position ``lo`` to ``hi``, both included: places
    of nodes and of pieces, in no order, and the cosine of each. Read as a stream; 16 bytes a place
    are held. Empty for a vector without a direction. Raises ``MemoryFileError``."""
    import numpy as np

    places, near = np.empty(0, dtype=np.int64), np.empty(0)
    if not has_direction(vector):
        return places, near
    load(db)
    with nullcontext() if db.connection.in_transaction else db.snapshot():
        if code_blocks.state(db, space) is not None:
            places, near = cosines.between(db, space, vector, lo, hi)
        old = old_vectors.between(db, space, vector, lo, hi)
    if not old:
        return places, near
    return (
        np.concatenate((places, np.array([place for place, _ in old], dtype=np.int64))),
        np.concatenate((near, np.array([cosine for _, cosine in old]))),
    )


def _two_stages(
    db: Database, space: int, state: code_blocks.State, basis: codes.Basis, vector: bytes, k: int
) -> Cosines:
    import numpy as np

    values = np.frombuffer(vector, dtype="<f4")
    asked = codes.ask(basis, values / np.linalg.norm(values))
    resident = _resident(db, space)
    resident.refresh(db, state)
    likely = resident.likely(db, asked, k)[: max(MOST_READ, 4 * k)]
    places, near = np.empty(0, dtype=np.int64), np.empty(0)
    read, batch = 0, max(FIRST_BATCH, 2 * k)
    while read < len(likely):
        more = cosines.of(db, space, vector, likely[read : read + batch])
        read += batch
        places, near = np.concatenate((places, more[0])), np.concatenate((near, more[1]))
        if _brings(near, more[1], k, read) <= MISSED * k:
            break
        batch = max(FIRST_BATCH, read // 2)
    return places, near


def _resident(db: Database, space: int) -> ResidentCodes:
    """The codes that this connection holds. Those of an unfinished write are never kept: it may be
    undone, and its number of changes be given to another."""
    if db.connection.txn_state("main") == apsw.SQLITE_TXN_WRITE:
        return ResidentCodes(space)
    return db.codes.setdefault(space, ResidentCodes(space))


def _brings(all_read: NDArray[np.float64], last: NDArray[np.float64], k: int, more: int) -> float:
    """How many of so many ``more`` are expected among the ``k`` nearest, if they are like the last
    batch; infinite while fewer than ``k`` are known."""
    import numpy as np

    if len(all_read) < k or len(last) < 2:
        return float("inf")
    edge = float(np.partition(all_read, -k)[-k])
    spread = float(last.std())
    if spread == 0:
        return 0.0 if edge > last[0] else float("inf")
    return more * erfc((edge - float(last.mean())) / (spread * sqrt(2))) / 2


def _best(places: NDArray[np.int64], near: NDArray[np.float64], k: int) -> list[tuple[int, float]]:
    import numpy as np

    best = np.lexsort((-places, -near))[:k]
    return list(zip(places[best].tolist(), near[best].tolist(), strict=True))
