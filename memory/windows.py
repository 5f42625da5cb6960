"""Windows: the verbs that change what a model has before it.

Each is one transaction, changes of one window come one after the other, and the window in RAM
follows its file or stays as it was. Reading and condensing is done in the reading thread, vectors
are made in the embedding one, so a write never waits for either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from memory.config import EMBED_PATIENCE_SECONDS
from memory.context import epochs
from memory.context.eviction import Policy
from memory.context.index_queue import IndexQueue
from memory.context.judging import Judged, judged, to_embed
from memory.context.summary_chain import MOST_RELOADED
from memory.context.tail_ring import Shorten
from memory.context.window import Scene, Window
from memory.protocols import Clock, Embedder
from memory.recall import anchors
from memory.store import conversation, lines, nodes, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable
from memory.store.lane import Lanes as Lanes
from memory.store.texts import clean
from memory.store.writes import Writes
from memory.types import Budget, Entry, Epoch, NewNode, Node

ADDRESS = "mem://"
"""How the address of a node begins."""


class Windows:
    """The windows of one memory file. Every verb may raise ``MemoryFileError``."""

    def __init__(
        self, lanes: Lanes, writes: Writes, clock: Clock, embedder: Embedder | None
    ) -> None:
        self._lanes = lanes
        self._writes = writes
        self._clock = clock
        self._embedder = embedder

    async def window(self, session: str) -> Window:
        """The prompt of a conversation as it stands on disk; without an epoch if it is new."""
        return await self._lanes.read.run(lambda db: epochs.load(db, session, self._stamp))

    async def begin_epoch(
        self,
        window: Window,
        *,
        tools: tuple[str, ...],
        system: tuple[str, ...],
        why: str,
        budget: Budget,
        cold: bool,
        shorten: Shorten | None = None,
        standing: Sequence[str] = (),
        policy: Literal["literal", "soft", "hard"] = "literal",
    ) -> Epoch:
        """Start the next epoch, with a prompt of at most about ``budget.tail_low`` tokens of
        conversation behind a region of at most ``budget.region_high``.

        Args:
            cold: whether no cache serves the old prefix any more. If not, what stands in the
                region stays as it is as long as there is room.
            shorten: makes a giant that stays in the tail smaller; without it all stay whole.
            standing: texts that must stand in the prompt until they are done, such as an open
                plan; one that stands in the region already is left where it is.
            policy: what a sweep of the region does with the lines of what the user added while
                the agent ran: as any line, only when nothing else is left, or never out.

        Of the tail the newest messages stay, each with its results. The running turn keeps what
        the user said first and last in it and its newest message, whatever the budget, unless
        that is 0. What falls off stays in the region in lines and excerpts.
        """
        coming = epochs.Next(
            *(tools, _cleaned(system), clean(why), budget, cold, _cleaned(standing)),
            # As long as there is room no line has to leave.
            policy=Policy(protect=policy, stage_one="gated"),
        )

        return await self._writes.in_turn(self._begin(window, coming, shorten))

    async def nap(
        self, window: Window, *, tools: tuple[str, ...], system: tuple[str, ...]
    ) -> Epoch:
        """Clear conversation, region, chain, pins and heat. The timeline keeps all of it, and rules
        stay."""
        nothing = Budget(0, 0, 0, 0, 0, 0)
        coming = epochs.Next(tools, _cleaned(system), "nap", nothing, cold=True)

        async def change() -> Epoch:
            at = self._clock.now()
            scene = await self._lanes.write.run(lambda db: epochs.clear(db, window, coming, at))
            return _entered(window, scene)

        return await self._writes.in_turn(change())

    async def record(
        self,
        window: Window,
        *,
        turn: int,
        role: Literal["user", "assistant", "tool"],
        body: str,
        tokens: int,
        node: NewNode | Node | None = None,
        shows: Sequence[str] = (),
    ) -> Entry:
        """Append a message, and the node of its words, in one transaction; on disk on return.

        Args:
            window: of the session; its epoch must have begun (else ``ValueError``).
            turn: counts the user's questions from 1.
            body: the message as the prompt will hold it; kept to the byte (lone surrogates, which
                no encoding can hold, become U+FFFD) or, beyond ``BODY_LIMIT``, not at all
                (``TooLarge``).
            tokens: estimated tokens of ``body``.
            node: its words; a ``Node`` is one that is on the timeline already. Of a ``NewNode``'s
                ``meta`` memory knows ``summary``, the writer's own line for it, and
                ``supplement``, that the user added it while the agent ran.
            shows: ids of the remembered nodes that are rendered in it.
        """

        async def change() -> Entry:
            entry = Entry(window.next_seq, turn, role, clean(body), tokens, None, tuple(shows))
            at, queue = self._clock.now(), window.queue_after(entry)
            stored = await self._lanes.write.run(
                lambda db: epochs.record(db, window, entry, node, queue, at)
            )
            window.append(stored, queue)
            return stored

        return await self._writes.in_turn(change())

    async def pin(self, window: Window, node_id: str) -> Node | None:
        """Force a memory into the prompt: from the next epoch on it stands there, and no sweep
        takes it. The node, or ``None`` if there is none of this id."""
        node = await self._node(node_id)
        if node is not None:
            await self._queued(window, lambda queue: queue.pin(node.id))
        return node

    async def unpin(self, window: Window, node_id: str) -> None:
        """Let sweeps take it again."""
        await self._queued(window, lambda queue: queue.unpin(_bare(node_id)))

    async def evict(self, window: Window, node_id: str) -> None:
        """Have a memory go at the epoch's end, with its line and excerpt, and from the tail with
        the entry that shows it. Its bytes stay until then, and so it does for good if it is found
        again meanwhile."""
        await self._queued(window, lambda queue: queue.evict(_bare(node_id)))

    async def reload(self, window: Window, iri: str) -> Node | None:
        """Bring back a line that left the summary chain: it stands in the region from the next
        epoch on. The whole node; ``None`` if the address is no weak reference."""
        node = await self._node(iri) if window.chain.left(_bare(iri)) else None
        if node is None:
            return None

        async def change() -> Node | None:
            if not window.chain.left(node.id):  # somebody else was faster
                return None
            chain = window.chain.copy()
            back, sent = chain.reload(node.address, node.text, self._clock.now())

            def write(db: Database) -> None:
                with db.transaction():
                    lines.put(db, window.session, [back])
                    lines.leave(db, window.session, [line.seq for line in sent])

            await self._lanes.write.run(write)
            window.chain = chain
            return node

        return await self._writes.in_turn(change())

    async def found(
        self, window: Window, ids: Sequence[str], placeholders: Collection[str] = ()
    ) -> None:
        """These were found again, the best first: they get warmer, and lines of them that had left
        the summary chain come back (``reload``), as long as none that came back in this epoch has
        to go for it.

        ``placeholders``: those of them that the approximate index alone brought (``Hit``). Of the
        others one that a pointer leads to leaves an anchor when it goes; what was a placeholder is
        none any more once it was found in another way, or needed.
        """
        window.touch(ids, placeholders)
        gone = [node for node in dict.fromkeys(ids) if window.chain.left(node)]
        free = max(0, MOST_RELOADED - len(window.returning))
        # The best one last: of those that have come back it is then the last to go.
        for node in reversed(gone[:free]):
            await self.reload(window, node)

    # ---- within ------------------------------------------------------------------------------

    async def _begin(self, window: Window, coming: epochs.Next, shorten: Shorten | None) -> Epoch:
        at, going = self._clock.now(), epochs.part(window, coming.budget, shorten)
        reaped = await self._lanes.read.run(
            lambda db: epochs.harvest(db, window, going, coming, at, self._stamp)
        )
        known = await self._judged(reaped) if reaped.sweeps else Judged()
        stamp = self._stamp

        def write(db: Database) -> Scene:
            with db.transaction():
                scene = epochs.begin(db, window, going, coming, reaped, at, known, stamp)
                anchors.leave(db, _swapped_out(window, scene), at)
            return scene

        return _entered(window, await self._lanes.write.run(write))

    @property
    def _stamp(self) -> str:
        return self._embedder.stamp if self._embedder else ""

    async def _node(self, address: str) -> Node | None:
        return await self._lanes.read.run(lambda db: nodes.by_id(db, clean(_bare(address))))

    async def _queued(self, window: Window, work: Callable[[IndexQueue], None]) -> None:
        """Change the heat of a window."""

        async def change() -> None:
            queue = window.queue.copy()
            work(queue)
            await self._lanes.write.run(
                lambda db: conversation.put_queue(db, window.session, queue.to_plain())
            )
            window.queue = queue

        await self._writes.in_turn(change())

    async def _judged(self, reaped: epochs.Harvest) -> Judged:
        """How much the lines bear on what the user asked last. Where nothing can be embedded, or
        not soon, they are weighed without it: no epoch waits for an embedder."""
        chain, embedder = reaped.chain.lines, self._embedder
        if embedder is None or not chain:
            return Judged()
        texts = to_embed(chain, reaped.task)
        try:
            async with asyncio.timeout(EMBED_PATIENCE_SECONDS):
                return await self._lanes.embed.call(
                    lambda: judged(chain, vectors.embedded(embedder, texts))
                )
        except (VectorsUnavailable, TimeoutError):
            return Judged()


def _bare(address: str) -> str:
    """The id in an address."""
    return address.strip().removeprefix(ADDRESS).strip().lower()


def _cleaned(texts: Sequence[str]) -> tuple[str, ...]:
    """As the file can hold them: what a model or a path says may be no valid Unicode."""
    return tuple(map(clean, texts))


def _swapped_out(window: Window, scene: Scene) -> list[str]:
    """Nodes that leave the window for want of room, and that more than the approximate index had
    brought. What the user dropped is not wanted back."""
    staying = scene.queue.nodes if scene.queue is not None else frozenset()
    return sorted(window.queue.nodes - staying - window.evicted - window.queue.placeholders)


def _entered(window: Window, scene: Scene) -> Epoch:
    """The window follows its file; the epoch that begins."""
    assert scene.epoch is not None
    window.enter(scene)
    return scene.epoch
