"""Epochs on disk: the one way in which a window is begun, added to and read again.

Each change is one transaction. The window in RAM follows only when the file has it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory.config import ITEM_TOKENS
from memory.context.index_queue import IndexQueue
from memory.context.region import survivors
from memory.context.render import render
from memory.context.window import Carry, Window
from memory.store import conversation, nodes
from memory.store.database import Database
from memory.tokens import estimate
from memory.types import Entry, Epoch, Item, NewNode, Node


@dataclass(frozen=True, slots=True)
class Fixed:
    """What stands in front of an epoch's region."""

    tools: tuple[str, ...]
    system: tuple[str, ...]
    why: str
    """Why the epoch begins."""


def begin(
    db: Database,
    window: Window,
    going: Carry,
    fixed: Fixed,
    region_tokens: int,
    at: int,
) -> Epoch:
    """Write the next epoch, in one transaction. The window itself is left as it is.

    ``region_tokens``: estimated tokens of all items. ``at``: milliseconds, UTC.
    """
    old = window.epoch
    with db.transaction():
        fallen = [_item(node) for node in nodes.by_ids(db, going.candidates)]
        items = survivors(
            [*(old.items if old else ()), *fallen], window.queue, window.turns, region_tokens
        )
        first = going.entries[0].seq if going.entries else window.next_seq
        epoch = Epoch(
            old.number + 1 if old else 1, fixed.tools, fixed.system, items, first, fixed.why
        )
        conversation.add_epoch(db, window.session, epoch, going.entries, at)
        queue = window.queue.copy()
        shown = (node for entry in going.entries for node in entry.shows)
        queue.retain([*(item.node for item in items), *shown])
        conversation.put_queue(db, window.session, queue.to_plain())
    return epoch


def _item(node: Node) -> Item:
    body = render(node, ITEM_TOKENS)
    return Item(node.id, body, estimate(body))


def record(
    db: Database, window: Window, epoch: int, entry: Entry, node: NewNode | Node | None, at: int
) -> Entry:
    """Write a message and its node, in one transaction; the entry as it was stored.

    ``TooLarge`` comes before any work is done for a message that cannot be kept.
    """
    conversation.check_size(entry.body)
    with db.transaction():
        if isinstance(node, NewNode):
            node = nodes.add(db, node, at)
        if node is not None:
            entry = replace(entry, node=node.id)
        conversation.add_entry(db, window.session, epoch, entry)
        words = node.text if node is not None and entry.role == "user" else ""
        conversation.touch_session(db, window.session, turn=entry.turn, words=words, at=at)
        if entry.shows or len(window.queue):
            after = window.queue_after(entry)
            conversation.put_queue(db, window.session, after.to_plain())
    return entry


def load(db: Database, session: str) -> Window:
    """The window of a session as it stands on disk."""
    with db.snapshot():
        running = conversation.current_epoch(db, session)
        epoch, entries = running if running else (None, ())
        return Window(
            session,
            epoch=epoch,
            entries=entries,
            queue=IndexQueue.from_plain(conversation.queue(db, session)),
            next_seq=conversation.last_seq(db, session) + 1,
            turns=conversation.last_turn(db, session),
        )
