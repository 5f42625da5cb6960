"""Rules on file: what the user stated for one conversation, and the verbs that change it.

What a new rule does to the others is decided by the room above (``context.constraints``) and
handed in; here it is made true, in one transaction with the reading that it was decided on.
"""

from __future__ import annotations

from collections.abc import Callable

from memory.store.database import Database
from memory.store.texts import clean
from memory.types import Rule, RuleAdded

Decide = Callable[[tuple[Rule, ...], int], RuleAdded]
"""From the rules as they stand and the id that a new one would get to what becomes of them."""


def rules(db: Database, session: str) -> tuple[Rule, ...]:
    """The rules of a conversation, in the order in which they were stated."""
    rows = db.rows(
        "SELECT id, text, source, at FROM rules WHERE session = ? AND live = 1 ORDER BY id",
        (session,),
    )
    return tuple(Rule(*row) for row in rows)


def add_rule(db: Database, session: str, decide: Decide) -> RuleAdded:
    """State a rule. ``LookupError`` for an unknown conversation."""
    with db.transaction():
        if db.row("SELECT 1 FROM sessions WHERE id = ?", (session,)) is None:
            raise LookupError(f"there is no conversation {session}")
        last = db.value("SELECT coalesce(max(id), 0) FROM rules WHERE session = ?", (session,))
        added = decide(rules(db, session), last + 1)
        return _written(db, session, added)


def edit_rule(
    db: Database, session: str, decide: Callable[[tuple[Rule, ...]], RuleAdded]
) -> RuleAdded:
    """Reword the rule that ``decide`` names in its answer. What it raises is passed on."""
    return add_rule(db, session, lambda known, _: decide(known))


def drop_rule(db: Database, session: str, number: int) -> tuple[Rule, ...]:
    """The user takes a rule back; the rules that stand now. ``LookupError`` if there is none."""
    with db.transaction():
        if all(rule.id != number for rule in rules(db, session)):
            raise LookupError(f"there is no rule {number}")
        db.execute(
            "UPDATE rules SET live = 0, text = '' WHERE session = ? AND id = ?", (session, number)
        )
        return rules(db, session)


def _written(db: Database, session: str, added: RuleAdded) -> RuleAdded:
    if added.rule is not None:
        rule = added.rule
        db.execute(
            "INSERT INTO rules (session, id, text, source, at) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (session, id) DO UPDATE SET text = excluded.text",
            (session, rule.id, clean(rule.text), rule.source, rule.at),
        )
    return added
