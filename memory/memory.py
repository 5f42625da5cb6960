"""Memory: the front desk. Every verb is found here; the rooms behind it do the work.

Three threads serve it: one writes, one reads, one embeds. A write that has begun is finished even
if its caller is cancelled, and the window changes together with the file or not at all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from memory import settling
from memory.calibrating import Calibrating
from memory.config import CLOSE_SECONDS
from memory.context import constraints
from memory.context.window import Window as Window
from memory.hyperspace.spaces import spaces
from memory.leafing import Leafing
from memory.learning import Learning
from memory.protocols import Clock, Embedder, Judge
from memory.recalls import Recalls
from memory.recutting import Recutting
from memory.settling import PatientEmbedder
from memory.store import conversation, nodes, pieces, requests, rules, settings, vectors
from memory.store.appends import Appends
from memory.store.database import Database, open_database
from memory.store.lane import Lane, Lanes
from memory.store.texts import clean
from memory.store.writes import Writes
from memory.types import Entry, MemoryState, NewNode, Node, Rule, RuleAdded, SessionInfo
from memory.windows import ADDRESS, Windows

Answer = TypeVar("Answer")


class SystemClock:
    """The machine's own time."""

    def now(self) -> int:
        """Milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000


class Memory:
    """One memory file. Made by ``Memory.open``; every verb may raise ``MemoryFileError``."""

    def __init__(
        self,
        path: Path,
        embedder: Embedder | None,
        clock: Clock | None,
        judge: Judge | None = None,
    ) -> None:
        """Use ``Memory.open``: an object made by hand has no connections yet."""
        self.path = path
        self._embedder = embedder
        self._settling = None if embedder is None else settling.Settling(embedder)
        self._clock = clock or SystemClock()
        self._writer, self._reader = Lane("write"), Lane("read")
        self._embedding = Lane("embed")
        self._asked = None if embedder is None else PatientEmbedder(embedder, self._embedding)
        self._writes, self._appends = Writes(), Appends()
        self._lanes = Lanes(self._writer, self._reader, self._embedding)
        windows = Windows(self._lanes, self._writes, self._clock, self._embedder)
        # What changes a conversation's prompt: as documented there.
        self.window = windows.window
        self.begin_epoch = windows.begin_epoch
        self.nap = windows.nap
        self.record = windows.record
        self.pin, self.unpin, self.evict = windows.pin, windows.unpin, windows.evict
        self.reload, self.found = windows.reload, windows.found
        recalls = Recalls(self._lanes, self._writes, self._clock, self._asked, judge)
        # By which it is asked: as documented there.
        self.recall, self.pay, self.use_judge = recalls.recall, recalls.pay, recalls.use_judge
        self._learning = learning = Learning(
            *(self._lanes, self._writes, self._clock, self._embedder), recalls.recall
        )
        # By which it learns: as documented there.
        self.confirm, self.wrong, self.why = learning.confirm, learning.wrong, learning.why
        self.jump, self.undo_jump, self.jumps = learning.jump, learning.undo_jump, learning.jumps
        self.retire, self.map, self.quoted = learning.retire, learning.map, learning.quoted
        calibrating = Calibrating(self._lanes, self._writes)
        self.calibrate, self.calibrated = calibrating.calibrate, calibrating.calibrated
        self.leaf = Leafing(self._lanes).leaf
        self.recut = Recutting(self._lanes, self._writes, self._clock).recut
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        judge: Judge | None = None,
    ) -> Memory:
        """Open the file, making it (0600) and its folder (0700) where needed.

        Without an embedder nothing is found by meaning, and nothing is embedded. Without a judge
        that is able nothing is read exactly.
        """
        memory = cls(path, embedder, clock, judge)
        await memory._writer.open(lambda: open_database(path))
        try:
            await memory._reader.open(lambda: open_database(path, reading=True))
        except BaseException:  # the writing connection must not stay behind
            await memory._writer.close(CLOSE_SECONDS)
            raise
        return memory

    async def close(self) -> None:
        """Finish what has begun and let go of the file, within two seconds. May be called again.

        What is not finished by then, because another program holds the file or the disk does not
        answer, raises ``Busy`` for whoever waits for it.
        """
        if self._closed:
            return
        self._closed = True
        until = time.monotonic() + CLOSE_SECONDS
        await self._writes.ended(CLOSE_SECONDS)
        lanes = (self._embedding, self._reader, self._writer)
        await asyncio.gather(*(lane.close(until - time.monotonic()) for lane in lanes))

    # ---- the timeline ------------------------------------------------------------------------

    async def remember(self, new: NewNode) -> Node:
        """Append to the timeline. On disk, and found by its words, when it returns."""
        at = self._clock.now()
        return await self._write(self._appends.add(new, at))

    async def refer(self, address: str) -> Node | None:
        """The whole node behind ``mem://<id>`` (or its bare id); ``None`` if there is none."""
        name = address.strip().removeprefix(ADDRESS).strip().lower()
        return await self._reader.run(lambda db: nodes.by_id(db, clean(name)))

    async def settle(self, seconds: float) -> int:
        """Embed nodes, lines and questions that wait for it, newest first, and forget a little of
        what is not worth keeping, for at most that long; how many texts were looked at.

        What is left stays pending for the next call or the next process.
        """
        until = time.monotonic() + seconds

        def going() -> bool:
            return not self._closed and time.monotonic() < until

        done = await settling.settle(self._settling, self._lanes, self._writes, going)
        if going():
            await self._learning.review()
        return done

    # ---- conversations -----------------------------------------------------------------------

    async def open_session(self, project: str, model: str) -> str:
        """A new conversation; its id."""
        at = self._clock.now()
        return await self._write(lambda db: conversation.open_session(db, project, model, at))

    async def session(self, session: str) -> SessionInfo | None:
        """A conversation on file."""
        return await self._reader.run(lambda db: conversation.session(db, session))

    async def sessions(self, project: str | None = None, limit: int = 50) -> list[SessionInfo]:
        """Conversations in which something was said, newest first."""
        return await self._reader.run(lambda db: conversation.sessions(db, project, limit))

    async def set_model(self, session: str, model: str) -> None:
        """Another voice goes on with the conversation."""
        await self._write(lambda db: conversation.set_model(db, session, model))

    async def claim(self, session: str, owner: str, alive: Callable[[str], bool]) -> str:
        """Become the one who goes on with a conversation, in one transaction.

        ``""`` if ``owner`` has it now; else the owner who has it and for whom ``alive`` is true.
        Owners are opaque texts. ``alive`` runs in another thread and must be quick. Raises
        ``LookupError`` for an unknown conversation.
        """
        return await self._write(lambda db: conversation.claim(db, session, owner, alive))

    async def release(self, session: str, owner: str) -> None:
        """Give a conversation up; does nothing unless ``owner`` has it."""
        await self._write(lambda db: conversation.release(db, session, owner))

    async def transcript(self, session: str) -> list[Entry]:
        """All messages of a conversation, all epochs, oldest first."""
        return await self._reader.run(lambda db: conversation.transcript(db, session))

    # ---- rules -------------------------------------------------------------------------------

    async def rules(self, session: str) -> tuple[Rule, ...]:
        """What the user stated for this conversation, in order."""
        return await self._reader.run(lambda db: rules.rules(db, session))

    async def add_rule(
        self, session: str, text: str, source: Literal["stated", "steered"] = "stated"
    ) -> RuleAdded:
        """State a rule: kept, merged into one that says the same, or refused with a sentence."""
        at = self._clock.now()
        decide = partial(constraints.add, text=text, source=source, at=at)
        return await self._write(lambda db: rules.add_rule(db, session, decide))

    async def edit_rule(self, session: str, number: int, text: str) -> RuleAdded:
        """Reword a rule. ``LookupError`` if there is none of this id."""
        decide = partial(constraints.edit, number=number, text=text)
        return await self._write(lambda db: rules.edit_rule(db, session, decide))

    async def drop_rule(self, session: str, number: int) -> tuple[Rule, ...]:
        """Take a rule back; those that stand now. ``LookupError`` if there is none of this id."""
        return await self._write(lambda db: rules.drop_rule(db, session, number))

    # ---- requests ----------------------------------------------------------------------------

    async def note_request(
        self, session: str, epoch: int, body: str, kept: Mapping[str, Any] | None = None
    ) -> None:
        """Keep the ledger's record of a request, and small settings with it, in one transaction;
        memory does not look inside."""
        at = self._clock.now()
        await self._write(lambda db: requests.note_request(db, session, epoch, body, at, kept))

    async def last_request(self, session: str) -> str | None:
        """The newest record that ``note_request`` kept."""
        return await self._reader.run(lambda db: requests.last_request(db, session))

    async def requests(self, session: str) -> list[tuple[int, int, str]]:
        """(milliseconds, epoch, record) of each request of a session, oldest first."""
        return await self._reader.run(lambda db: requests.requests(db, session))

    async def request_figures(self, names: Sequence[str], since: int = 0) -> list[tuple[Any, ...]]:
        """These fields of the records of all sessions from a time on (milliseconds, UTC), oldest
        first; ``None`` for what a record does not have."""
        return await self._reader.run(lambda db: requests.figures(db, names, since))

    # ---- small things ------------------------------------------------------------------------

    async def keep(self, key: str, value: Any) -> None:
        """Keep a small setting: anything that JSON holds."""
        await self._write(lambda db: settings.keep(db, key, value))

    async def add_kept(self, key: str, values: Sequence[str]) -> list[str]:
        """Add to a kept list what it does not hold, in one transaction; the whole list. What
        another process added stays. Raises ``ValueError`` if no list is kept there."""
        return await self._write(lambda db: settings.add_kept(db, key, values))

    async def kept(self, key: str, default: Any = None) -> Any:
        """A setting that was kept."""
        return await self._reader.run(lambda db: settings.kept(db, key, default))

    async def kept_under(self, prefix: str, over: int = 0) -> dict[str, Any]:
        """Key → value of the settings whose keys begin so, if they take more than ``over``
        characters on file."""
        return await self._reader.run(lambda db: settings.kept_under(db, prefix, over))

    async def state(self) -> MemoryState:
        """Figures for panels."""
        embedder = self._embedder
        return await self._reader.run(lambda db: _state(db, embedder))

    async def _write(self, work: Callable[[Database], Answer]) -> Answer:
        """One write, finished even if the caller is cancelled."""
        return await self._writes.whole(self._writer.run(work))


def _state(db: Database, embedder: Embedder | None) -> MemoryState:
    parts = spaces(embedder) if embedder else ()
    known = (vectors.known_space(db, part.stamp) for part in parts)
    return MemoryState(
        path=str(db.path),
        nodes=nodes.count(db),
        sessions=conversation.count_sessions(db),
        embedded=sum(vectors.count(db, space) for space in known if space is not None),
        embedder=embedder.stamp if embedder else "",
        bytes=db.size(),
        places=pieces.standing(db),
    )
