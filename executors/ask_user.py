"""AskUser: the hand that puts a question to the user."""

from __future__ import annotations

from collections.abc import Sequence

from executors.hand_words import STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome


class AskUser:
    """Waits for the answer, however long it takes."""

    def __init__(self) -> None:
        self.spec: ExecutorSpec = spec_of(
            "ask_user", {"question": STRING}, options={"type": "array", "items": STRING}
        )

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """Nothing is touched."""
        return ()

    def preview(self, arguments: Arguments) -> Details:
        """The question and its options."""
        return _details(arguments, "")

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """The answer. Raises ``HandError`` for an empty question, or when nobody is there."""
        question = arguments["question"].strip()
        if not question:
            raise HandError("The question is empty.")
        if job.ask is None:
            raise HandError(
                "Nobody is there to answer. Take the safest course, and say what you assumed."
            )
        answer = await job.ask(question, tuple(arguments.get("options", ())))
        return Outcome(answer.strip() or "(no answer)", _details(arguments, answer))


def _details(arguments: Arguments, answer: str) -> Details:
    options = "\n".join(f"- {option}" for option in arguments.get("options", ()))
    return Details("question", arguments["question"], answer, options)
