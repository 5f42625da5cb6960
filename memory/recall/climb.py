"""Climb: one question goes up the ladder, the cheapest step first, until it is sure.

What the answer lacks lies in stretches that no judge has read for a question like this one; they
come with it, and what an able judge would still have to read is owed. A step that is left out
costs more reading later and never a memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

from memory.config import FOLLOWED, READ_CALLS
from memory.recall import colours, ladder, scanning, sources
from memory.recall import coverage as covering
from memory.recall.found import Found
from memory.recall.ladder import Lead, Near
from memory.recall.reading import Reader
from memory.recall.sources import Sources, View
from memory.recollection import Query, Rung, Step, Stretch
from memory.store import nodes, pieces
from memory.store.errors import VectorsUnavailable
from memory.store.lane import Lanes
from memory.store.writes import Writes

RUNGS: tuple[Rung, ...] = ("jumps", "pins", "pointers", "anchors", "near", "scan", "reading")
OFF = "switched off"


@dataclass(slots=True)
class Climb:
    """What one question has come to so far."""

    query: Query
    view: View
    sources: Sources
    lanes: Lanes
    writes: Writes
    reader: Reader | None
    """``None`` where no judge is able."""
    told: Callable[[Step], None]
    found: dict[int, Found] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    near: Near | None = None
    followed: list[Lead] = field(default_factory=list)
    """Leads that nobody has confirmed or denied yet."""
    scanned: tuple[int, ...] = ()
    """Places whose vectors are nearer than chance, to be read."""
    family: int = 0
    """Of the question, once anything was written of it; 0 until then."""
    denied: set[int] = field(default_factory=set)
    """Places that are known not to bear on the question."""

    @property
    def deeper(self) -> bool:
        """Whether exact reading is wanted whatever the cheaper steps bring."""
        return self.query.deeper or self.view.refers_back

    @property
    def entry(self) -> int:
        """The place where the question came in; 0: nowhere."""
        near = self.near
        if near is not None and near.sure and near.brought:
            return near.brought[0][0]
        return self.view.here

    @property
    def trusted(self) -> tuple[Stretch, ...]:
        """Stretches that need not be read: all that bears on the question there is led to."""
        if self.reader is None or self.query.exhaustive or "pointers" in self.query.without:
            return ()
        holes = colours.single(self.view.refused_at)
        return colours.without(self.view.coverage.stretches, holes)

    @property
    def read(self) -> tuple[Stretch, ...]:
        """What needs no reading any more."""
        done = set(self.reader.read.done) if self.reader is not None else set()
        if not self.query.exhaustive:
            done -= set(self.view.refused_at)  # it is not shown, so it is not known either
        return colours.union((*self.trusted, *colours.single(done)))

    async def run(self) -> None:
        """Take step after step until one is sure. Raises ``MemoryFileError``."""
        takes = {
            "jumps": self._jumps,
            "pins": self._pins,
            "pointers": self._pointers,
            "anchors": self._anchors,
            "near": self._near,
            "scan": self._scan,
            "reading": self._reading,
        }
        for rung in RUNGS:
            started, before = perf_counter(), set(self.found)
            calls, tokens = self._cost()
            note = OFF
            if rung not in self.query.without or rung == "reading":
                note = await takes[rung]()
            now_calls, now_tokens = self._cost()
            step = Step(
                rung,
                len(self.found.keys() - before),
                now_calls - calls,
                now_tokens - tokens,
                (perf_counter() - started) * 1000,
                note,
            )
            self.steps.append(step)
            self.told(step)
            if await self._sure(rung):
                return

    def _cost(self) -> tuple[int, int]:
        return (0, 0) if self.reader is None else (self.reader.read.calls, self.reader.read.tokens)

    async def _sure(self, rung: Rung) -> bool:
        """Whether no further step is needed."""
        if self.query.exhaustive or rung in ("jumps", "pins"):
            return False
        if self.reader is None:
            return rung == "near" and self._satisfied(rung) and not self.deeper
        if rung == "pointers" and not await self._unread():
            return True
        return self._satisfied(rung) and not self.deeper

    def _satisfied(self, rung: Rung) -> bool:
        own = [each for each in self.found.values() if each.rung == rung]
        if rung == "near":
            failed = self.near is not None and self.near.failure
            return bool(own) and self.near is not None and self.near.sure and not failed
        return any(each.confirmed for each in own)

    async def _unread(self) -> tuple[Stretch, ...]:
        read = self.read
        return await self.lanes.read.run(lambda db: covering.unread(db, read, nodes.last_seq(db)))

    # ---- the steps ---------------------------------------------------------------------------

    async def _jumps(self) -> str:
        entries = {self.view.here} - {0}
        if self.view.jumps_from_places and "near" not in self.query.without:
            near = await self._looked_near()
            entries |= set(near.named[:3])
        text = self.query.text
        for place in await self.lanes.read.run(lambda db: ladder.jumped(db, entries, text)):
            self.found[place] = Found("jumps")
        return ""

    async def _pins(self) -> str:
        pinned, text = self.view.pinned, self.query.text
        count = await self.lanes.read.run(lambda db: ladder.bearing(db, pinned, text))
        return f"{count} of {len(pinned)} pinned memories hold its words" if pinned else ""

    async def _pointers(self) -> str:
        leads = self.view.followed.leads
        own = [lead for lead in leads if lead.same]
        others = [lead for lead in leads if not lead.same]
        if self.reader is not None:
            # What was found for the same question first: it is nearly sure to be right.
            asked = (*own[:FOLLOWED], *others[:FOLLOWED])
            await self.reader.places(
                [lead.place for lead in asked],
                calls=None if self.query.exhaustive else READ_CALLS,
                leads={lead.place: lead.key for lead in asked},
            )
        for lead in (*own, *others[:FOLLOWED]):
            said = self._said(lead.place)
            if said == "no":
                self.denied.add(lead.place)
            elif lead.place not in self.found:
                self.found[lead.place] = Found(
                    "pointers", lead.strength, key=lead.text, confirmed=said == "yes"
                )
                if said != "yes":
                    self.followed.append(lead)
        vetoed = len(self.view.followed.vetoed)
        return f"{vetoed} kept out: they misled a question like this" if vetoed else ""

    async def _anchors(self) -> str:
        view, known = self.view, self.found.keys() | self.denied
        if not view.anchors:
            return ""
        pulled = [each for each in view.anchors if each not in known]
        if self.reader is None:
            return f"{len(pulled)} pulled, left to the next step" if pulled else ""
        await self.reader.places(pulled, calls=None if self.query.exhaustive else READ_CALLS)
        said = {place: self._said(place) for place in pulled}
        for place, answer in said.items():
            if answer == "yes":
                self.found[place] = Found("anchors", confirmed=True)
            elif answer == "no":
                self.denied.add(place)
        at = self.sources.clock.now()
        await self.writes.whole(
            self.lanes.write.run(partial(sources.tell_anchors, said=said, at=at))
        )
        return ""

    async def _near(self) -> str:
        near = await self._looked_near()
        trusted, known = self.trusted, self.view.followed
        places = [place for place, _, _ in near.brought]
        at = await self.lanes.read.run(lambda db: pieces.positions(db, places))
        for place, score, ways in near.brought:
            said = self._said(place)
            read_before = trusted and colours.holds(trusted, at.get(place, 0))
            out = place in known.vetoed or place in known.refused or place in self.denied
            if place in self.found:
                self.found[place].ways = ways
            elif said == "yes":
                self.found[place] = Found("near", score, ways, confirmed=True)
            elif not (out or said == "no" or read_before):
                self.found[place] = Found("near", score, ways, placeholder=True)
        if self.reader is not None:
            self.reader.entry = self.entry
        return near.failure

    async def _scan(self) -> str:
        """All vectors: where the index of the step before was not asked, or the user wants more."""
        query, view = self.query, self.view
        wanted = query.deeper or query.exhaustive or "near" in query.without
        if view.embedder is None or view.small_talk or not wanted:
            return ""
        again = query.exhaustive or "pointers" in query.without
        try:
            scanned = await self.lanes.read.run(
                lambda db: sources.scan(db, self.sources, query, view, again)
            )
        except VectorsUnavailable as error:
            return error.text
        hits = [
            hit
            for hit in scanned.hits
            if hit[0] not in view.followed.refused | view.followed.vetoed
        ]
        if self.reader is not None:  # it will read these first
            self.scanned = tuple(place for place, _ in hits)
            return f"{len(hits)} nearer than chance, to be read first"
        for place, cosine in hits[: query.limit]:
            self.found.setdefault(place, Found("scan", cosine, ("vector",)))
            self.found[place].placeholder = False
        if scanned.read:
            at = self.sources.clock.now()
            keep = partial(
                scanning.keep,
                scanned=scanned,
                question=query.text,
                family=view.family,
                entry=self.entry,
                most=max(1, query.limit),
                at=at,
            )
            self.family = await self.writes.whole(self.lanes.write.run(keep))
        return f"{scanned.skipped} looked at before" if scanned.skipped else ""

    async def _reading(self) -> str:
        reader, query = self.reader, self.query
        if reader is None:
            return "no judge is able to read"
        if self.view.small_talk and not (query.deeper or query.exhaustive):
            return "nothing is asked"
        calls = None if query.exhaustive else READ_CALLS
        enough = None if query.exhaustive else max(1, query.limit)
        read = self.read
        named = [*self.found, *self.scanned, *(self.near.named if self.near is not None else ())]
        first = await self.lanes.read.run(partial(covering.unread_places, named=named, read=read))
        await reader.places(first, calls=calls, enough=enough)
        left = await self._unread() if not query.exhaustive else (Stretch(1, 1 << 62),)
        last = await self.lanes.read.run(nodes.last_seq)
        left = colours.common(left, [Stretch(1, last)])
        await reader.stretches(left, calls=calls, enough=enough)
        for place in reader.read.found:
            if place in self.view.followed.refused and not query.exhaustive:
                continue
            known = self.found.get(place)
            if known is None:
                self.found[place] = Found("reading", confirmed=True)
            elif known.rung != "jumps":
                known.confirmed, known.placeholder = True, False
        for place, said in reader.read.answers.items():
            if said == "no" and place in self.found and self.found[place].rung != "jumps":
                del self.found[place]
        return reader.read.why

    def _said(self, place: int) -> str:
        return "" if self.reader is None else self.reader.read.answers.get(place, "")

    async def _looked_near(self) -> Near:
        if self.near is None:
            boosts = {
                **dict.fromkeys(self.view.anchors if self.reader is None else (), 0.0),
                **self.view.followed.boosts,
            }
            self.near = await self.lanes.read.run(
                lambda db: sources.near(db, self.sources, self.query, self.view, boosts)
            )
        return self.near
