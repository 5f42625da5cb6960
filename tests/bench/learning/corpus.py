"""Conversations and the questions on them, all in one store: LoCoMo's format, any folder of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UNANSWERABLE = 5
"""LoCoMo's category of questions that nothing answers."""
CHARS_A_TOKEN = 4
"""By which the protocol counts what is read."""

_TURN = re.compile(r"D:?\s*(\d+)\s*:\s*(\d+)")
"""Evidence has typing errors such as ``D8:6; D9:17`` and ``D:11:26``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said."""

    talk: int
    """Which conversation."""
    unit: str
    """The session within it; what stands beside a turn stands in the same one."""
    text: str

    @property
    def tokens(self) -> int:
        """What reading it costs."""
        return max(1, len(self.text) // CHARS_A_TOKEN)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and which turns (places in the corpus) one has to have read to answer it."""

    talk: int
    text: str
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class Corpus:
    """What memory is filled with and asked."""

    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def load(folder: Path, talks: int | None = None) -> Corpus:
    """The conversations of ``folder``/locomo10.json; entries that are null were kept back.

    ``talks``: only the first so many. Raises ``OSError`` and ``ValueError`` for a file that is not
    there or not of this format.
    """
    turns: list[Turn] = []
    questions: list[Question] = []
    given = json.loads((folder / "locomo10.json").read_text("utf-8"))
    there = [(number, each) for number, each in enumerate(given) if each is not None]
    for number, talk in there[:talks]:
        place = _said(number, talk["conversation"], turns)
        for row in talk["qa"]:
            named = {name for item in row.get("evidence") or () for name in _names(item)}
            right = frozenset(place[name] for name in named if name in place)
            if row["category"] != UNANSWERABLE and right:
                questions.append(Question(number, row["question"], right))
    return Corpus(tuple(turns), tuple(questions))


def _said(number: int, talk: dict[str, Any], turns: list[Turn]) -> dict[tuple[int, int], int]:
    """Adds the turns of one conversation; (session, turn) → place."""
    place: dict[tuple[int, int], int] = {}
    sessions = [key for key in talk if re.fullmatch(r"session_\d+", key) and talk[key]]
    for session in sorted(sessions, key=lambda key: int(key.split("_")[1])):
        for turn in talk[session]:
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" [shares a photo of {turn['blip_caption']}]"
            (name,) = _names(turn["dia_id"])
            place[name] = len(turns)
            turns.append(Turn(number, f"{number}/{session}", text))
    return place


def _names(item: object) -> list[tuple[int, int]]:
    return [(int(session), int(turn)) for session, turn in _TURN.findall(str(item))]
