"""The arms of the protocol: the product, and reference memories over two rankings, side by side."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tests.bench.learning.corpus import Corpus
from tests.bench.learning.memories import Asked, Reference
from tests.bench.learning.reader import Answer, Outcome, read
from tests.bench.learning.stream import Pass, Split, after, wording

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Search = Callable[[str, bool], Awaitable[tuple[int, ...]]]
"""The places that a search without memory brings for a text, best first; whether after the move."""


class Arm(Protocol):
    """A memory in the stream."""

    @property
    def blind(self) -> bool:
        """Whether what it proposes is believed."""

    async def ask(self, asked: Asked, drifted: bool) -> Answer:
        """What it brings."""

    async def learn(self, asked: Asked, answer: Answer, outcome: Outcome) -> None:
        """What came of it."""


@dataclass(slots=True)
class Over:
    """A reference memory over a search."""

    memory: Reference
    search: Search

    @property
    def blind(self) -> bool:
        """As of the memory."""
        return self.memory.blind

    async def ask(self, asked: Asked, drifted: bool) -> Answer:
        """Its proposals, and what the search brings."""
        return Answer(self.memory.propose(asked), await self.search(asked.text, drifted))

    async def learn(self, asked: Asked, answer: Answer, outcome: Outcome) -> None:
        """What was found."""
        self.memory.learn(asked, outcome.found)


@dataclass(slots=True)
class Bench:
    """What all arms of one split share."""

    corpus: Corpus
    split: Split
    vector: Callable[[str], NDArray[np.float32]]
    base: Search
    """The memory-less arm that all are paired with."""
    tokens: list[int] = field(default_factory=list)
    moved_tokens: list[int] = field(default_factory=list)

    async def paired(
        self, arm: Arm, one: Pass, *, lies: float = 0.0, chance: random.Random | None = None
    ) -> list[tuple[Outcome, Outcome]]:
        """One pass: the outcome of each question, and of the same without a memory."""
        rows = []
        tokens = self.moved_tokens if one.drifted else self.tokens
        for number in one.questions:
            question = self.corpus.questions[number]
            text = wording(question.text, one.wording)
            needed = question.evidence
            if one.drifted:
                needed = after(needed, self.split.trades)
            asked = Asked(text, self.vector(text), needed)
            answer = await arm.ask(asked, one.drifted)
            outcome = read(answer, needed, tokens, blind=arm.blind, lies=lies, chance=chance)
            if one.learns:
                await arm.learn(asked, answer, outcome)
            plain = Answer((), await self.base(text, one.drifted))
            rows.append((outcome, read(plain, needed, tokens)))
        return rows
