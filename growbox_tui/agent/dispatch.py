"""Dispatch: the only way from a tool call to a hand.

Find, validate, ask for claims, judge, perhaps ask the user, run. Nothing else calls ``run``.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from executors.protocol import (
    WOULD_FAIL,
    Claim,
    Details,
    Executor,
    HandError,
    Job,
    Outcome,
    Reference,
)
from growbox_tui.agent.asking import Asking
from growbox_tui.agent.events import (
    DetailView,
    ToolProgress,
    ToolStarted,
)
from growbox_tui.agent.gate import Judgement, Policy, Verdict, judge
from growbox_tui.agent.messages import ToolCall

BODY_CHARS = 64_000
"""Characters of a result that the screen and the JSON output are given."""
PRINTED_CHARS = 8_000
"""Characters of a cut-off call's output that are kept."""
AGAIN = "The same call failed before. Read the file or output again and change something."
"""Put before the result of a call that failed, was made again unchanged, and failed again."""


class Hands(Protocol):
    """The registry of hands, as dispatch uses it."""

    def find(self, name: str) -> Executor:
        """The hand of that name. Raises ``HandError`` naming near ones."""

    def validate(self, name: str, arguments: str) -> dict[str, Any]:
        """The arguments, checked against the hand's schema. Raises ``HandError``."""

    def arrive(self, hand: Executor) -> None:
        """Take in a hand after the list of tools was fixed. Raises ``ValueError``."""

    def leave(self, name: str) -> None:
        """Let go of one that had arrived. Raises ``KeyError``."""

    def late(self) -> tuple[str, ...]:
        """Canonical JSON of each that arrived, by name."""


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was dealt with, before it is trimmed and recorded."""

    call: ToolCall
    content: str
    is_error: bool
    detail: DetailView
    seconds: float
    plan: tuple[tuple[str, str], ...] | None = None
    stopped: bool = False
    """Whether the user stopped it; ``content`` is what it had put out."""
    reference: Reference | None = None
    """The file that it tells of, as it was then."""


class Dispatch:
    """Takes calls one at a time and answers each."""

    def __init__(
        self,
        hands: Hands,
        policy: Policy,
        asking: Asking,
        remember_command: Callable[[str], None] = lambda command: None,
    ) -> None:
        """``remember_command`` is told of a command that was allowed for always."""
        self.hands = hands
        self.policy = policy
        self.asking = asking
        self._remember_command = remember_command
        self._commands = itertools.count(1)
        self._printing = self._printed = self._title = ""
        self._begun = 0.0
        self._failed: set[tuple[str, str]] = set()
        """Calls that failed when they were last made."""

    async def run(self, call: ToolCall, broken: str = "") -> Done:
        """Deal with one call. Never raises but for ``CancelledError``.

        Args:
            call: as the model made it.
            broken: why it must not be run (a cut or malformed call); empty for a sound one.
        """
        self._title, self._begun = "", time.monotonic()
        try:
            outcome = await self._run(call, broken)
        except HandError as error:
            outcome = _refusal(self._title, str(error))
        except Exception as error:  # noqa: BLE001  a fault in one hand must not end the turn
            words = f"{call.name} broke: {type(error).__name__}: {error}"
            outcome = _refusal(self._title, words)
        if not broken:
            outcome = self._reminded(call, outcome)
        return _done(call, outcome, time.monotonic() - self._begun)

    def _reminded(self, call: ToolCall, outcome: Outcome) -> Outcome:
        """A call that failed before and is made again unchanged gets a word about that."""
        same = (call.name, call.arguments)
        if not outcome.is_error:
            self._failed.discard(same)
        elif same in self._failed:
            return replace(outcome, content=f"{AGAIN}\n{outcome.content}")
        else:
            self._failed.add(same)
        return outcome

    async def _run(self, call: ToolCall, broken: str) -> Outcome:
        started = ToolStarted(call.id, call.name, "", ())
        try:
            if broken:
                raise HandError(f"nothing was run: {broken}")
            hand = self.hands.find(call.name)
            arguments = self.hands.validate(call.name, call.arguments)
            claims = hand.claims(arguments)
            judgement = self._judged(claims)
            # In a thread: the file may be large, and the screen must not wait for its diff.
            preview = view(await asyncio.to_thread(hand.preview, arguments))
            words = tuple(claim.words for claim in claims)
            self._title = preview.title
            started = ToolStarted(call.id, call.name, preview.title, words)
            self._foresee(claims, preview)
        finally:
            self.asking.publish(started)
        await self._permit(call, claims, judgement, preview)
        self._begun = time.monotonic()  # waiting for the user is not the hand's time
        return await hand.run(arguments, self._job(call))

    async def run_for_user(self, command: str) -> Done:
        """A command that the user typed: it needs no approval and is otherwise like any other."""
        call = ToolCall(f"user{next(self._commands)}", "shell", "{}")
        begun = time.monotonic()
        hand = self.hands.find("shell")
        self.asking.publish(ToolStarted(call.id, "shell", command, (f"run {command}",)))
        try:
            outcome = await hand.run({"command": command}, self._job(call))
        except HandError as error:
            outcome = _refusal(command, str(error))
        except asyncio.CancelledError:
            printed = f"{self.printed(call.id)}\n[stopped by the user]".lstrip()
            outcome = Outcome(printed, Details("shell", command, "stopped", printed), True)
            return replace(_done(call, outcome, time.monotonic() - begun), stopped=True)
        return _done(call, outcome, time.monotonic() - begun)

    def _judged(self, claims: Sequence[Claim]) -> Judgement:
        """The gate's word, before the hand has looked at anything. Raises for a denial."""
        judgement = judge(claims, self.policy)
        if judgement.verdict is Verdict.DENY:
            raise HandError(judgement.reason)
        return judgement

    def _foresee(self, claims: Sequence[Claim], preview: DetailView) -> None:
        """Spare the user a question about an edit that cannot be done: raise with its reason,
        which may quote the file and so counts as reading it."""
        reading = [Claim("read", claim.target, "") for claim in claims if claim.kind == "write"]
        readable = judge(reading, self.policy).verdict is Verdict.ALLOW
        if preview.summary == WOULD_FAIL and readable:
            raise HandError(preview.body)

    async def _permit(
        self, call: ToolCall, claims: Sequence[Claim], judgement: Judgement, preview: DetailView
    ) -> None:
        """Return when the call may run; raise ``HandError`` with the reason when not."""
        if judgement.verdict is Verdict.ALLOW:
            return
        choice, reason = await self.asking.approve(call, claims, preview, judgement.choices)
        if choice not in {offered.key for offered in judgement.choices}:
            choice, reason = "no", f"“{choice}” is not an answer to this"
        match choice:
            case "no":
                why = f": {reason}" if reason else ""
                raise HandError(f"the user refused this{why}")
            case "session":
                self._grant_session(claims)
            case "always":
                self._grant_always(claims)

    def forget_commands(self) -> None:
        """No command is allowed for always any more."""
        self.policy = replace(self.policy, commands=frozenset())

    def _grant_session(self, claims: Sequence[Claim]) -> None:
        kinds = frozenset(claim.kind for claim in claims if claim.kind in ("write", "shell"))
        self.policy = replace(self.policy, session=self.policy.session | kinds)

    def _grant_always(self, claims: Sequence[Claim]) -> None:
        commands = frozenset(claim.target for claim in claims if claim.kind == "shell")
        self.policy = replace(self.policy, commands=self.policy.commands | commands)
        for command in sorted(commands):
            self._remember_command(command)

    def printed(self, call: str) -> str:
        """The end of what a call that was cut off had put out; empty where it had said nothing."""
        return self._printed if self._printing == call else ""

    def _job(self, call: ToolCall) -> Job:
        self._printing, self._printed = call.id, ""

        def report(text: str) -> None:
            self._printed = (self._printed + text)[-PRINTED_CHARS:]
            self.asking.publish(ToolProgress(call.id, text))

        someone = not self.asking.stand_in
        return Job(call.id, report, self.asking.question if someone else None)


def view(details: Details) -> DetailView:
    """A hand's details as an event carries them; of a long body the head and the tail."""
    body = details.body
    if len(body) > BODY_CHARS:
        left = len(body) - BODY_CHARS
        half = BODY_CHARS // 2
        body = f"{body[:half]}\n… {left} characters are left out here …\n{body[-half:]}"
    return DetailView(details.kind, details.title, details.summary, body, details.language)


def _refusal(title: str, text: str) -> Outcome:
    first = text.split("\n", 1)[0]
    return Outcome(text, Details("text", title, first[:80], text), is_error=True)


def _done(call: ToolCall, outcome: Outcome, seconds: float) -> Done:
    return Done(
        *(call, outcome.content, outcome.is_error, view(outcome.details), seconds),
        plan=outcome.plan,
        reference=outcome.reference,
    )
