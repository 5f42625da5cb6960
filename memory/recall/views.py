"""Views: what was learned, as the map shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.recall.overview import AnchorView, Jump, Key, PointerView, Spot
from memory.store import anchors, nodes, pieces, pointers, questions
from memory.store import jumps as jump_rows
from memory.store.database import Database
from memory.store.jumps import JumpRow
from memory.store.pointers import Pointer

LABEL_CHARS = 200
NOWHERE = Spot("", 0, "")


def spots(db: Database, places: Iterable[int]) -> dict[int, Spot]:
    """Place → what is there, by its first words; nowhere for what is gone."""
    places = list(dict.fromkeys(places))
    at = pieces.positions(db, places)
    found = {node.seq: node for node in nodes.by_seq(db, list(dict.fromkeys(at.values())))}
    texts = pieces.text_of(db, places)
    told = dict.fromkeys(places, NOWHERE)
    for place, text in texts.items():
        node = found[at[place]]
        label = " ".join(text[: 2 * LABEL_CHARS].split())[:LABEL_CHARS]
        told[place] = Spot(node.id, node.at, label)
    return told


def pointer_views(db: Database, most: int) -> tuple[PointerView, ...]:
    """The pointers that were used last, the most successful of them first."""
    listed = pointers.latest(db, most)
    seen = spots(db, [place for each in listed for place in (each.source, each.target)])
    asked = questions.by_ids(db, list({key.question for each in listed for key in each.keys}))
    texts = {question.id: question.text for question in asked}
    views = [_pointer(each, seen, texts) for each in listed]
    return tuple(sorted(views, key=lambda view: (-view.successes, -view.used)))


def anchor_views(db: Database) -> tuple[AnchorView, ...]:
    """The anchors, hottest first."""
    listed = anchors.every(db)
    seen = spots(db, [place for each in listed for place in (each.source, each.target)])
    return tuple(
        AnchorView(seen[each.target], seen[each.source], each.level, each.heat, each.rejections)
        for each in listed
    )


def jump_views(db: Database) -> tuple[Jump, ...]:
    """The forced jumps, newest first."""
    listed = jump_rows.every(db)
    seen = spots(db, [place for each in listed for place in (each.source, each.target)])
    return tuple(_jump(each, seen) for each in listed)


def jump_view(db: Database, row: JumpRow) -> Jump:
    """One of them."""
    return _jump(row, spots(db, (row.source, row.target)))


def _jump(row: JumpRow, seen: Mapping[int, Spot]) -> Jump:
    return Jump(row.id, seen[row.target], seen[row.source], row.session, row.words, row.at)


def _pointer(each: Pointer, seen: Mapping[int, Spot], texts: Mapping[int, str]) -> PointerView:
    keys = [
        Key(
            texts[key.question],
            key.sign > 0,
            *(key.weight, key.tries, key.successes, key.used),
        )
        for key in each.keys
    ]
    keys.sort(key=lambda key: (not key.positive, -key.weight, -key.used))
    return PointerView(
        each.id,
        seen[each.source],
        seen[each.target],
        tuple(keys),
        sum(key.tries for key in keys),
        sum(key.successes for key in keys),
        each.made,
        each.used,
    )
