"""Asking: questions to the user, put as events and answered by id."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence

from executors.protocol import Claim
from growbox_tui.agent.events import (
    ApprovalAnswered,
    ApprovalAsked,
    Choice,
    DetailView,
    Event,
    QuestionAnswered,
    QuestionAsked,
)
from growbox_tui.agent.messages import ToolCall

ANSWERED_BY_FLAG = "yes"
"""``Asking.stand_in``: what would be asked is granted (``--yes``)."""
ANSWERED_BY_NOBODY = "no"
"""``Asking.stand_in``: nobody is there, so what would be asked is refused."""


class Asking:
    """Questions to the user: put as events, answered by id."""

    def __init__(self, publish: Callable[[Event], None], stand_in: str = "") -> None:
        """``stand_in``: who answers when nobody can: ``yes``, ``no``, or empty for the user."""
        self.publish = publish
        self.stand_in = stand_in
        self._waiting: dict[str, asyncio.Future[tuple[str, str]]] = {}
        self._ids = itertools.count(1)

    def answer(self, ask: str, choice: str, reason: str = "") -> bool:
        """Give an answer. ``False`` when nothing of that id waits."""
        future = self._waiting.get(ask)
        if future is None or future.done():
            return False
        future.set_result((choice, reason))
        return True

    async def approve(
        self,
        call: ToolCall,
        claims: Sequence[Claim],
        preview: DetailView,
        offered: tuple[Choice, ...],
    ) -> tuple[str, str]:
        """The user's choice and reason, or the stand-in's."""
        ask = f"ask{next(self._ids)}"
        words = tuple(claim.words for claim in claims)
        if self.stand_in == ANSWERED_BY_FLAG:
            self.publish(ApprovalAnswered(ask, "once", by="flag"))
            return "once", ""
        self.publish(ApprovalAsked(ask, call.id, call.name, words, preview, offered))
        if self.stand_in == ANSWERED_BY_NOBODY:
            self.publish(
                ApprovalAnswered(ask, "no", "nobody is here to ask; --yes grants", "nobody")
            )
            return "no", "nobody is here to approve it; work with what runs without asking"
        choice, reason = await self._wait(ask)
        self.publish(ApprovalAnswered(ask, choice, reason))
        return choice, reason

    async def question(self, text: str, options: Sequence[str]) -> str:
        """The user's own words."""
        ask = f"ask{next(self._ids)}"
        self.publish(QuestionAsked(ask, text, tuple(options)))
        answer, _ = await self._wait(ask)
        self.publish(QuestionAnswered(ask, answer))
        return answer

    async def _wait(self, ask: str) -> tuple[str, str]:
        future: asyncio.Future[tuple[str, str]] = asyncio.get_running_loop().create_future()
        self._waiting[ask] = future
        try:
            return await future
        finally:
            del self._waiting[ask]
