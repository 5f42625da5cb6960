"""The timeline: every word of user, model and hands, appended and never changed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from memory.config import TEXT_LIMIT
from memory.store import cuts, cutting, fulltext
from memory.store.database import Database
from memory.store.texts import bounded, clean, from_json, new_id, to_json
from memory.types import NewNode, Node

_COLUMNS = "seq, id, role, kind, text, at, project, session, turn, meta, sha256"


def add(db: Database, new: NewNode, at: int) -> Node:
    """Append a node and index its words, a long one's in pieces, in one transaction. ``at``:
    milliseconds, UTC.

    The text is made valid Unicode and bounded first; the node that comes back holds what was
    stored. Raises ``MemoryFileError``.
    """
    text = bounded(clean(new.text), TEXT_LIMIT)
    project, session, kind = clean(new.project), clean(new.session), clean(new.kind)
    meta, spans = to_json(new.meta), cutting.pieces(text, new.role)
    with db.transaction():
        name = _free_id(db)
        db.execute(
            "INSERT INTO nodes (id, role, kind, text, at, project, session, turn, meta, sha256)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (name, new.role, kind, text, at, project, session, new.turn, meta, _checksum(text)),
        )
        seq = db.connection.last_insert_rowid()
        if spans:
            cuts.put(db, seq, text, spans)
        else:
            fulltext.index(db, seq, text)
    return Node(seq, name, new.role, kind, text, at, project, session, new.turn, from_json(meta))


def by_seq(db: Database, seqs: Sequence[int]) -> list[Node]:
    """The nodes at these positions, in the order asked for; unknown positions are left out."""
    found = _by("seq", db, seqs)
    at = {node.seq: node for node in found}
    return [at[seq] for seq in seqs if seq in at]


def by_id(db: Database, name: str) -> Node | None:
    """The node of this id."""
    found = by_ids(db, (name,))
    return found[0] if found else None


def by_ids(db: Database, names: Sequence[str]) -> list[Node]:
    """The nodes of these ids, in the order asked for; unknown ids are left out."""
    found = {node.id: node for node in _by("id", db, names)}
    return [found[name] for name in names if name in found]


def on_file(db: Database, names: Sequence[str]) -> set[str]:
    """Which of these ids are those of nodes."""
    query = "SELECT id FROM nodes WHERE id IN (SELECT value FROM json_each(?))"
    return {str(row[0]) for row in db.rows(query, (to_json(list(names)),))}


def between(
    db: Database,
    at_from: int,
    at_to: int,
    *,
    roles: Sequence[str] = (),
    limit: int = 100,
) -> list[Node]:
    """Nodes with ``at_from <= at < at_to`` (milliseconds), newest first; no ``roles`` is every
    role."""
    tests = ["at >= ?", "at < ?"]
    return _select(db, tests, [at_from, at_to], roles, "at DESC, seq DESC", limit)


def newest(
    db: Database,
    limit: int,
    *,
    roles: Sequence[str] = (),
    session: str | None = None,
) -> list[Node]:
    """The last nodes, newest first; no ``roles`` is every role, ``session=None`` every session."""
    tests: list[str] = []
    values: list[Any] = []
    if session is not None:
        tests.append("session = ?")
        values.append(session)
    return _select(db, tests, values, roles, "seq DESC", limit)


def latest_session(db: Database, *, project: str | None = None, besides: str = "") -> str | None:
    """The session of the newest node that belongs to one other than ``besides``;
    ``project=None`` is every project."""
    tests, values = ["session != ''", "session != ?"], [besides]
    if project is not None:
        tests.append("project = ?")
        values.append(project)
    row = db.row(
        f"SELECT session FROM nodes WHERE {' AND '.join(tests)} ORDER BY seq DESC LIMIT 1", values
    )
    return None if row is None else str(row[0])


def times(db: Database, seqs: Sequence[int]) -> dict[int, int]:
    """Position → when its node was made, in milliseconds; unknown positions are left out."""
    query = "SELECT seq, at FROM nodes WHERE seq IN (SELECT value FROM json_each(?))"
    return dict(db.rows(query, (to_json(list(seqs)),)))


def count(db: Database) -> int:
    """How many nodes there are."""
    return int(db.value("SELECT count(*) FROM nodes"))


def last_seq(db: Database) -> int:
    """The position of the newest node; 0 if there is none."""
    return int(db.value("SELECT coalesce(max(seq), 0) FROM nodes"))


def any_between(db: Database, lo: int, hi: int) -> bool:
    """Whether a node stands between two positions, both included, that was not superseded or
    deleted."""
    row = db.row(
        "SELECT 1 FROM nodes WHERE seq BETWEEN ? AND ?"
        " AND NOT EXISTS (SELECT 1 FROM redirects WHERE stale = seq) LIMIT 1",
        (lo, hi),
    )
    return row is not None


def mean_bytes(db: Database, draws: int = 64) -> float:
    """Bytes of a node's text on average, by as many nodes drawn evenly from the timeline."""
    last = last_seq(db)
    seqs = sorted({1 + (last - 1) * number // max(1, draws - 1) for number in range(draws)})
    row = db.row(
        "SELECT avg(octet_length(text)) FROM nodes WHERE seq IN (SELECT value FROM json_each(?))",
        (to_json(seqs),),
    )
    return float(row[0] or 0.0) if row else 0.0


def _select(
    db: Database,
    tests: list[str],
    values: list[Any],
    roles: Sequence[str],
    order: str,
    limit: int,
) -> list[Node]:
    if roles:
        tests = [*tests, f"role IN ({', '.join('?' * len(roles))})"]
        values = [*values, *roles]
    where = f"WHERE {' AND '.join(tests)} " if tests else ""
    sql = f"SELECT {_COLUMNS} FROM nodes {where}ORDER BY {order} LIMIT ?"
    return [_node(row) for row in db.rows(sql, [*values, limit])]


_CHUNK = 500
"""Bindings a statement: far below SQLite's limit, and few distinct statements to prepare."""


def _by(column: str, db: Database, keys: Sequence[Any]) -> list[Node]:
    found: list[Node] = []
    for start in range(0, len(keys), _CHUNK):
        part = keys[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        rows = db.rows(f"SELECT {_COLUMNS} FROM nodes WHERE {column} IN ({marks})", part)
        found += [_node(row) for row in rows]
    return found


def _free_id(db: Database) -> str:
    while True:
        name = new_id()
        if db.row("SELECT 1 FROM nodes WHERE id = ?", (name,)) is None:
            return name


def _checksum(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _node(row: tuple[Any, ...]) -> Node:
    """A stored row as a node. SQLite does not notice a flipped byte inside a text, so the
    checksum does, and ``meta["damaged"]`` tells: one bad row must not hide all others."""
    seq, name, role, kind, text, at, project, session, turn, meta, checksum = row
    facts = from_json(meta)
    if _checksum(text) != checksum:
        facts = {**facts, "damaged": True}
    return Node(seq, name, role, kind, text, at, project, session, turn, facts)
