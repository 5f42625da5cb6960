"""Call tool: the hand through which hands are used that arrived after the prompt was fixed.

The list of hands that the model is sent stands at the very front of the prompt, so it never
changes. A late hand is announced in the conversation instead, and called by name through this one;
what it would touch, and how it is shown, is the late hand's own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from executors.hand_words import STRING, spec_of
from executors.protocol import Arguments, Claim, Details, Executor, ExecutorSpec, Job, Outcome

Late = Callable[[str, str], tuple[Executor, dict[str, Any]]]
"""From a late hand's name and the JSON text of its arguments to the hand and the checked
arguments. Raises ``HandError`` for a hand that is not there or arguments that do not fit."""


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    hand: Executor
    arguments: Mapping[str, Any]


class CallTool:
    """Stands in for every late hand."""

    def __init__(self, late: Late) -> None:
        self._late = late
        self.spec: ExecutorSpec = spec_of(
            "call_tool", {"name": STRING}, arguments={"type": "object"}
        )

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """Those of the hand that is called. Raises ``HandError`` where there is no such hand or
        its arguments do not fit."""
        call = self._call(arguments)
        return call.hand.claims(call.arguments)

    def preview(self, arguments: Arguments) -> Details:
        """That of the hand that is called, with its name before the title."""
        call = self._call(arguments)
        return _named(call, call.hand.preview(call.arguments))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """What the hand brings that is called."""
        call = self._call(arguments)
        outcome = await call.hand.run(call.arguments, job)
        return replace(outcome, details=_named(call, outcome.details))

    def _call(self, arguments: Arguments) -> _Call:
        text = json.dumps(arguments.get("arguments", {}), ensure_ascii=False)
        hand, checked = self._late(arguments["name"], text)
        return _Call(hand.spec.name, hand, checked)


def _named(call: _Call, details: Details) -> Details:
    title = f"{call.name}: {details.title}" if details.title else call.name
    return replace(details, title=title)
