"""Warmth: keeping a cache alive between turns, and napping shortly before it would be lost.

Off unless the user asked for it. A ping is the newest request once more, for one token of reply:
reading an entry keeps it alive. So many pings are sent at most that they cost no more than writing
the prompt anew once would, and no more than the ceiling; a turn ends them at once.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from growbox_tui.agent.accounting import pinged
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import Notice, Warmed
from growbox_tui.agent.expected import Expected
from growbox_tui.agent.limits import KeepWarm
from growbox_tui.agent.words import sentences
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import ModelError, Reply

WHEN = 0.9
"""Share of an entry's life after which it is read again."""
BEFORE_LOSS_S = 30.0
"""Seconds before the end of an entry's life at which the nap comes."""
LONGEST_S = 86_400.0
"""Entries that live longer than a day need no keeping."""


def most_pings(rules: CacheRules) -> int:
    """How many pings cost no more than one rewrite; 0 where a cache cannot be kept by them."""
    if rules.kind not in ("prefix", "marks", "units") or not 0 < rules.ttl_s < LONGEST_S:
        return 0
    if rules.read <= 0:
        return 0
    return max(0, math.floor((rules.write - rules.read) / rules.read + 1e-9))


class Warmth:
    """The one task that waits for a cache's end."""

    def __init__(
        self,
        talk: Conversation,
        nap: Callable[[], Awaitable[None]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``nap``: takes one, if the session is quiet. ``sleep``: waits for so many seconds."""
        self._talk, self._nap, self._sleep = talk, nap, sleep
        self.wanted: KeepWarm = talk.keep_warm
        self._task: asyncio.Task[None] | None = None
        self._napping: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to wait, where the user wants anything of it and there is a cache to keep."""
        wants = self.wanted.keep_alive or self.wanted.nap
        if wants and self._talk.sent is not None and self._task is None:
            self._task = asyncio.create_task(self._keep(self._talk.sent))

    async def rest(self) -> None:
        """Stop at once; nothing is sent after that."""
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait([task])

    async def _keep(self, sent: Expected) -> None:
        rules = self._talk.cache_rules
        if sent.model is not self._talk.model or not 0 < rules.ttl_s < LONGEST_S:
            return
        at = sent.forecast.at
        if self.wanted.keep_alive:
            at = await self._ping(sent, rules)
        if self.wanted.nap:
            await self._until(at + rules.ttl_s - BEFORE_LOSS_S)
            # The nap makes this task rest: it must not wait for its own end.
            self._napping, self._task = self._task, None
            await self._nap()

    async def _ping(self, sent: Expected, rules: CacheRules) -> float:
        """Ping as often as it pays. When the entry was last read, in seconds since the epoch."""
        at, spent, most = sent.forecast.at, 0.0, most_pings(rules)
        for number in range(1, most + 1):
            await self._until(at + rules.ttl_s * WHEN)
            if not self._affordable(sent, spent):
                break
            now = self._talk.now()
            try:
                reply = await _once(sent)
            except ModelError as error:
                words = sentences(f"the cache was not kept alive: {error.text}", error.hint)
                self._talk.publish(Notice("warning", words))
                break
            at = now
            cost = (await pinged(self._talk, sent, reply.usage, at)).cost
            self._paid(number, most, reply, cost, spent)
            if cost is None:
                break
            spent += cost
        return at

    def _paid(self, number: int, most: int, reply: Reply, cost: float | None, spent: float) -> None:
        talk = self._talk
        talk.cost = None if talk.cost is None or cost is None else talk.cost + cost
        read = None if reply.usage is None else reply.usage.cache_read
        total = None if cost is None else spent + cost
        talk.publish(Warmed(number, most, read, cost, total))

    def _affordable(self, sent: Expected, spent: float) -> bool:
        """Whether one more ping stays below the ceiling; tells when it does not."""
        facts, talk = sent.model.facts, self._talk
        read_price = facts.cache_read_price
        if read_price is None or facts.input_price is None:
            words = "The price of this model is not known, so its cache is not kept alive."
            talk.publish(Notice("info", words))
            return False
        if spent + talk.real(talk.window.tokens) * read_price > self.wanted.ceiling:
            words = f"Keeping the cache alive has cost ${spent:.2f}; that is the limit."
            talk.publish(Notice("info", words))
            return False
        return True

    async def _until(self, at: float) -> None:
        """Wait for a moment, in seconds since the epoch."""
        await self._sleep(max(0.0, at - self._talk.now()))


async def _once(sent: Expected) -> Reply:
    """The request once more, for one token. Raises ``ModelError``."""
    request = replace(sent.request, max_output=1)
    async with aclosing(sent.model.stream(request)) as pieces:  # type: ignore[type-var]
        async for piece in pieces:
            if isinstance(piece, Reply):
                return piece
    raise ModelError("the model's stream ended without a whole reply")
