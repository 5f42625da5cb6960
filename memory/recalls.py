"""Recalls: the verbs by which memory is asked, and by which it pays what it owes.

A question climbs the ladder (``recall.climb``) in the reading thread and at the judge's; what comes
of it is put together here, priced, and kept for ``/why`` and feedback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING

from memory.config import JUDGED_OVERHEAD, PAY_CALLS, PRICED_WINDOW
from memory.protocols import Clock, Embedder, Judge
from memory.recollection import Hit, Price, Query, Recollection, Step, Stretch
from memory.store import conversation, debts, nodes, pieces, questions, recollections
from memory.store.database import Database
from memory.store.debts import Debt
from memory.store.errors import MemoryFileError
from memory.store.lane import Lanes
from memory.store.writes import Writes

if TYPE_CHECKING:
    from memory.recall.climb import Climb
    from memory.recall.sources import Sources

BYTES_A_TOKEN = 3.6
"""In English and, in UTF-8, in Chinese."""
PINS = "pins:"
"""Where a conversation's queue on file names its pins."""


@dataclass(frozen=True, slots=True)
class Paid:
    """What one instalment of debts came to."""

    calls: int = 0
    tokens: int = 0
    nodes: int = 0
    """Memories that were owed and no longer are."""
    found: int = 0
    """Memories that bear on a question that had missed them."""
    left: int = 0
    """Stretches that are still owed."""
    why: str = ""
    """Why less was paid than could have been, in words."""


class Recalls:
    """Questions to one memory file. Every verb may raise ``MemoryFileError``."""

    def __init__(
        self,
        lanes: Lanes,
        writes: Writes,
        clock: Clock,
        embedder: Embedder | None,
        judge: Judge | None,
    ) -> None:
        self._lanes = lanes
        self._writes = writes
        self._clock = clock
        self._embedder = embedder
        self._judge = judge
        self._sources: Sources | None = None

    def use_judge(self, judge: Judge | None) -> None:
        """Read with this judge from now on; ``None``: with none."""
        self._judge = judge

    async def recall(
        self, query: Query, told: Callable[[Step], None] | None = None
    ) -> Recollection:
        """Memories that bear on a question, best first. Works before anything is embedded.

        ``told`` is called after each step, in this event loop. Not complete means that what may be
        missing lies in ``unread``. What a judge said before this is cancelled is kept.
        """
        from memory.recall import climb, reading, sources

        started = perf_counter()
        desk, judge = self._desk(), self._able()
        stamp = judge.stamp if judge is not None else ""
        view = await self._lanes.read.run(
            lambda db: sources.look(db, desk, query, stamp, _pinned(db, query.session))
        )
        reader = None
        if judge is not None:
            reader = reading.Reader(
                *(judge, query.text, view.family, self._lanes, self._writes, self._clock),
                entry=view.here,
                stale=view.coverage.stale,
            )
        going = climb.Climb(
            *(query, view, desk, self._lanes, self._writes, reader), told or _unheard
        )
        await going.run()
        recollection = await self._lanes.read.run(
            partial(_put_together, going=going, window=judge.window if judge else PRICED_WINDOW)
        )
        recollection = replace(recollection, ms=(perf_counter() - started) * 1000)
        return await self._filed(going, recollection)

    async def pay(self, calls: int = PAY_CALLS, tokens: int | None = None) -> Paid:
        """One instalment of what is owed: the judge reads on where questions leapt over something,
        at most so many calls and about so many tokens. Without an able judge nothing is paid.

        It can be broken off at any moment; the next one goes on there.
        """
        judge, paid = self._able(), Paid()
        tried: set[int] = set()
        while judge is not None and paid.calls < calls and not paid.why:
            spare = None if tokens is None else tokens - paid.tokens
            due = await self._lanes.read.run(partial(_due, besides=frozenset(tried)))
            if due is None or (spare is not None and spare <= 0):
                break
            tried.add(due[0].family)
            more = await self._pay_one(judge, *due, calls - paid.calls, spare)
            paid = Paid(
                *(paid.calls + more.calls, paid.tokens + more.tokens),
                *(paid.nodes + more.nodes, paid.found + more.found),
                why=more.why,
            )
        why = paid.why if judge is not None else "no judge is able to read"
        return replace(paid, left=await self._lanes.read.run(debts.count), why=why)

    async def _pay_one(
        self, judge: Judge, debt: Debt, question: str, calls: int, tokens: int | None
    ) -> Paid:
        """What one family is owed, as far as it goes."""
        from memory.recall import ledger, reading
        from memory.recall.coverage import Checked

        family, stamp, checked = debt.family, judge.stamp, self._desk().checked
        wanted, stale = await self._lanes.read.run(
            lambda db: ledger.outstanding(db, family, stamp, checked)
        )
        before = await self._lanes.read.run(lambda db: ledger.owed_to(db, family))
        reader = reading.Reader(
            *(judge, question, family, self._lanes, self._writes, self._clock), stale=stale
        )
        await reader.stretches(wanted, calls=calls, tokens=tokens)
        read, at, settling = reader.read, self._clock.now(), Checked()
        freed = await self._writes.whole(
            self._lanes.write.run(lambda db: ledger.settle(db, family, stamp, settling, before, at))
        )
        found, why = len(read.found), read.why if read.given_up else ""
        return Paid(read.calls, read.tokens, freed, found, why=why)

    # ---- within ------------------------------------------------------------------------------

    def _able(self) -> Judge | None:
        judge = self._judge
        return judge if judge is not None and judge.able else None

    def _desk(self) -> Sources:
        from memory.recall.sources import Sources

        if self._sources is None:
            self._sources = Sources(self._embedder, self._clock)
        return self._sources

    async def _filed(self, going: Climb, recollection: Recollection) -> Recollection:
        """Owe what was leapt over and keep the recollection, in one transaction. A file that cannot
        be written to does not keep anybody from being answered."""
        at = self._clock.now()
        try:
            return await self._writes.whole(
                self._lanes.write.run(partial(_keep, going=going, told=recollection, at=at))
            )
        except MemoryFileError as error:
            notice = " ".join(filter(None, (recollection.notice, error.text)))
            return replace(recollection, notice=notice)


def _unheard(step: Step) -> None:
    """Nobody wants to know of a step."""


def _pinned(db: Database, session: str) -> tuple[str, ...]:
    return tuple(conversation.queue(db, session).get(PINS, ())) if session else ()


def _put_together(db: Database, going: Climb, window: int) -> Recollection:
    from memory.recall import coverage

    query, near = going.query, going.near
    last = nodes.last_seq(db)
    unread = coverage.unread(db, going.read, last)
    read = going.reader.read if going.reader is not None else None
    notices = [near.notice if near else "", near.failure if near else ""]
    if read is not None and read.given_up:
        notices.append(read.why)
    if read is not None and read.overflow:
        notices.append(f"{read.overflow} finds are over the caps and will be looked for again.")
    return Recollection(
        query=query.text,
        hits=_hits(db, going),
        ways=near.ways if near else (),
        ms=0.0,
        complete=not unread,
        notice=" ".join(filter(None, notices)),
        steps=tuple(going.steps),
        unread=unread,
        price=_price(db, unread, window) if unread else None,
    )


def _hits(db: Database, going: Climb) -> tuple[Hit, ...]:
    """Best first: where the user pointed, what was confirmed, where pointers lead, what is near;
    among these by score."""
    from memory.recall.found import order

    query = going.query

    places = (
        sorted(going.found, key=lambda place: order(going.found[place], place))
        if query.limit > 0 or query.exhaustive
        else []
    )
    placed = pieces.hits(db, places, None if query.exhaustive else query.limit)
    return tuple(
        Hit(
            node=each.node,
            score=float(len(placed) - number),
            ways=found.ways,
            rung=found.rung,
            piece=each.piece,
            placeholder=found.placeholder,
            key=found.key,
            confirmed=found.confirmed,
        )
        for number, each in enumerate(placed)
        for found in (going.found[each.place],)
    )


def _price(db: Database, unread: tuple[Stretch, ...], window: int) -> Price:
    count = sum(each.hi - each.lo + 1 for each in unread)
    tokens = ceil(count * (nodes.mean_bytes(db) / BYTES_A_TOKEN + JUDGED_OVERHEAD))
    return Price(count, tokens, ceil(tokens / max(1, window)))


def _keep(db: Database, going: Climb, told: Recollection, at: int) -> Recollection:
    from memory.recall import ledger

    query, reader = going.query, going.reader
    family = (reader.family if reader else 0) or going.family or going.view.family
    overflow = 0
    with db.transaction():
        if reader is not None and not going.view.small_talk:
            owed = bool(family) and bool(debts.of_family(db, family, "judge"))
            if told.unread or owed:
                worth = 2.0 if going.deeper else 1.0 if not told.hits else 0.5
                family, overflow = ledger.owe(db, query.text, family, told.unread, worth, at)
        leads = [(lead.key.pointer, lead.key.question) for lead in going.followed]
        if overflow:
            more = f"{overflow} stretches are over the caps of what is owed, and stay unread."
            told = replace(told, notice=" ".join(filter(None, (told.notice, more))))
        number = recollections.put(
            *(db, told, query), at=at, family=family, entry=going.entry, leads=leads
        )
    return replace(told, id=number)


def _due(db: Database, besides: frozenset[int]) -> tuple[Debt, str] | None:
    """The next debt to pay and its question, of a family that was not tried in this instalment."""
    for debt in debts.in_turn(db, "judge"):
        if debt.family not in besides:
            (question,) = questions.by_ids(db, (debt.family,))
            return debt, question.text
    return None
