"""Learning: the verbs by which memory is told what was needed, what was not, and where to look.

What they change is where later questions are led. The timeline stays as it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from memory.config import EMBED_PATIENCE_SECONDS
from memory.hyperspace.spaces import spaces
from memory.protocols import Clock, Embedder
from memory.recall import feedback, mapping, quoting, views
from memory.recall.overview import Jump, MemoryMap
from memory.recollection import Query, Recollection
from memory.store import jumps, nodes, questions, recollections, redirects, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable
from memory.store.lane import Lanes
from memory.store.questions import Question
from memory.store.texts import clean
from memory.store.writes import Writes
from memory.types import Node

Source = Literal["cited", "judge", "user"]
"""Who says that a memory was needed: the foreground model by citing it, a judge, or the user."""

WEIGHTS: dict[Source, float] = {"cited": 1.0, "judge": 1.0, "user": 2.0}
"""How many confirmations one is worth, by who gives it."""

_ADDRESS = "mem://"


class Learning:
    """What one memory file learns. Every verb may raise ``MemoryFileError``."""

    def __init__(
        self,
        lanes: Lanes,
        writes: Writes,
        clock: Clock,
        embedder: Embedder | None,
        recall: Callable[[Query], Awaitable[Recollection]],
    ) -> None:
        self._lanes = lanes
        self._writes = writes
        self._clock = clock
        self._embedder = embedder
        self._recall = recall

    async def confirm(
        self, recollection_id: int, used: Sequence[str], source: Source = "cited"
    ) -> None:
        """These memories were what a recollection's question needed; none: it needed none of them.

        ``used``: ids or addresses; unknown ones are passed over. Questions like this one are led to
        them from now on. Saying the same again changes nothing. ``LookupError`` if the recollection
        is not on file any more.
        """
        at, names = self._clock.now(), [_bare(name) for name in used]
        work = partial(
            feedback.confirm, number=recollection_id, used=names, at=at, weight=WEIGHTS[source]
        )
        question = await self._writes.whole(self._lanes.write.run(work))
        if question is not None:
            await self._embed(question)

    async def wrong(self, recollection_id: int, node_ids: Sequence[str] = ()) -> Recollection:
        """These memories, or all that were shown, were not what the question needed: questions like
        it are kept from them from now on, and this one is asked again, deeper; what that brings.

        ``LookupError`` if the recollection is not on file any more.
        """
        at, names = self._clock.now(), [_bare(name) for name in node_ids]
        work = partial(feedback.misled, number=recollection_id, wrong=names, at=at)
        question = await self._writes.whole(self._lanes.write.run(work))
        await self._embed(question)
        filed = await self._lanes.read.run(lambda db: recollections.by_id(db, recollection_id))
        if filed is None:
            raise LookupError(f"there is no recollection {recollection_id} on file any more")
        return await self._recall(replace(filed.query, deeper=True))

    async def why(self, session: str) -> Recollection | None:
        """The last recollection of a session, as it was; ``None`` if there is none."""
        filed = await self._lanes.read.run(lambda db: recollections.newest(db, session))
        return None if filed is None else filed.recollection

    async def map(self, buckets: int = 400, most: int = 200) -> MemoryMap:
        """What was learned, for the eye: the timeline in at most so many buckets, lists of at most
        ``most``."""
        return await self._lanes.read.run(lambda db: mapping.memory_map(db, buckets, most))

    async def jump(
        self, target_id: str, *, source_id: str = "", session: str = "", words: str = ""
    ) -> Jump:
        """Lead questions to a memory whatever it says, for good.

        Args:
            target_id: id or address of the memory.
            source_id: where the user was: questions that come in there jump. Without it, where the
                session is; without a session, every question does.
            session: in which the user pointed.
            words: what the user quoted: questions that quote it jump, wherever they come in.

        ``LookupError`` for a memory that is not there, ``ValueError`` for one that would lead to
        itself. Pointing again from there to there changes nothing.
        """
        at = self._clock.now()

        def write(db: Database) -> Jump:
            with db.transaction():
                target = _there(db, target_id).seq
                begin = _there(db, source_id).seq if source_id else _here(db, session, target)
                row = jumps.put(db, begin, target, at, session=session, words=words)
                return views.jump_view(db, row)

        return await self._writes.whole(self._lanes.write.run(write))

    async def quoted(self, words: str) -> Node | None:
        """The memory that these words quote; ``None`` if none says so."""
        return await self._lanes.read.run(lambda db: quoting.quoted(db, clean(words)))

    async def undo_jump(self, number: int) -> Jump | None:
        """Take a jump back; the jump, or ``None`` if there is none of this number."""

        def write(db: Database) -> Jump | None:
            with db.transaction():
                found = [jump for jump in views.jump_views(db) if jump.id == number]
                jumps.drop(db, number)
            return found[0] if found else None

        return await self._writes.whole(self._lanes.write.run(write))

    async def jumps(self) -> tuple[Jump, ...]:
        """All jumps, newest first."""
        return await self._lanes.read.run(views.jump_views)

    async def retire(self, node_id: str, instead: Sequence[str] = ()) -> None:
        """Find a memory no longer: these stand for it now, or nothing does. It stays on the
        timeline and is read by its address.

        ``LookupError`` for a memory that is not there, ``ValueError`` for one that would stand for
        itself.
        """
        at = self._clock.now()

        def write(db: Database) -> None:
            with db.transaction():
                fresh = [_there(db, name).seq for name in instead]
                redirects.retire(db, _there(db, node_id).seq, fresh, at)

        await self._writes.whole(self._lanes.write.run(write))

    async def review(self) -> int:
        """Forget a bounded number of keys and pointers that are too old or worth least; how many.
        Called again and again it comes by all of them."""
        at = self._clock.now()
        if not await self._lanes.read.run(lambda db: feedback.due(db, at)):
            return 0
        return await self._writes.whole(self._lanes.write.run(lambda db: feedback.review(db, at)))

    # ---- within ------------------------------------------------------------------------------

    async def _embed(self, question: Question) -> None:
        """The question's vector, if it has none and one can be had soon; else it is made behind the
        turn, and until then the question is known by its words."""
        embedder = self._embedder
        if embedder is None:
            return
        try:
            async with asyncio.timeout(EMBED_PATIENCE_SECONDS):
                made = await self._lanes.embed.call(partial(_vectors, embedder, question.text))
        except (VectorsUnavailable, TimeoutError):
            return

        def write(db: Database) -> None:
            with db.transaction():
                for stamp, vector in made:
                    questions.put_vectors(db, stamp, [(question.id, vector)])

        await self._writes.whole(self._lanes.write.run(write))


def _vectors(embedder: Embedder, text: str) -> list[tuple[str, bytes]]:
    """The stamp of each space and the vector of a text in it, which has a direction in one."""
    made = []
    for space in spaces(embedder):
        (vector,) = vectors.embedded(space, [text])
        # Asked for after embedding: an embedder that falls back changes its stamp at that.
        made.append((space.stamp, vector))
    return made


def _bare(address: str) -> str:
    """The id in an address."""
    return clean(address.strip().removeprefix(_ADDRESS).strip().lower())


def _there(db: Database, address: str) -> Node:
    node = nodes.by_id(db, _bare(address))
    if node is None:
        raise LookupError(f"there is no memory {address}")
    return node


def _here(db: Database, session: str, target: int) -> int:
    """The newest node of a session but for the target; 0 where there is none."""
    if not session:
        return 0
    newest = nodes.newest(db, 2, session=session)
    return next((node.seq for node in newest if node.seq != target), 0)
