"""Conversations on file: sessions, their epochs, and each prompt's parts byte for byte.

What is stored is the rendered prompt, not a recipe for it, so a resumed session sends the bytes
that it sent before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import apsw

from memory.config import BODY_LIMIT, TITLE_CHARS
from memory.store.database import Database
from memory.store.errors import Busy, TooLarge
from memory.store.texts import clean, from_json, new_id, to_json
from memory.types import Entry, Epoch, Item, SessionInfo

# ---- sessions --------------------------------------------------------------------------------


def open_session(db: Database, project: str, model: str, at: int) -> str:
    """A new conversation; its id. ``at``: milliseconds, UTC."""
    with db.transaction():
        name = new_id()
        while db.row("SELECT 1 FROM sessions WHERE id = ?", (name,)) is not None:
            name = new_id()
        db.execute(
            "INSERT INTO sessions VALUES (?, ?, '', ?, ?, ?, 0, '{}')",
            (name, clean(project), at, at, clean(model)),
        )
    return name


_SESSION = "SELECT id, project, title, created, updated, model, turns FROM sessions"


def session(db: Database, name: str) -> SessionInfo | None:
    """A conversation on file, or ``None``."""
    row = db.row(f"{_SESSION} WHERE id = ?", (name,))
    return None if row is None else SessionInfo(*row)


def sessions(db: Database, project: str | None, limit: int) -> list[SessionInfo]:
    """Conversations in which something was said, the last used first."""
    test, values = ("AND project = ? ", [clean(project)]) if project is not None else ("", [])
    rows = db.rows(
        f"{_SESSION} WHERE turns > 0 {test}ORDER BY updated DESC, rowid DESC LIMIT ?",
        [*values, limit],
    )
    return [SessionInfo(*row) for row in rows]


def count_sessions(db: Database) -> int:
    """How many conversations there are in which something was said."""
    return int(db.value("SELECT count(*) FROM sessions WHERE turns > 0"))


def set_model(db: Database, name: str, model: str) -> None:
    """The model that the conversation goes on with."""
    db.execute("UPDATE sessions SET model = ? WHERE id = ?", (clean(model), name))


def claim(db: Database, name: str, owner: str, alive: Callable[[str], bool]) -> str:
    """Make ``owner`` the one who goes on with a conversation: ``""``, or the other owner for whom
    ``alive`` is true, and then nothing has changed.

    ``alive`` is asked while other writers wait; what it raises is passed on. ``LookupError`` for
    an unknown conversation, ``ValueError`` for an owner without a name.
    """
    if not owner:
        raise ValueError("an owner needs a name")
    with db.transaction():
        if db.row("SELECT 1 FROM sessions WHERE id = ?", (name,)) is None:
            raise LookupError(f"there is no conversation {name}")
        row = db.row("SELECT owner FROM owners WHERE session = ?", (name,))
        holder = owner if row is None else str(row[0])
        if holder != owner and alive(holder):
            return holder
        db.execute(
            "INSERT INTO owners VALUES (?, ?)"
            " ON CONFLICT (session) DO UPDATE SET owner = excluded.owner",
            (name, owner),
        )
    return ""


def release(db: Database, name: str, owner: str) -> None:
    """Nobody goes on with a conversation any more; nothing if another one owns it."""
    db.execute("DELETE FROM owners WHERE session = ? AND owner = ?", (name, owner))


def title_of(words: str) -> str:
    """The first words of a message, on one line."""
    line = " ".join(words[: TITLE_CHARS * 8].split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1] + "…"


def touch_session(db: Database, name: str, *, turn: int, words: str, at: int) -> None:
    """Something was said: time, number of turns, and the title if there is none yet."""
    db.execute(
        "UPDATE sessions SET updated = max(updated, ?), turns = max(turns, ?),"
        " title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?",
        (at, turn, title_of(words), name),
    )


def put_queue(db: Database, name: str, plain: dict[str, Any]) -> None:
    """The heat of the window's memories."""
    db.execute("UPDATE sessions SET queue = ? WHERE id = ?", (to_json(plain), name))


def queue(db: Database, name: str) -> dict[str, Any]:
    """What ``put_queue`` stored; empty for an unknown session."""
    row = db.row("SELECT queue FROM sessions WHERE id = ?", (name,))
    return {} if row is None else dict(from_json(row[0]))


# ---- epochs ----------------------------------------------------------------------------------


def add_epoch(
    db: Database,
    name: str,
    epoch: Epoch,
    carried: Sequence[Entry],
    at: int,
    shortened: Collection[int] = (),
) -> None:
    """Begin an epoch: its fixed parts, and the entries carried into it. Those at the positions
    ``shortened`` are kept as they stand in it beside what was recorded."""
    kept = to_json(
        [
            [entry.seq, clean(entry.body), entry.tokens] if entry.seq in shortened else entry.seq
            for entry in carried
        ]
    )
    with db.transaction():
        _own(
            db,
            "INSERT INTO epochs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(name, epoch.number, to_json(epoch.tools), to_json(epoch.system)),
                *(epoch.why, epoch.first, kept, at),
            ),
        )
        db.many(
            "INSERT INTO items (session, epoch, position, node, body, tokens, kind, segment)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(name, epoch.number, position, item.node),
                    *(item.body, item.tokens, item.kind, item.segment),
                )
                for position, item in enumerate(epoch.items)
            ],
        )


def current_epoch(
    db: Database, name: str
) -> tuple[Epoch, tuple[Entry, ...], frozenset[int]] | None:
    """The running epoch with its tail, oldest first, and the positions of the entries that stand
    in it shorter than they were recorded, and so without the memories that they showed; ``None``
    before the first epoch."""
    row = db.row(
        "SELECT number, tools, system, why, first, kept FROM epochs"
        " WHERE session = ? ORDER BY number DESC LIMIT 1",
        (name,),
    )
    if row is None:
        return None
    number, tools, system, why, first, kept = row
    items = db.rows(
        "SELECT node, body, tokens, kind, segment FROM items"
        " WHERE session = ? AND epoch = ? ORDER BY position",
        (name, number),
    )
    epoch = Epoch(
        number,
        tuple(from_json(tools)),
        tuple(from_json(system)),
        tuple(Item(*item) for item in items),
        first,
        why,
        len(from_json(kept)),
    )
    tail, shortened = _tail(db, name, epoch, from_json(kept))
    return epoch, tail, shortened


def _tail(
    db: Database, name: str, epoch: Epoch, carried: list[Any]
) -> tuple[tuple[Entry, ...], frozenset[int]]:
    """What was carried into an epoch, as it stands there, and what was said in it."""
    cut = {row[0]: row[1:] for row in carried if isinstance(row, list)}
    whole = [row for row in carried if not isinstance(row, list)]
    tail = _entries(
        db,
        "session = ? AND seq >= ? AND (epoch = ? OR seq IN (SELECT value FROM json_each(?)))",
        (name, epoch.first, epoch.number, to_json([*whole, *cut])),
    )
    for place, entry in enumerate(tail):
        if entry.seq in cut:
            body, tokens = cut[entry.seq]
            tail[place] = replace(entry, body=body, tokens=tokens, shows=())
    return tuple(tail), frozenset(cut)


# ---- entries ---------------------------------------------------------------------------------


def add_entry(db: Database, name: str, epoch: int, entry: Entry) -> None:
    """Append a message. ``Busy`` if another process went on with the same conversation,
    ``TooLarge`` if it is longer than ``BODY_LIMIT``."""
    check_size(entry.body)
    _own(
        db,
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(name, entry.seq, epoch, entry.turn, entry.role),
            *(entry.body, entry.tokens, entry.node, to_json(entry.shows)),
        ),
    )


def check_size(body: str) -> None:
    """Raises ``TooLarge`` if a message cannot be kept whole."""
    if len(body) > BODY_LIMIT:
        raise TooLarge(
            f"A message of {len(body):,} characters cannot be kept whole; "
            f"{BODY_LIMIT:,} is the most.",
            "Put it into a file and name the file instead.",
        )


def transcript(db: Database, name: str) -> list[Entry]:
    """Every message of a conversation, all epochs, oldest first."""
    return _entries(db, "session = ?", (name,))


def last_seq(db: Database, name: str) -> int:
    """Position of the newest message; 0 if there is none."""
    return int(db.value("SELECT coalesce(max(seq), 0) FROM entries WHERE session = ?", (name,)))


def last_turn(db: Database, name: str) -> int:
    """The highest turn number; 0 if there is none."""
    return int(db.value("SELECT coalesce(max(turn), 0) FROM entries WHERE session = ?", (name,)))


def _entries(db: Database, test: str, values: Sequence[Any]) -> list[Entry]:
    rows = db.rows(
        f"SELECT seq, turn, role, body, tokens, node, shows FROM entries WHERE {test} ORDER BY seq",
        values,
    )
    return [
        Entry(seq, turn, role, body, tokens, node, tuple(from_json(shows)))
        for seq, turn, role, body, tokens, node, shows in rows
    ]


def _own(db: Database, sql: str, bindings: Sequence[Any]) -> None:
    """Insert what only one process may number."""
    try:
        db.execute(sql, bindings)
    except apsw.ConstraintError as error:
        raise Busy(
            "Another growbox has gone on with this conversation.",
            "Close one of the two, or start a new conversation here.",
        ) from error
