"""LikelihoodJudge: how much likelier a text makes a question, by a model on this machine.

What so small a model says when it is asked is worth nothing; how well it foresees the question
after it has read the text is a weak signal. Where that signal means yes or no is found on the
user's own memories; without that, and between the two bars, the answer is unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

from growbox_tui.models.llama_engine import Engine
from growbox_tui.models.llama_model import bundled_path
from memory.recollection import Candidate, Judgement

Answer = Literal["yes", "no", "unknown"]

VERSION = "1"
"""Of the words around text and question."""
CONTEXT = 1_024
"""Tokens that a text and its question may take."""
QUESTION_TOKENS = 128
"""The beginning of a longer question is taken for all of it."""
BEFORE, BETWEEN = "Text: ", "\nA question that this text answers: "


class LikelihoodJudge:
    """Implements ``memory.protocols.Judge`` and ``Scorer``."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        able: bool = False,
        bars: tuple[float, float] | None = None,
    ) -> None:
        """
        Args:
            path: a GGUF file; ``None`` is the bundled model. Loaded at the first question.
            able: what calibration said.
            bars: below the first a score means no, above the second yes.
        """
        self.able, self.bars = able, bars
        self._path = path
        self._engine: Engine | None = None
        self._alone: dict[str, float] = {}
        """Question → its likelihood without any text."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="growbox-judge")

    @property
    def stamp(self) -> str:
        """The model's name and the version of the words around."""
        name = "bundled" if self._path is None else self._path.name
        return f"local/{name}#likelihood{VERSION}"

    @property
    def window(self) -> int:
        """Tokens of candidates that one call may hold: each is read by itself anyway."""
        return CONTEXT - 2 * QUESTION_TOKENS

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        """By the bars. Raises ``ModelError``."""
        scores, tokens = await self._run(question, [each.text for each in candidates])
        answers: dict[str, Answer] = {
            each.id: self._answer(score) for each, score in zip(candidates, scores, strict=True)
        }
        return Judgement(answers, tokens)

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """How many nats a token of the question gains by each text. Raises ``ModelError``."""
        return (await self._run(question, texts))[0]

    async def close(self) -> None:
        """Free the weights; what is being read is finished first."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._free)

    # ---- within ------------------------------------------------------------------------------

    def _answer(self, score: float) -> Answer:
        if self.bars is None:
            return "unknown"
        low, high = self.bars
        return "no" if score < low else "yes" if score > high else "unknown"

    async def _run(self, question: str, texts: Sequence[str]) -> tuple[list[float], int]:
        found, tokens = [], 0
        for text in texts:
            # One at a time, so that whoever is cancelled does not leave a queue behind.
            score, read = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._weigh, question, text
            )
            found.append(score)
            tokens += read
        return found, tokens

    def _weigh(self, question: str, text: str) -> tuple[float, int]:
        if self._engine is None:
            self._engine = Engine(self._path or bundled_path(), CONTEXT, first=CONTEXT)
        engine = self._engine
        asked = engine.vocabulary.tokenize(question, special=False)[:QUESTION_TOKENS]
        if not asked:
            return 0.0, 0
        if question not in self._alone:
            self._alone = {question: self._likelihood(engine, "", asked)}
        gained = self._likelihood(engine, text, asked) - self._alone[question]
        return gained / len(asked), len(engine.tokens)

    def _likelihood(self, engine: Engine, text: str, asked: Sequence[int]) -> float:
        words = engine.vocabulary.tokenize
        before, between = words(BEFORE, special=False), words(BETWEEN, special=False)
        room = CONTEXT - len(before) - len(between) - len(asked) - 1
        prefix = [*before, *words(text, special=False)[:room], *between]
        first = engine.vocabulary.first_token
        engine.evaluate(prefix if first is None else [first, *prefix], lambda: False)
        return engine.weigh(asked)

    def _free(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None
