"""Epochs on disk: the one way in which a window is begun, added to and read again.

Each change is one transaction. The window in RAM follows only when the file has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.config import EMBED_CHARS
from memory.context.eviction import DEFAULT, Policy
from memory.context.index_queue import IndexQueue
from memory.context.judging import Judged
from memory.context.leaving import Condensed, Left, condensed, line_item
from memory.context.rebase import Wanted, line_name, plan, standing_items
from memory.context.region import is_node
from memory.context.summary_chain import Archive, SummaryChain
from memory.context.tail_ring import Shorten, TailRing, kept
from memory.context.window import Scene, Window
from memory.store import conversation, lines, nodes
from memory.store.database import Database
from memory.types import Budget, Entry, Epoch, Item, Line, NewNode, Node


@dataclass(frozen=True, slots=True)
class Next:
    """What an epoch is to be."""

    tools: tuple[str, ...]
    system: tuple[str, ...]
    why: str
    """Why it begins."""
    budget: Budget
    cold: bool
    """Whether no prefix is served any more."""
    standing: tuple[str, ...] = ()
    """Texts that hold until they are done, such as an open plan."""
    policy: Policy = DEFAULT
    """By which lines leave."""


@dataclass(frozen=True, slots=True)
class Going:
    """What becomes of the tail."""

    staying: tuple[Entry, ...]
    left: tuple[Entry, ...]
    """What falls off, oldest first."""
    cut: tuple[Entry, ...]
    """What stays and becomes shorter, as it was. It shows none of its memories any more."""
    shortened: frozenset[int]
    """Positions of all entries that stay shorter than they were recorded."""


@dataclass(frozen=True, slots=True)
class Harvest:
    """What stays in the region of what falls off the tail."""

    made: Condensed
    chain: SummaryChain
    """With the new lines; nobody else's."""
    task: str
    """What the user asked last; empty if that is not on file."""
    sweeps: bool
    """Whether the region is about to be swept."""


def part(window: Window, budget: Budget, shorten: Shorten | None) -> Going:
    """Decide what stays of the tail. The newest group may take half of the slack, so that what has
    just been read is not cut at once."""
    entries = window.entries
    most = (budget.tail_low + budget.tail_high) // 2
    staying = kept(entries, budget.tail_low, shorten, most)
    places = {entry.seq: place for place, entry in enumerate(staying)}
    left = tuple(entry for entry in entries if entry.seq not in places)
    cut = tuple(
        entry
        for entry in entries
        if entry.seq in places and staying[places[entry.seq]] is not entry
    )
    shortened = frozenset(entry.seq for entry in cut) | (window.shortened & places.keys())
    staying = tuple(
        replace(entry, shows=()) if entry.seq in shortened else entry for entry in staying
    )
    return Going(staying, left, cut, shortened)


def harvest(
    db: Database, window: Window, going: Going, coming: Next, at: int, stamp: str = ""
) -> Harvest:
    """Condense what falls off. Only reads the file. ``stamp``: of the embedder, if there is one."""
    number = window.epoch.number + 1 if window.epoch else 1
    memories = _fallen(window, going)
    asked = next(
        (e.node for e in reversed(window.entries) if e.role == "user" and e.node is not None), ""
    )
    spoken = (*going.left, *going.cut)
    names = [*(entry.node for entry in spoken if entry.node), *memories, asked]
    with db.snapshot():
        found = {node.id: node for node in nodes.by_ids(db, names)}
        task = found[asked].text[:EMBED_CHARS] if asked in found else ""
        held = frozenset(name for name in memories if window.held(name))
        left = Left(going.left, going.cut, found, memories, held, task, number)
        made = condensed(replace(left, condense=coming.budget.condense))
        made = _with_room_for_pins(made, window, coming.budget.region_high // 2)
        added = sum(item.tokens for item in made.items)
        sweeps = coming.cold or window.region_tokens + added > coming.budget.region_high
        chain = window.chain.copy()
        chain.touch(window.needed, at)
        for line in made.lines:
            chain.append(line)
        if sweeps and stamp:
            on_file = lines.standing(db, window.session, stamp)
            chain.judge(line for line in on_file if line.embedding)
    return Harvest(made, chain, task, sweeps)


def _with_room_for_pins(made: Condensed, window: Window, most: int) -> Condensed:
    """Without pinned memories for which there is no room: pins take at most ``most`` tokens of the
    region, so that they do not drive out everything else, and each other, at every epoch."""
    pinned = set(window.pinned)
    left = most - sum(item.tokens for item in window.items if item.node in pinned)
    items = []
    for item in made.items:
        if item.kind == "memory" and item.node in pinned and not window.found(item.node):
            if item.tokens > left:
                continue
            left -= item.tokens
        items.append(item)
    return replace(made, items=tuple(items))


def begin(
    db: Database,
    window: Window,
    going: Going,
    coming: Next,
    reaped: Harvest,
    at: int,
    judged: Judged,
    stamp: str = "",
) -> Scene:
    """Write the next epoch, in one transaction; the window itself is left as it is.

    ``at``: milliseconds, UTC. ``stamp``: of the embedder that ``judged`` was made with.
    """
    chain, name = reaped.chain, window.session
    number = window.epoch.number + 1 if window.epoch else 1
    chain.judge(judged.lines)
    with db.transaction():
        _put_lines(db, window, chain, at, stamp)
        archive = lines.archive(db, chain.lines)
        items, queue, out = _region(window, coming, reaped, number, at, judged.task, archive)
        staying = {item.node for item in items if item.kind == "line"}
        others = [line.seq for line in chain.lines if line_name(line) not in staying]
        out += [line.seq for line in chain.leave(others, archive)]
        lines.leave(db, name, out)
        first = going.staying[0].seq if going.staying else window.next_seq
        epoch = Epoch(
            *(number, coming.tools, coming.system, items, first, coming.why),
            carried=len(going.staying),
        )
        shown = (node for entry in going.staying for node in entry.shows)
        queue.retain([*(item.node for item in items), *shown])
        conversation.add_epoch(db, name, epoch, going.staying, at, going.shortened)
        conversation.put_queue(db, name, queue.to_plain())
    return Scene(epoch, going.staying, queue, chain, going.shortened)


def _region(
    window: Window,
    coming: Next,
    reaped: Harvest,
    number: int,
    at: int,
    task: Sequence[float] | None,
    archive: Archive,
) -> tuple[tuple[Item, ...], IndexQueue, list[int]]:
    """The items of the next epoch, the heat with all that might be among them, and the positions
    of the lines that left the chain for want of room, in that order."""
    chain = reaped.chain
    chain.policy = coming.policy
    standing, back = standing_items(coming.standing, number), _back(window, reaped, number)
    added = [*reaped.made.items, *back, *standing]
    queue = _queue_with(window, added, chain)
    returned = {item.node for item in back}
    held = [line.seq for line in chain.lines if line_name(line) in returned]
    out: list[int] = []

    def lines_in(tokens: int) -> tuple[Line, ...]:
        chain.budget = tokens
        out.extend(leaving.line.seq for leaving in chain.evict(at, task, archive, held).out)
        return chain.lines

    wanted = Wanted(
        *(queue, window.turns, number, coming.budget, coming.cold),
        standing=frozenset(item.node for item in standing),
        lines=frozenset(map(line_name, chain.lines)),
        chain=lines_in,
    )
    return plan(window.items, added, wanted), queue, out


def clear(db: Database, window: Window, coming: Next, at: int) -> Scene:
    """Write an epoch with nothing in it but what is fixed, in one transaction."""
    number = window.epoch.number + 1 if window.epoch else 1
    epoch = Epoch(number, coming.tools, coming.system, (), window.next_seq, coming.why)
    chain = window.chain.copy()
    with db.transaction():
        gone = chain.leave([line.seq for line in chain.lines], lines.archive(db, chain.lines))
        lines.leave(db, window.session, [line.seq for line in gone])
        conversation.add_epoch(db, window.session, epoch, (), at)
        conversation.put_queue(db, window.session, {})
    return Scene(epoch, queue=IndexQueue(), chain=chain)


def _fallen(window: Window, going: Going) -> list[str]:
    """Nodes that were shown in what fell off or was cut, or pinned, and stand nowhere."""
    ring = TailRing(going.staying)
    shown = [node for entry in (*going.left, *going.cut) for node in entry.shows]
    return [
        node
        for node in dict.fromkeys([*shown, *window.pinned])
        if not (ring.holds(node) or window.region_holds(node) or node in window.evicted)
    ]


def _back(window: Window, reaped: Harvest, segment: int) -> list[Item]:
    """Lines of the chain that came back and stand nowhere yet."""
    there = {item.node for item in (*window.items, *reaped.made.items) if item.kind == "line"}
    lines = reaped.chain.lines
    return [line_item(line, segment) for line in lines if line_name(line) not in there]


def _queue_with(window: Window, added: Iterable[Item], chain: SummaryChain) -> IndexQueue:
    """The heat with the nodes of what is added; a line is as old as its message."""
    turns = {line.node: line.turn for line in chain.lines if line.node}
    queue = window.queue.copy()
    for item in added:
        if is_node(item.node):
            queue.enter(item.node, turns.get(item.node, window.turns))
    return queue


def _put_lines(db: Database, window: Window, chain: SummaryChain, at: int, stamp: str) -> None:
    """Keep what is new of a chain. A line that was only needed keeps the embedding that it may have
    on file."""
    known = {line.seq: line for line in window.chain.lines}
    changed = [line for line in chain.lines if known.get(line.seq) is not line]
    new = [line for line in changed if line.seq not in known or line.embedding is not None]
    lines.put(db, window.session, new, stamp)
    needed = [line.seq for line in changed if line.seq in known and line.embedding is None]
    lines.touch(db, window.session, needed, at)


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


def load(db: Database, session: str, stamp: str = "") -> Window:
    """The window of a session as it stands on disk. ``stamp``: of the embedder, if there is one."""
    with db.snapshot():
        running = conversation.current_epoch(db, session)
        epoch, entries, shortened = running if running else (None, (), frozenset[int]())
        queue = IndexQueue.from_plain(conversation.queue(db, session))
        chain = SummaryChain(*lines.load(db, session, stamp))
        return Window(
            session,
            Scene(epoch, entries, queue, chain, shortened),
            next_seq=conversation.last_seq(db, session) + 1,
            turns=conversation.last_turn(db, session),
        )
