"""Settling: embedding behind the turn what was stored in it.

A node is found by its words at once and by its meaning once it has settled. What a process leaves
unsettled the next one finds pending; two processes that settle the same node do no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from memory.config import EMBED_BATCH, EMBED_PATIENCE_SECONDS
from memory.hyperspace.spaces import is_for_wide, late, spaces
from memory.protocols import Embedder, Late
from memory.store import cuts, lines, nodes, pieces, questions, settings, token_codes, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable
from memory.store.lane import Lane, Lanes
from memory.store.writes import Writes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector = tuple[int, bytes]
"""A place and its vector as little-endian float32."""

Coded = tuple[int, bytes, bytes]
"""A place, its vector, and the codes of its tokens, which may be empty."""

Bars = dict[str, dict[str, float]]
"""What chance brings, by the key under which it is kept."""

Made = TypeVar("Made")

Words = tuple[str, int, str]
"""A line's conversation, its position in it, and what it says."""


SETTLED = "settled:"
"""Before a stamp: the setting that says up to which node and which piece its space is settled."""


class PatientEmbedder:
    """An embedder that a question asks: in the thread that embeds, and not for ever."""

    def __init__(self, embedder: Embedder, lane: Lane) -> None:
        self._embedder, self._lane = embedder, lane

    @property
    def stamp(self) -> str:
        """As of the embedder itself."""
        return self._embedder.stamp

    @property
    def dimensions(self) -> int:
        """As of the embedder itself."""
        return self._embedder.dimensions

    @property
    def spaces(self) -> tuple[Embedder, ...]:
        """As of the embedder itself, each as patient."""
        parts = spaces(self._embedder)
        return (self,) if len(parts) < 2 else tuple(PatientEmbedder(p, self._lane) for p in parts)

    @property
    def wide(self) -> bool:
        """As of the embedder itself."""
        return is_for_wide(self._embedder)

    @property
    def late(self) -> Late | None:
        """As of the embedder itself, as patient."""
        inner = late(self._embedder)
        return None if inner is None else PatientLate(inner, self._lane)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As of the embedder itself. Raises ``TimeoutError`` where that takes too long."""
        return _soon(self._lane, lambda: self._embedder.embed(texts))


class PatientLate:
    """Late interaction that a question asks, likewise."""

    def __init__(self, inner: Late, lane: Lane) -> None:
        self._inner, self._lane = inner, lane

    def codes(self, texts: Sequence[str]) -> list[bytes]:
        """As of late interaction itself. Raises ``TimeoutError`` where that takes too long."""
        return _soon(self._lane, lambda: self._inner.codes(texts))

    def answers(self, question: str, codes: Sequence[bytes]) -> NDArray[np.float32]:
        """As of late interaction itself. Raises ``TimeoutError`` where that takes too long."""
        return _soon(self._lane, lambda: self._inner.answers(question, codes))


def _soon(lane: Lane, work: Callable[[], Made]) -> Made:
    try:
        return lane.within(work, EMBED_PATIENCE_SECONDS)
    except TimeoutError as error:
        raise TimeoutError("it takes too long to answer") from error


@dataclass(frozen=True, slots=True)
class Batch:
    """Nodes and pieces of long ones to embed in one go."""

    space: Embedder
    """In whose space they are pending."""
    stamp: str
    """Its stamp when the batch was taken."""
    rows: list[tuple[int, str]]
    """(place, text), pieces first, newest first."""
    newest: tuple[int, int]
    """Position of the newest node and number of the newest piece when the batch was taken."""
    last: bool
    """Whether nothing up to ``newest`` is pending in this space beyond it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions to embed in one go."""

    space: Embedder
    """In whose space they are pending."""
    rows: list[tuple[int, str]]
    """(id, text), last used first."""


class Settling:
    """Takes pending nodes in batches; remembers up to where nothing is left."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._done_to: dict[str, tuple[int, int]] = {}
        """By the stamp of a space."""

    def pending(self, db: Database) -> Batch | None:
        """The next batch; ``None`` when all is settled."""
        newest = (nodes.last_seq(db), pieces.last(db))
        for space in spaces(self._embedder):
            batch = self._pending(db, space, newest)
            if batch.rows:
                return batch
            self.done(batch)
        return None

    def _pending(self, db: Database, space: Embedder, newest: tuple[int, int]) -> Batch:
        stamp = space.stamp
        if stamp not in self._done_to:
            first, second = settings.kept(db, SETTLED + stamp, (0, 0))
            self._done_to[stamp] = (first, second)
        done_to = self._done_to[stamp]
        if newest == done_to:
            return Batch(space, stamp, [], newest, True)
        # No space has the number 0, so before the first vector every node is pending.
        number = vectors.known_space(db, stamp) or 0
        parts = pieces.pending(db, number, EMBED_BATCH, after=done_to[1])
        wholes = vectors.pending(db, number, EMBED_BATCH, after=done_to[0])
        # Half of the batch for each, so that neither keeps the other waiting.
        rows = parts[: max(EMBED_BATCH // 2, EMBED_BATCH - len(wholes))]
        rows += wholes[: EMBED_BATCH - len(rows)]
        last = len(parts) + len(wholes) < EMBED_BATCH
        return Batch(space, stamp, rows, newest, last)

    def embed(self, batch: Batch) -> list[Coded]:
        """Vectors and codes of a batch. Blocking; loads the embedder at the first call. Raises
        ``VectorsUnavailable`` when it fails."""
        texts = [text for _, text in batch.rows]
        made = vectors.embedded(batch.space, texts)
        # Only what has its vector here has codes here.
        own = [row for row, vector in enumerate(made) if vectors.has_direction(vector)]
        codes = [b""] * len(texts)
        if inner := late(batch.space):
            for row, code in zip(own, inner.codes([texts[row] for row in own]), strict=True):
                codes[row] = code
        places = (place for place, _ in batch.rows)
        return list(zip(places, made, codes, strict=True))

    def put(
        self,
        db: Database,
        space: Embedder,
        embedded: Sequence[Coded],
        last: Batch | None = None,
    ) -> None:
        """Store them, in one transaction; with the ``last`` batch also up to where nothing is left,
        so that the next process need not look through all that was ever said."""
        with db.transaction():
            number = vectors.space_of(db, space.stamp, space.dimensions)
            # Not where the embedder fell back meanwhile: nothing is known of its new stamp.
            if last is not None and last.stamp == space.stamp:
                settings.keep(db, SETTLED + last.stamp, last.newest)
            vectors.put(db, number, [(place, vector) for place, vector, _ in embedded])
            token_codes.put(db, number, [(place, codes) for place, _, codes in embedded])

    def looked_at(self, batch: Batch) -> int:
        """How many texts of a batch are looked at for the first time: each is in all spaces."""
        return len(batch.rows) if batch.space is spaces(self._embedder)[0] else 0

    def pending_lines(self, db: Database) -> list[Words]:
        """Some lines of summary chains that have no embedding yet."""
        return lines.pending(db, self._embedder.stamp, EMBED_BATCH)

    def embed_lines(self, rows: Sequence[Words]) -> list[tuple[bytes, str, int]]:
        """Their embeddings. Blocking, and raises, as ``embed`` does."""
        made = vectors.embedded(self._embedder, [text for _, _, text in rows])
        return [
            (vector, session, seq) for vector, (session, seq, _) in zip(made, rows, strict=True)
        ]

    def put_lines(self, db: Database, embedded: Sequence[tuple[bytes, str, int]]) -> None:
        """Store them, in one transaction."""
        lines.embed(db, embedded, self._embedder.stamp)

    def pending_questions(self, db: Database) -> Asked | None:
        """Some questions that led somewhere and that one of the spaces has not looked at yet: until
        then they are known by their words. ``None`` when there are none."""
        for space in spaces(self._embedder):
            rows = questions.pending(db, space.stamp, EMBED_BATCH)
            if rows:
                return Asked(space, rows)
        return None

    def embed_questions(self, asked: Asked) -> list[Vector]:
        """Their vectors. Blocking, and raises, as ``embed`` does."""
        made = vectors.embedded(asked.space, [text for _, text in asked.rows])
        return [(number, vector) for (number, _), vector in zip(asked.rows, made, strict=True)]

    def put_questions(self, db: Database, space: Embedder, embedded: Sequence[Vector]) -> None:
        """Store them, in one transaction."""
        questions.put_vectors(db, space.stamp, embedded)

    def chance(self, db: Database) -> Bars:
        """What chance brings in each space, where that is not on file yet; nothing where an
        embedder fails, since questions then find by words alone. Blocking."""
        # Here and not above: what only stores need not load the ways of finding.
        from memory.recall.chance import measured

        try:
            return measured(db, self._embedder)
        except VectorsUnavailable:
            return {}

    def put_chance(self, db: Database, bars: Bars) -> None:
        """Keep it, with the stamps of the spaces."""
        from memory.recall.chance import keep

        with db.transaction():
            keep(db, bars)

    def done(self, batch: Batch) -> None:
        """All up to the batch's newest node and piece is settled under its stamp; later looks begin
        there."""
        self._done_to[batch.stamp] = batch.newest


async def settle(
    settling: Settling | None, lanes: Lanes, writes: Writes, going: Callable[[], bool]
) -> int:
    """Bring older files up to date and embed what waits for it, as long as ``going()``; how many
    texts were looked at. What is left stays pending. Without ``settling`` nothing is embedded."""

    async def write(work: Callable[[Database], object]) -> None:
        await writes.whole(lanes.write.run(work))

    for waits, work in ((cuts.older, cuts.cut_older), (vectors.older, vectors.move_older)):
        while going() and await lanes.read.run(waits):
            await write(work)
    if settling is None:
        return 0
    done = 0
    # First the few questions by which everything else is led to.
    while going() and (asked := await lanes.read.run(settling.pending_questions)):
        made = await lanes.embed.call(partial(settling.embed_questions, asked))
        await write(partial(settling.put_questions, space=asked.space, embedded=made))
        done += sum(vectors.has_direction(vector) for _, vector in made)
    while going() and (batch := await lanes.read.run(settling.pending)):
        embedded = await lanes.embed.call(partial(settling.embed, batch))
        last = batch if batch.last else None
        await write(partial(settling.put, space=batch.space, embedded=embedded, last=last))
        done += settling.looked_at(batch)
        if batch.last:
            settling.done(batch)
    if going() and (bars := await lanes.read.run(settling.chance)):
        await write(partial(settling.put_chance, bars=bars))
    while going() and (words := await lanes.read.run(settling.pending_lines)):
        told = await lanes.embed.call(partial(settling.embed_lines, words))
        await write(partial(settling.put_lines, embedded=told))
        done += len(words)
    return done
