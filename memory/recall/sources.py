"""Sources: what the steps of the ladder look things up in, held between questions.

All of it belongs to the reading thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from memory.hyperspace.spaces import late, spaces
from memory.protocols import Clock, Embedder
from memory.recall import anchors as anchoring
from memory.recall import by_vector, following, ladder, learned_weights, references, scanning
from memory.recall import coverage as covering
from memory.recall.asking import Once, cosine, home
from memory.recall.by_text import telling_terms
from memory.recall.coverage import Checked, Coverage
from memory.recall.families import Families
from memory.recall.ladder import Followed, Near
from memory.recall.learned_weights import QueryMaps
from memory.recall.likeness import Likeness
from memory.recall.scanning import Scanned
from memory.recall.time_phrases import time_asked
from memory.recollection import Query
from memory.store import anchors, jumps, nodes, pieces, questions, vectors
from memory.store.certificates import Reading
from memory.store.database import Database
from memory.store.keys import ResidentKeys


@dataclass(slots=True)
class Sources:
    """What one memory file is asked with."""

    embedder: Embedder | None
    clock: Clock
    keys: ResidentKeys = field(default_factory=ResidentKeys)
    likeness: Likeness = field(default_factory=Likeness)
    maps: QueryMaps = field(default_factory=QueryMaps)
    chance: by_vector.NullDistribution = field(default_factory=by_vector.NullDistribution)
    families: Families = field(default_factory=Families)
    checked: Checked = field(default_factory=Checked)


@dataclass(frozen=True, slots=True)
class View:
    """What stands on file when a question comes in."""

    now: int
    """Milliseconds, from which "yesterday" is counted."""
    embedder: Embedder | None
    """Embeds the question once, whoever asks."""
    family: int
    """Of the question; 0 if none asked the same before."""
    coverage: Coverage
    followed: Followed
    refused_at: tuple[int, ...]
    """Positions of what the user said is wrong for this question."""
    here: int
    """Where the session is: its newest node; 0 for nowhere."""
    anchors: tuple[int, ...]
    """Places that the question pulls by anchors."""
    jumps_from_places: bool
    """Whether any jump depends on where the question comes in."""
    pinned: tuple[str, ...]
    small_talk: bool
    """Whether the question says nothing that could be asked for."""
    refers_back: bool
    """Whether it speaks of what was said before."""


def look(db: Database, sources: Sources, query: Query, judge: str, pinned: tuple[str, ...]) -> View:
    """What stands on file now. ``judge``: stamp of the judge that would read; ``""`` for none."""
    now = sources.clock.now() if query.now is None else query.now
    topic = ladder.topic_of(query.text, now)
    embedder = sources.embedder and Once(sources.embedder, [query.text, topic])
    family = sources.families.of(db, query.text)
    read = covering.coverage(db, Reading(family, "judge", judge), sources.checked.holds)
    followed = _followed(db, sources, query, embedder, family, now)
    # Its own newest words are where a session is, and no node of another one.
    newest = nodes.newest(db, 1, session=query.session) if query.session else []
    return View(
        *(now, embedder, family, read if judge and family else Coverage(), followed),
        tuple(set(pieces.positions(db, followed.refused).values())),
        newest[0].seq if newest else 0,
        () if "anchors" in query.without else _pulled(db, sources, query, embedder, now),
        any(jump.source for jump in jumps.every(db)),
        pinned,
        not telling_terms(topic) and time_asked(query.text, now) is None,
        references.refers_back(query.text) or time_asked(query.text, now) is not None,
    )


def near(
    db: Database, sources: Sources, query: Query, view: View, boosts: Mapping[int, float]
) -> Near:
    """What words, vectors and time bring. ``boosts``: see ``ladder.near``."""
    learned = None if "pointers" in query.without else partial(_learned, db, sources, query, view)
    return ladder.near(
        *(db, query, view.embedder, sources.chance, view.now), boosts=boosts, learned=learned
    )


def _learned(
    db: Database, sources: Sources, query: Query, view: View, places: Sequence[int]
) -> Mapping[int, float]:
    """What places gain by how questions lie to their answers in this store."""
    if not questions.count(db):
        return {}
    stamp, vector = home(view.embedder, query.text)
    # Beside token codes the map does not pay (measured: see the bench ``learning``).
    coded = view.embedder and any(
        late(part) for part in spaces(view.embedder) if part.stamp == stamp
    )
    if coded:
        return {}
    made = sources.maps.fresh(db, sources.keys.fresh(db, stamp)) if vector is not None else None
    if made is None or vector is None:
        return {}
    return learned_weights.gains(db, made, stamp, vector, places)


def scan(db: Database, sources: Sources, query: Query, view: View, again: bool) -> Scanned:
    """What all vectors bring. ``again``: whatever was looked at before."""
    assert view.embedder is not None
    topic = ladder.topic_of(query.text, view.now)
    chance, checked = sources.chance, sources.checked
    return scanning.scan(db, view.embedder, topic, view.family, chance, checked, again=again)


def tell_anchors(db: Database, said: dict[int, str], at: int) -> None:
    """Anchors that were right are renewed, others were pulled for nothing."""
    with db.transaction():
        for place, answer in said.items():
            if answer == "yes":
                anchoring.register(db, place, 0, at)
            elif answer == "no":
                anchoring.reject(db, place)


def _followed(
    db: Database,
    sources: Sources,
    query: Query,
    embedder: Embedder | None,
    family: int,
    now: int,
) -> Followed:
    if "pointers" in query.without:
        return Followed(refused=covering.refused(db, family))
    if not questions.count(db):
        return Followed()
    stamp, vector = home(embedder, query.text)
    keys = sources.keys.fresh(db, stamp)
    likeness = sources.likeness
    coverage, bars = likeness.coverage(keys, query.text), likeness.bars(keys)
    words = questions.normalised(query.text)
    led, chosen = following.follow(db, keys, vector, words, now, bars, coverage)
    return ladder.followed(db, family, led, chosen.boosts, chosen.vetoed)


def _pulled(
    db: Database, sources: Sources, query: Query, embedder: Embedder | None, now: int
) -> tuple[int, ...]:
    """Where the anchors are that the question pulls: those nearer to it than chance brings."""
    every = anchors.every(db)
    stamp, vector = home(embedder, query.text) if every else ("", None)
    space = vectors.known_space(db, stamp) if vector is not None else None
    if vector is None or space is None:
        return ()
    held = vectors.vectors_of(db, space, [each.target for each in every])
    near = {place: cosine(vector, told) for place, told in held.items()}
    stored = vectors.count(db, space)
    least = sources.chance.bar(db, space, stored, query.text)
    pulled = anchoring.pulled(every, near, least, now)
    return tuple(p for each in pulled for p in pieces.resolve(db, each.target))
