"""Warmth: keeping a cache alive between turns, and napping shortly before it would be lost.

Off unless the user asked for it. A ping is the newest request once more, for one token of reply:
reading an entry keeps it alive. So many pings are sent at most that they cost no more than writing
the prompt anew once would, and no more than the ceiling; a turn ends them at once.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from growbox_tui.agent.accounting import pinged, unreported
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import Notice, Warmed
from growbox_tui.agent.expected import Expected
from growbox_tui.agent.limits import KeepWarm
from growbox_tui.agent.uncut import finish
from growbox_tui.agent.words import sentences
from growbox_tui.models.cache_rules import CacheRules
from growbox_tui.models.protocol import ModelError, Reply
from memory import MemoryFileError

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


@dataclass(slots=True)
class Paid:
    """What was done for the cache of one request; a command of the user's own in between does not
    begin it anew."""

    sent: Expected | None = None
    at: float = 0.0
    """When the entry was last read or written, in seconds since the epoch."""
    pings: int = 0
    spent: float = 0.0
    """US dollars of all pings."""
    last: float = 0.0
    """And of the last one."""
    napped: bool = False
    """Whether a nap was tried: one that failed would fail again at once."""


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
        self._paid = Paid()
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
        if sent is not self._paid.sent:
            self._paid = Paid(sent, sent.forecast.at)
        if self.wanted.keep_alive:
            await self._ping(sent, rules)
        if self.wanted.nap and not self._paid.napped:
            await self._until(self._paid.at + rules.ttl_s - BEFORE_LOSS_S)
            # The nap makes this task rest: it must not wait for its own end.
            self._napping, self._task, self._paid.napped = self._task, None, True
            await self._nap()

    async def _ping(self, sent: Expected, rules: CacheRules) -> None:
        """Ping as often as it pays."""
        paid, most = self._paid, most_pings(rules)
        while paid.pings < most:
            await self._until(paid.at + rules.ttl_s * WHEN)
            if not self._affordable(sent):
                return
            now = self._talk.now()
            try:
                reply = await self._sent_again(sent, now)
                bill = await pinged(self._talk, sent, reply.usage, now)
            except (ModelError, MemoryFileError) as error:
                words = sentences(f"the cache was not kept alive: {error.text}", error.hint)
                self._talk.publish(Notice("warning", words))
                return
            self._told(now, most, bill.cost, reply)
            if bill.cost is None or not (reply.usage and reply.usage.cache_read):
                return  # the entry is gone, or nobody knows what keeping it costs

    async def _sent_again(self, sent: Expected, now: float) -> Reply:
        """One ping. Raises ``ModelError``. One that fails, or is cut off, may cost all the same."""
        try:
            return await _once(sent)
        except (ModelError, asyncio.CancelledError):
            forecast = sent.ledger.predict(sent.prompt, now)
            ping = replace(sent, forecast=forecast, number=0, again=False)
            # The turn that cuts a ping off writes to the same disk, and tells what is wrong there.
            with suppress(MemoryFileError):
                await finish(unreported(self._talk, ping, 0.0))
            raise

    def _told(self, now: float, most: int, cost: float | None, reply: Reply) -> None:
        talk, paid = self._talk, self._paid
        paid.at, paid.pings = now, paid.pings + 1
        paid.last, paid.spent = cost or 0.0, paid.spent + (cost or 0.0)
        talk.cost = None if talk.cost is None or cost is None else talk.cost + cost
        read = None if reply.usage is None else reply.usage.cache_read
        spent = None if cost is None else paid.spent
        talk.publish(Warmed(paid.pings, most, read, cost, spent))

    def _affordable(self, sent: Expected) -> bool:
        """Whether one more ping stays below the ceiling; tells when it does not."""
        facts, talk, paid = sent.model.facts, self._talk, self._paid
        read_price = facts.cache_read_price
        if read_price is None or facts.input_price is None:
            words = "The price of this model is not known, so its cache is not kept alive."
            talk.publish(Notice("info", words))
            return False
        next_one = max(paid.last, sent.forecast.total * read_price)
        if paid.spent + next_one > self.wanted.ceiling:
            words = f"Keeping the cache alive has cost ${paid.spent:.2f}; the next is too much."
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
