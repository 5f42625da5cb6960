"""Plan: the hand that writes down the steps of a task."""

from __future__ import annotations

from collections.abc import Sequence

from executors.hand_words import STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome

_STATES = ("open", "doing", "done")
_MARKS = {"open": "[ ]", "doing": "[~]", "done": "[x]"}
_STEP = {
    "type": "object",
    "properties": {"text": STRING, "state": {"enum": list(_STATES)}},
    "required": ["text", "state"],
}


class Plan:
    """Keeps nothing itself: the outcome carries the plan."""

    def __init__(self) -> None:
        self.spec: ExecutorSpec = spec_of("plan", {"steps": {"type": "array", "items": _STEP}})

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """Nothing is touched."""
        return ()

    def preview(self, arguments: Arguments) -> Details:
        """The steps with their marks."""
        return _details(_steps(arguments))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """The plan, to replace the one before. Raises ``HandError`` for a step without words."""
        steps = _steps(arguments)
        if any(not text for text, _ in steps):
            raise HandError("A step has no text.")
        details = _details(steps)
        return Outcome(f"plan kept, {details.summary}", details, plan=steps)


def _steps(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    return tuple((" ".join(step["text"].split()), step["state"]) for step in arguments["steps"])


def _details(steps: tuple[tuple[str, str], ...]) -> Details:
    done = sum(state == "done" for _, state in steps)
    body = "\n".join(f"{_MARKS[state]} {text}" for text, state in steps)
    return Details("plan", "plan", f"{done} of {len(steps)} done", body)
