"""Looking: what the recall hand asks memory, and how it goes on to what nobody has read.

Where a judge is able it reads for the question; else the model that asks reads itself: the plain
answer says how much is unread, and each deeper look shows the next memories, from new to old.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from growbox_tui.agent.looks import Looks
from memory import Memory
from memory.context.render import render
from memory.context.window import Window
from memory.recollection import Query, Recollection
from memory.types import Node

LOOK_TOKENS = 500
"""Tokens of one memory that the recall hand brings."""
LEAF_TOKENS, LEAF_ITEM_TOKENS = 2_400, 200
"""Tokens of unread memories that one deeper look shows, and of one of them."""
PLACES_KEPT = 32
"""Questions of which it is known where their reading stopped."""
NOTHING = "Nothing near that was found."


class Looking:
    """The recall hand's eyes, for one session."""

    def __init__(
        self,
        memory: Memory,
        project: str,
        window: Window,
        looks: Looks,
        able: Callable[[], bool] = lambda: False,
    ) -> None:
        """
        Args:
            memory: what is asked.
            project: whose memories come first.
            window: of the session; what is found counts as needed in it.
            looks: learns what was asked and found, and is told at the turn's end what was used.
            able: whether a judge reads.
        """
        self._memory, self._project, self._window = memory, project, window
        self._looks, self._able = looks, able
        self._read: OrderedDict[str, int] = OrderedDict()
        """Question → position down to which its unread memories were shown."""

    async def look(self, question: str, deeper: bool) -> str:
        """Rendered memories, best first, and what is still unread. Empty when all was read and
        nothing found."""
        query = Query(question, project=self._project, session=self._window.session, deeper=deeper)
        found = await self._memory.recall(query)
        placeholders = [hit.node.id for hit in found.hits if hit.placeholder]
        ids = [hit.node.id for hit in found.hits]
        await self._memory.found(self._window, ids, placeholders)
        if deeper and found.unread and not self._able():
            return await self._read_on(found, ids)
        self._looks.note(found.id, ids)
        bodies = await asyncio.to_thread(_near, found)
        note = self._unread(found)
        if not bodies and not found.notice and not note:
            return ""
        return "\n".join(filter(None, [*(bodies or [NOTHING]), found.notice, note]))

    async def page(self, address: str) -> str | None:
        """The whole text behind an address, ``None`` for no such one. A line of it that has left
        the prompt of this window comes back with the next epoch."""
        node = await self._memory.refer(address)
        if node is None:
            return None
        self._window.touch([node.id])
        self._looks.paged(node.id)
        await self._memory.reload(self._window, node.id)
        return node.text

    # ---- within ------------------------------------------------------------------------------

    async def _read_on(self, found: Recollection, shown: Sequence[str]) -> str:
        """The next unread memories as they are, for the model to read."""
        key = " ".join(found.query.split()).casefold()
        below = self._read.get(key)
        leaf = await self._memory.leaf(
            found.unread,
            tokens=LEAF_TOKENS,
            item_tokens=LEAF_ITEM_TOKENS,
            below=below,
            besides={*shown, *self._window.remembered},
        )
        self._note_place(key, leaf.below)
        self._looks.note(found.id, [*shown, *(node.id for node in leaf.nodes)])
        if not leaf.nodes and below:
            return "All of it has been shown; nothing is left unread."
        bodies = await asyncio.to_thread(_rendered, leaf.nodes, found.query)
        # Who reads on without having looked before has not seen these.
        near = [] if below else await asyncio.to_thread(_near, found)
        on = (
            "There is more: the same call again goes on from there."
            if leaf.below
            else "That was the last of it."
        )
        return "\n".join([*near, *bodies, f"[{len(bodies)} unread memories, newest first. {on}]"])

    def _note_place(self, key: str, below: int) -> None:
        """Keep where a question's reading stopped; position 1 has nothing below it."""
        self._read[key] = below or 1
        self._read.move_to_end(key)
        if len(self._read) > PLACES_KEPT:
            self._read.popitem(last=False)

    def _unread(self, found: Recollection) -> str:
        """What may be missing, its price, and how to go on; empty where nothing is."""
        price = found.price
        if found.complete or price is None or not price.nodes:
            return ""
        more = (
            "reads on"
            if self._able()
            else f"shows the next of them, about {min(LEAF_TOKENS, price.tokens):,} tokens"
        )
        many = "1 memory" if price.nodes == 1 else f"{price.nodes:,} memories"
        return (
            f"[Incomplete: {many} of about {price.tokens:,} tokens unread for this; "
            f"recall with deeper {more}.]"
        )


def _near(found: Recollection) -> list[str]:
    return [render(hit.node, LOOK_TOKENS, found.query, hit.piece) for hit in found.hits]


def _rendered(nodes: Sequence[Node], question: str) -> list[str]:
    return [render(node, LEAF_ITEM_TOKENS, question) for node in nodes]
