"""Recollections on file: what was asked lately and what came of it, for ``/why`` and feedback."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memory.config import RECOLLECTIONS_KEPT
from memory.recollection import Hit, Price, Query, Recollection, Step, Stretch
from memory.store import nodes
from memory.store.database import Database
from memory.store.texts import clean, from_json, to_json


@dataclass(frozen=True, slots=True)
class Filed:
    """A recollection as it was kept, with what feedback needs to know of it."""

    query: Query
    at: int
    """Milliseconds, UTC."""
    family: int
    """Of the question; 0 if it was given none."""
    entry: int
    """The place where the question came in: the best that words and vectors found, or where the
    session was; 0: nowhere."""
    leads: tuple[tuple[int, int], ...]
    """(pointer, question of the key) of each pointer that was followed."""
    recollection: Recollection
    confirmed: frozenset[str] = frozenset()
    """Nodes that were what was needed, by what was said of it so far."""
    wrong: frozenset[str] = frozenset()
    """Nodes that were not."""
    counted: bool = False
    """Whether it was said what was needed: then each pointer that was followed counts as tried."""


def put(
    db: Database,
    recollection: Recollection,
    query: Query,
    *,
    at: int,
    family: int = 0,
    entry: int = 0,
    leads: Sequence[tuple[int, int]] = (),
) -> int:
    """Keep a recollection, and forget the oldest of too many, in one transaction; its number."""
    plain = asdict(recollection)
    plain["hits"] = [_hit(hit) for hit in recollection.hits]
    plain["asked"] = asdict(query) | {"without": sorted(query.without)}
    plain |= {"family": family, "entry": entry, "leads": list(leads)}
    plain |= {"confirmed": [], "wrong": [], "counted": False}
    with db.transaction():
        db.execute(
            "INSERT INTO recollections (session, turn, question, at, body) VALUES (?, ?, ?, ?, ?)",
            (clean(query.session), query.turn, clean(query.text), at, to_json(plain)),
        )
        number = db.connection.last_insert_rowid()
        db.execute("DELETE FROM recollections WHERE id <= ?", (number - RECOLLECTIONS_KEPT,))
    return number


def by_id(db: Database, number: int) -> Filed | None:
    """The recollection of this number, unless it was forgotten."""
    return _filed(db, db.row("SELECT id, at, body FROM recollections WHERE id = ?", (number,)))


def newest(db: Database, session: str) -> Filed | None:
    """The last recollection of a session."""
    query = "SELECT id, at, body FROM recollections WHERE session = ? ORDER BY id DESC LIMIT 1"
    return _filed(db, db.row(query, (clean(session),)))


def judge(
    db: Database, filed: Filed, confirmed: Iterable[str] = (), wrong: Iterable[str] = ()
) -> None:
    """Keep what was said of a recollection, beside what was said before."""
    told = {
        "$.confirmed": sorted((filed.confirmed - set(wrong)) | set(confirmed)),
        "$.wrong": sorted((filed.wrong - set(confirmed)) | set(wrong)),
        "$.counted": True,
    }
    pairs = [part for path, value in told.items() for part in (path, to_json(value))]
    db.execute(
        "UPDATE recollections SET body = json_set(body, ?, json(?), ?, json(?), ?, json(?))"
        " WHERE id = ?",
        (*pairs, filed.recollection.id),
    )


def _hit(hit: Hit) -> dict[str, Any]:
    """A hit without the text of its node, which stays on the timeline."""
    return {
        "node": hit.node.id,
        "score": hit.score,
        "ways": hit.ways,
        "rung": hit.rung,
        "piece": hit.piece,
        "placeholder": hit.placeholder,
        "key": hit.key,
        "confirmed": hit.confirmed,
    }


def _filed(db: Database, row: tuple[Any, ...] | None) -> Filed | None:
    if row is None:
        return None
    number, at, body = row
    plain = from_json(body)
    asked, family, entry = plain.pop("asked"), plain.pop("family"), plain.pop("entry")
    leads = tuple((pointer, question) for pointer, question in plain.pop("leads"))
    said = {name: frozenset(plain.pop(name)) for name in ("confirmed", "wrong")}
    counted = plain.pop("counted")
    named = {node.id: node for node in nodes.by_ids(db, [hit["node"] for hit in plain["hits"]])}
    hits = tuple(
        Hit(
            **{
                **hit,
                "node": named[hit["node"]],
                "ways": tuple(hit["ways"]),
                "piece": tuple(hit["piece"]) if hit["piece"] else None,
            }
        )
        for hit in plain["hits"]
        if hit["node"] in named
    )
    steps = tuple(Step(**step) for step in plain["steps"])
    unread = tuple(Stretch(**stretch) for stretch in plain["unread"])
    price = Price(**plain["price"]) if plain["price"] else None
    told = {"hits": hits, "steps": steps, "unread": unread, "price": price, "id": number}
    recollection = Recollection(**{**plain, **told, "ways": tuple(plain["ways"])})
    query = Query(**{**asked, "without": frozenset(asked["without"])})
    return Filed(query, at, family, entry, leads, recollection, **said, counted=counted)
