"""Epochs on disk: the one way in which a window is begun, added to and read again.

Each change is one transaction. The window in RAM follows only when the file has it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from memory.config import ITEM_TOKENS
from memory.context.index_queue import IndexQueue
from memory.context.rebase import Wanted, plan
from memory.context.region import is_node
from memory.context.render import render
from memory.context.tail_ring import Shorten, TailRing, kept
from memory.context.window import Scene, Window
from memory.store import conversation, nodes
from memory.store.database import Database
from memory.store.texts import clean
from memory.tokens import estimate
from memory.types import Budget, Entry, Epoch, Item, NewNode, Node


@dataclass(frozen=True, slots=True)
class Fixed:
    """What stands in front of an epoch's region, and what must stand in it."""

    tools: tuple[str, ...]
    system: tuple[str, ...]
    why: str
    """Why the epoch begins."""
    standing: tuple[str, ...] = ()
    """Texts that hold until they are done, such as an open plan."""


@dataclass(frozen=True, slots=True)
class Going:
    """What becomes of the tail."""

    staying: tuple[Entry, ...] = ()
    left: tuple[Entry, ...] = ()
    """What falls off, oldest first."""
    shortened: frozenset[int] = frozenset()
    """Positions of entries that stay shorter than they were recorded."""


def part(window: Window, budget: Budget, shorten: Shorten | None) -> Going:
    """Decide what stays of the tail. The newest group may take half of the slack, so that what has
    just been read is not cut at once."""
    entries = window.entries
    most = (budget.tail_low + budget.tail_high) // 2
    staying = kept(entries, budget.tail_low, shorten, most)
    there = {entry.seq: entry for entry in entries}
    cut = {entry.seq for entry in staying if entry != there[entry.seq]}
    seqs = {entry.seq for entry in staying}
    left = tuple(entry for entry in entries if entry.seq not in seqs)
    return Going(staying, left, frozenset(cut | (window.shortened & seqs)))


def begin(
    db: Database,
    window: Window,
    going: Going,
    fixed: Fixed,
    budget: Budget,
    at: int,
    *,
    cold: bool,
) -> Scene:
    """Write the next epoch, in one transaction; the window itself is left as it is.

    ``at``: milliseconds, UTC. ``cold``: whether no prefix is served any more.
    """
    old = window.epoch
    number = old.number + 1 if old else 1
    with db.transaction():
        added = [*_memories(db, window, going, number), *_standing(fixed.standing, number)]
        queue = window.queue.copy()
        for item in added:
            if is_node(item.node):
                queue.enter(item.node, window.turns)
        wanted = Wanted(
            queue,
            window.turns,
            number,
            budget,
            cold,
            frozenset(item.node for item in added if item.kind == "standing"),
            lambda tokens: (),
        )
        region = plan(old.items if old else (), added, wanted)
        first = going.staying[0].seq if going.staying else window.next_seq
        epoch = Epoch(
            *(number, fixed.tools, fixed.system, region.items, first, fixed.why),
            carried=len(going.staying),
        )
        shown = (node for entry in going.staying for node in entry.shows)
        queue.retain([*(item.node for item in region.items), *shown])
        scene = Scene(epoch, going.staying, queue, (), going.shortened)
        conversation.add_epoch(db, window.session, epoch, scene.entries, at, scene.shortened)
        conversation.put_queue(db, window.session, queue.to_plain())
    return scene


def clear(db: Database, window: Window, fixed: Fixed, at: int) -> Scene:
    """Write an epoch with nothing in it but what is fixed, in one transaction."""
    number = window.epoch.number + 1 if window.epoch else 1
    epoch = Epoch(number, fixed.tools, fixed.system, (), window.next_seq, fixed.why)
    with db.transaction():
        conversation.add_epoch(db, window.session, epoch, (), at)
        conversation.put_queue(db, window.session, {})
    return Scene(epoch, queue=IndexQueue())


def _memories(db: Database, window: Window, going: Going, segment: int) -> list[Item]:
    """Nodes that were shown in what fell off, or pinned, and stand nowhere; oldest first."""
    ring = TailRing(going.staying)
    fallen = [node for entry in going.left for node in entry.shows]
    names = [
        node
        for node in dict.fromkeys([*fallen, *window.pinned])
        if not ring.holds(node)
        and node not in window.evicted
        and not (window.epoch and window.region_holds(node))
    ]
    return [_memory(node, segment) for node in nodes.by_ids(db, names)]


def _memory(node: Node, segment: int) -> Item:
    body = render(node, ITEM_TOKENS)
    return Item(node.id, body, estimate(body), "memory", segment)


def _standing(texts: Collection[str], segment: int) -> list[Item]:
    """One item each, named by its words: a text that stands already is the same item."""
    return [
        Item(
            f"standing:{hashlib.sha256(text.encode()).hexdigest()[:12]}",
            *(text, estimate(text), "standing", segment),
        )
        for text in dict.fromkeys(map(clean, texts))
        if text
    ]


def record(
    db: Database,
    window: Window,
    entry: Entry,
    node: NewNode | Node | None,
    queue: IndexQueue,
    at: int,
) -> Entry:
    """Write a message, its node and the heat after it, in one transaction; the entry as it was
    stored.

    ``TooLarge`` comes before any work is done for a message that cannot be kept.
    """
    if window.epoch is None:
        raise ValueError("a message needs an epoch to stand in")
    conversation.check_size(entry.body)
    with db.transaction():
        if isinstance(node, NewNode):
            node = nodes.add(db, node, at)
        if node is not None:
            entry = replace(entry, node=node.id)
        conversation.add_entry(db, window.session, window.epoch.number, entry)
        words = node.text if node is not None and entry.role == "user" else ""
        conversation.touch_session(db, window.session, turn=entry.turn, words=words, at=at)
        if queue is not window.queue:
            conversation.put_queue(db, window.session, queue.to_plain())
    return entry


def load(db: Database, session: str) -> Window:
    """The window of a session as it stands on disk."""
    with db.snapshot():
        running = conversation.current_epoch(db, session)
        epoch, entries, shortened = running if running else (None, (), frozenset[int]())
        queue = IndexQueue.from_plain(conversation.queue(db, session))
        return Window(
            session,
            Scene(epoch, entries, queue, (), shortened),
            next_seq=conversation.last_seq(db, session) + 1,
            turns=conversation.last_turn(db, session),
        )
