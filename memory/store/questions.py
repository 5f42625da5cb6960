"""Questions on file: those that came to something, each once, and their vectors.

A question is kept by its text, so its vector can be made again for another embedder. Vectors of two
stamps lie apart and are never read together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from memory.config import MOST_QUESTIONS, QUESTION_CHARS
from memory.store import settings
from memory.store.database import Database
from memory.store.texts import clean, to_json
from memory.store.vectors import has_direction

LEARNED = "learned:changes"
"""Key of the count of changes to what was learned."""

_WORD = re.compile(r"[\w+#]+")
_COLUMNS = "questions.id, text, words, family, at, questions.used"


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was asked."""

    id: int
    text: str
    words: str
    """By which it is the same as another: without case, spacing and punctuation."""
    family: int
    """The id of the first question that asked the same, maybe in other words; else its own."""
    at: int
    """First asked; milliseconds, UTC."""
    used: int
    """Last asked."""


def normalised(text: str) -> str:
    """The words of a question, all of them: a "not" makes it another one."""
    folded = unicodedata.normalize("NFKC", text[:QUESTION_CHARS]).casefold()
    return " ".join(_WORD.findall(folded)) or text.strip()[:QUESTION_CHARS]


def put(db: Database, text: str, at: int, *, family: int = 0) -> Question:
    """Keep a question, or renew the one of the same words, in one transaction; as it stands now.

    ``family``: of a new one; 0 makes it the first of a family of its own.
    """
    text = clean(text)[:QUESTION_CHARS]
    with db.transaction():
        known = same_words(db, text)
        if known is not None:
            db.execute("UPDATE questions SET used = max(used, ?) WHERE id = ?", (at, known.id))
            number = known.id
        else:
            db.execute(
                "INSERT INTO questions (text, words, family, at, used) VALUES (?, ?, ?, ?, ?)",
                (text, normalised(text), family, at, at),
            )
            number = db.connection.last_insert_rowid()
            if not family:
                db.execute("UPDATE questions SET family = id WHERE id = ?", (number,))
    (question,) = by_ids(db, (number,))
    return question


def same_words(db: Database, text: str) -> Question | None:
    """The question of the same words, if there is one; of several the first."""
    row = db.row(
        f"SELECT {_COLUMNS} FROM questions WHERE words = ? ORDER BY id", (normalised(clean(text)),)
    )
    return None if row is None else Question(*row)


def by_ids(db: Database, ids: Sequence[int]) -> list[Question]:
    """The questions of these ids, in their order; unknown ones are left out."""
    rows = db.rows(
        f"SELECT {_COLUMNS} FROM questions WHERE id IN (SELECT value FROM json_each(?))",
        (to_json(list(ids)),),
    )
    found = {row[0]: Question(*row) for row in rows}
    return [found[number] for number in ids if number in found]


def since(db: Database, number: int) -> list[Question]:
    """The questions that came after the one of this id, in order."""
    rows = db.rows(f"SELECT {_COLUMNS} FROM questions WHERE id > ? ORDER BY id", (number,))
    return [Question(*row) for row in rows]


def put_vectors(db: Database, stamp: str, rows: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors (little-endian float32) of questions, in one transaction. Those that are gone
    or have one of this stamp already are passed over; one without a direction counts as looked at,
    and its question is known by its words alone."""
    with db.transaction():
        db.many(
            "INSERT OR IGNORE INTO question_vectors SELECT ?1, ?2, ?3"
            " WHERE EXISTS (SELECT 1 FROM questions WHERE id = ?2)",
            [(stamp, number, vector if has_direction(vector) else b"") for number, vector in rows],
        )
        if rows:
            changed(db)


def vectors_of(db: Database, stamp: str, ids: Sequence[int]) -> dict[int, bytes]:
    """The vectors of this stamp of these questions; those without one are left out."""
    rows = db.rows(
        "SELECT question, vector FROM question_vectors WHERE stamp = ?"
        " AND question IN (SELECT value FROM json_each(?))",
        (stamp, to_json(list(ids))),
    )
    return dict(rows)


def pending(db: Database, stamp: str, limit: int) -> list[tuple[int, str]]:
    """Questions without a vector of this stamp: (id, text), last used first."""
    rows = db.rows(
        "SELECT id, text FROM questions WHERE NOT EXISTS (SELECT 1 FROM question_vectors"
        " WHERE stamp = ? AND question = questions.id) ORDER BY used DESC, id DESC LIMIT ?",
        (stamp, limit),
    )
    return [(number, text) for number, text in rows]


def count(db: Database) -> int:
    """How many questions are on file."""
    return int(db.value("SELECT count(*) FROM questions"))


def forget_idle(db: Database, most: int, limit: int) -> int:
    """Forget questions of too many, at most ``limit``, those first that were used longest ago and
    that no key, certificate or debt and no other question of their family needs; how many."""
    over = min(count(db) - most, limit)
    if over <= 0:
        return 0
    rows = db.rows(
        "SELECT id FROM questions WHERE NOT EXISTS (SELECT 1 FROM keys WHERE question = id)"
        " AND NOT EXISTS (SELECT 1 FROM certificates WHERE certificates.family = questions.id)"
        " AND NOT EXISTS (SELECT 1 FROM debts WHERE debts.family = questions.id)"
        " AND NOT EXISTS (SELECT 1 FROM questions AS other"
        " WHERE other.family = questions.id AND other.id != questions.id)"
        " ORDER BY used, id LIMIT ?",
        (over,),
    )
    db.many("DELETE FROM questions WHERE id = ?", rows)
    return len(rows)


def prune(db: Database, most: int = MOST_QUESTIONS) -> int:
    """Forget questions that led nowhere and are owed nothing, those first that were not asked for
    longest, where there are more than ``most``; how many. In a transaction."""
    over = count(db) - most
    if over <= 0:
        return 0
    rows = db.rows(
        "SELECT id FROM questions AS q WHERE NOT EXISTS (SELECT 1 FROM keys WHERE question = q.id)"
        " AND NOT EXISTS (SELECT 1 FROM debts WHERE family = q.id)"
        " AND NOT EXISTS (SELECT 1 FROM certificates WHERE family = q.id)"
        " AND NOT EXISTS (SELECT 1 FROM questions WHERE family = q.id AND id != q.id)"
        " ORDER BY used, id LIMIT ?",
        (over,),
    )
    db.many("DELETE FROM questions WHERE id = ?", rows)
    return len(rows)


def changed(db: Database) -> None:
    """Tell all who hold what was learned in memory, in other processes too, to look again. Belongs
    in the transaction of the change."""
    db.execute(
        "INSERT INTO kv VALUES (?, '1') ON CONFLICT (key)"
        " DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        (LEARNED,),
    )


def changes(db: Database) -> int:
    """How often what was learned has changed: the same number, the same contents."""
    return int(settings.kept(db, LEARNED, 0))
