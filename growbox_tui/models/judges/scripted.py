"""ScriptedJudge: says what a file tells it to; for tests, the demo and bug reports.

The file is JSON: ``{"able": true, "yes": {"words of the question": ["words of a text", …]}}``. A
text is relevant if it holds any of the words that stand with words which the question holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from growbox_tui.models.protocol import UnknownModel
from memory.recollection import Candidate, Judgement
from memory.tokens import estimate


class ScriptedJudge:
    """Implements ``memory.protocols.Judge``."""

    def __init__(
        self, yes: Mapping[str, Sequence[str]], *, able: bool = True, name: str = "judge"
    ) -> None:
        """``yes``: words of a question → words of the texts that bear on it."""
        self.able = able
        """Whether it may change anything; a script is taken at its word."""
        self.stamp = f"script/{name}"
        self.window = 4_000
        """Tokens of candidates that one call may hold."""
        self._yes = {
            asked.casefold(): [word.casefold() for word in words] for asked, words in yes.items()
        }

    @classmethod
    def load(cls, path: Path) -> ScriptedJudge:
        """Read a file. Raises ``UnknownModel`` if it cannot be read or is not as above."""
        try:
            body = json.loads(path.read_text("utf-8"))
            yes = {str(key): [str(word) for word in words] for key, words in body["yes"].items()}
            return cls(yes, able=bool(body.get("able", True)), name=path.stem)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnknownModel(
                f"The script {path} of a judge cannot be read: {error}",
                'It is JSON such as {"yes": {"port": ["5432"]}}.',
            ) from error

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judgement:
        """As the script says; never unknown."""
        folded = question.casefold()
        wanted = [word for asked, words in self._yes.items() if asked in folded for word in words]
        told = {
            each.id: any(word in each.text.casefold() for word in wanted) for each in candidates
        }
        tokens = estimate(question) + sum(estimate(each.text) for each in candidates)
        return Judgement({name: "yes" if said else "no" for name, said in told.items()}, tokens)

    async def close(self) -> None:
        """A script holds nothing that would have to be let go of."""
