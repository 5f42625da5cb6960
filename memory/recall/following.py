"""Following pointers: from what a question is like to the places that it is led to now.

A target may have been cut in pieces, superseded or deleted since: it is resolved before anything of
it is read. One whose file has changed is led to as well, but never surely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory.recall import pointers
from memory.recall.pointers import Bars, Follow, Lead
from memory.store import pieces, references
from memory.store.database import Database
from memory.store.keys import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Led:
    """Where a pointer leads."""

    lead: Lead
    places: tuple[int, ...]
    """What stands for its target now; of a long node its pieces."""
    outdated: bool
    """Whether the file that it quotes has been seen to say otherwise since: it must be read before
    it is used, by a judge or by whoever is shown it."""


def follow(
    db: Database,
    keys: Keys,
    vector: NDArray[np.float32] | None,
    words: str,
    now: int,
    bars: Bars,
    coverage: NDArray[np.float32] | None = None,
) -> tuple[tuple[Led, ...], Follow]:
    """The pointers that a question follows, best first, with where they lead now, and all that was
    decided. A target that is gone is passed over. Arguments as of ``pointers.choose``."""
    chosen = pointers.choose(keys, vector, words, now, bars, coverage)
    ends = {lead.key.target: pieces.resolve(db, lead.key.target) for lead in chosen.leads}
    at = pieces.positions(db, {place for places in ends.values() for place in places})
    old = references.outdated(db, set(at.values()))
    led = []
    for lead in chosen.leads:
        places = tuple(place for place in ends[lead.key.target] if place in at)
        if places:
            led.append(Led(lead, places, any(at[place] in old for place in places)))
    # What may have gone stale is looked at last.
    led.sort(key=lambda each: each.outdated)
    return tuple(led), chosen
