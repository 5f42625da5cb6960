"""What chance brings: how near unrelated texts lie in a space, and how well they answer.

Learned from the store itself for each stamp: pairs of stored texts, which are unrelated, and
questions that have nothing to do with it. Sampled whenever a space has doubled, and kept on file
with its stamp so that the first question need not wait.
"""

from __future__ import annotations

from typing import Any

from memory.hyperspace.script import is_wide
from memory.hyperspace.spaces import late, spaces
from memory.protocols import Embedder, Late
from memory.store import pieces, settings, token_codes, vectors
from memory.store.database import Database
from memory.store.errors import VectorsUnavailable

SAMPLE = 384
"""Nodes drawn from a space to learn about chance."""
CHANCE = 0.998
"""The share of random pairs that a hit has to beat (measured: see the bench ``recall``)."""
FEWEST = 32
"""Fewer vectors of a script tell nothing about chance; there vectors only help to rank."""
UNREACHABLE = 2.0
"""A bar above any cosine."""
ANSWERS_SAMPLE = 96
"""Texts drawn from a space to learn what answers chance gives."""
UNRELATED = (
    "How do I change the tyre of a bicycle?",
    "What is the capital of Mongolia?",
    "who invented the telescope",
    "python sort a list of dictionaries by key",
    "How many moons does Neptune have?",
    "When was the printing press introduced in Japan?",
    "regex to match an email address",
    "Which vitamins are in spinach?",
    "What did the committee decide about the harbour toll?",
    "why does my sourdough not rise",
    "Who won the chess olympiad in 1984?",
    "convert hex string to integer",
)
"""Questions that hardly any store holds an answer to: what is stored answers them by chance."""

_DRAWN = """
    SELECT seq FROM embedded WHERE space = ? AND stored = 1
    ORDER BY (seq * 2654435761) & 4294967295, seq LIMIT ?
"""
"""Knuth's multiplier scatters the positions: a draw without chance, the same on every machine."""


class NullDistribution:
    """Remembers, for one memory file, what chance brings in each vector space.

    A space is sampled again whenever it has doubled; the draw depends only on what is stored.
    """

    def __init__(self) -> None:
        self._known: dict[str, dict[str, float]] = {}

    def bar(self, db: Database, space: int, stored: int, question: str) -> float:
        """The cosine that hardly any random pair reaches of texts in the question's script."""
        known = self._of(db, space, stored)
        if "narrow" not in known:
            known |= _sampled_bars(db, space)
        return known["wide" if is_wide(question) else "narrow"]

    def answer_bar(self, db: Database, space: int, stored: int, codes: Late) -> float:
        """The answer by late interaction that hardly any stored text gives to a question that has
        nothing to do with it."""
        known = self._of(db, space, stored)
        if "answers" not in known:
            known["answers"] = _sampled_answers(db, space, codes)
        return known["answers"]

    def _of(self, db: Database, space: int, stored: int) -> dict[str, float]:
        key = _key(db, space, stored)
        if key not in self._known:
            kept: Any = settings.kept(db, key, {})
            self._known[key] = dict(kept)
        return self._known[key]


def measured(db: Database, embedder: Embedder) -> dict[str, dict[str, float]]:
    """Key → what chance brings in those spaces of an embedder that hold anything and where it is
    not on file yet. Blocking: some 0.3 s a space."""
    found: dict[str, dict[str, float]] = {}
    for space in spaces(embedder):
        number = vectors.known_space(db, space.stamp) or 0
        stored = vectors.count(db, number) if number else 0
        key = _key(db, number, stored)
        if stored and settings.kept(db, key) is None:
            found[key] = _sampled_bars(db, number)
            if codes := late(space):
                found[key]["answers"] = _sampled_answers(db, number, codes)
    return found


def keep(db: Database, found: dict[str, dict[str, float]]) -> None:
    """Keep on file what was measured."""
    for key, bars in found.items():
        settings.keep(db, key, bars)


def _key(db: Database, space: int, stored: int) -> str:
    """Of a space at its size to the next power of two."""
    row = db.row("SELECT stamp FROM spaces WHERE id = ?", (space,))
    return f"chance/{row[0] if row else ''}/{stored.bit_length()}"


def _sampled_bars(db: Database, space: int) -> dict[str, float]:
    import numpy as np

    from memory.hyperspace.metrics import pair_quantile

    drawn = pieces.text_of(db, sorted(place for (place,) in db.rows(_DRAWN, (space, SAMPLE))))
    stored = vectors.vectors_of(db, space, list(drawn))
    bars = {}
    for name, wide in (("narrow", False), ("wide", True)):
        alike = [
            stored[place]
            for place, text in drawn.items()
            if place in stored and is_wide(text) == wide
        ]
        if len(alike) < FEWEST:
            bars[name] = UNREACHABLE
            continue
        rows = np.frombuffer(b"".join(alike), dtype="<f4").reshape(len(alike), -1)
        bars[name] = pair_quantile(rows / np.linalg.norm(rows, axis=1, keepdims=True), CHANCE)
    return bars


def _sampled_answers(db: Database, space: int, codes: Late) -> float:
    import numpy as np

    drawn = sorted(place for (place,) in db.rows(_DRAWN, (space, ANSWERS_SAMPLE)))
    stored = list(token_codes.of(db, space, drawn).values())
    if not stored:
        return UNREACHABLE
    try:
        answers = [codes.answers(question, stored) for question in UNRELATED]
    except Exception as error:
        # A model is others' code and may raise anything; all that needs none must go on.
        raise VectorsUnavailable(
            "Late interaction fails, so nothing is found by meaning:"
            f" {type(error).__name__}: {error}."
        ) from error
    return float(np.quantile(np.concatenate(answers), CHANCE))
