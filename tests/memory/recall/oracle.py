"""Judges and an embedder for tests: one that knows all, some that are out of order, one that lies.

A text bears on a question about ``alpha`` if it holds the mark ``<ahpla>``, which has no word in
common with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from memory import Memory
from memory.protocols import Embedder, Judge
from memory.recollection import Candidate, Judgement
from memory.store.database import open_database
from memory.types import NewNode, Node

Mood = Literal["well", "raises", "silent", "garbage", "forgetful", "stuck", "unable"]
"""How a judge is: ``forgetful`` answers some, ``stuck`` never comes back."""

_TOPIC = re.compile(r"\b(alpha|beta|gamma|delta)\b")


def topic_of(question: str) -> str:
    """What a question is about; "" for none of ours."""
    found = _TOPIC.search(question.lower())
    return found[1] if found else ""


def mark(topic: str) -> str:
    """What a text holds that bears on questions about a topic."""
    return f"<{topic[::-1]}>"


def bears(question: str, text: str) -> bool:
    """The truth."""
    topic = topic_of(question)
    return bool(topic) and mark(topic) in text


class Oracle:
    """Answers truly, or not at all."""

    def __init__(self, mood: Mood = "well", window: int = 300, stamp: str = "oracle/1") -> None:
        self.mood: Mood = mood
        self.window = window
        self.stamp = stamp
        self.seen: list[str] = []
        """Texts that it was shown, in order."""
        self.calls = 0
        self.largest = 0
        """Candidates of its largest call."""
        self.reached = asyncio.Event()
        """Set once it is stuck."""

    @property
    def able(self) -> bool:
        return self.mood != "unable"

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        self.calls += 1
        self.largest = max(self.largest, len(candidates))
        self.seen += [each.text for each in candidates]
        if self.mood == "raises":
            raise RuntimeError("out of order")
        if self.mood == "silent":
            raise TimeoutError
        if self.mood == "stuck" and self.calls > 1:
            self.reached.set()
            await asyncio.Event().wait()
        if self.mood == "garbage":
            return cast(
                "Judgement",
                [None, Judgement({"x": "yes"}), Judgement(cast("Any", ["no"])), "yes"][
                    self.calls % 4
                ],
            )
        answers: dict[str, Literal["yes", "no", "unknown"]] = {
            each.id: "yes" if bears(question, each.text) else "no" for each in candidates
        }
        if self.mood == "forgetful":
            for number, each in enumerate(candidates):
                if (number + self.calls) % 3 == 0:
                    del answers[each.id]
                elif (number + self.calls) % 5 == 0:
                    answers[each.id] = "unknown"
        return Judgement(answers, tokens=7 * len(candidates))


class LyingEmbedder:
    """Vectors that say nothing of what a text says: few directions, given by its checksum."""

    dimensions = 8

    def __init__(self, directions: int = 4, stamp: str = "lying/1") -> None:
        self._directions = directions
        self.stamp = stamp
        self.asked = 0
        """Calls."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += 1
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            told = hashlib.sha256(text.encode()).digest()
            rows[row, told[0] % self._directions] = 1.0
        return rows


@asynccontextmanager
async def reading(
    folder: Path, judge: Judge | None, embedder: Embedder | None = None
) -> AsyncIterator[Memory]:
    """A memory with a judge, closed at the end."""
    memory = await Memory.open(folder / "m.db", embedder=embedder, judge=judge)
    try:
        yield memory
    finally:
        await memory.close()


async def remembered(memory: Memory, texts: Sequence[str]) -> list[Node]:
    """These texts as nodes of one session, in order."""
    return list(
        await asyncio.gather(*(memory.remember(NewNode("user", t, session="s")) for t in texts))
    )


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """What stands on file now."""
    db = open_database(folder / "m.db", reading=True)
    try:
        return db.rows(query)
    finally:
        db.close()
