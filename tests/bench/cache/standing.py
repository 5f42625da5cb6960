"""Standing: the real prompt over a trace: memory, window, epochs, layout, ledger of the product.

Only what a trace cannot hold is made up: the words (seeded, of the recorded size), and which
memories are found for a question. Everything else is the product's own, on a file of its own: the
sizes, the decisions when an epoch ends, and what comes of its end.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from growbox_tui.agent.forecast import Forecast
from growbox_tui.agent.fullness import Fill, forced, outgrown, smaller, worth_sweeping
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.messages import Message, Text, Usage, message_to_json
from growbox_tui.agent.pace import prices
from growbox_tui.agent.prompt import Prompt, lay_out
from growbox_tui.agent.room import EXPIRED, FULL, alive
from growbox_tui.agent.shorten import shortened
from growbox_tui.models.cache_rules import CacheRules
from memory.context import economy
from memory.context.economy import AppendRate
from memory.context.render import render
from memory.context.window import Window
from memory.memory import Memory
from memory.tokens import estimate
from memory.types import Budget, NewNode, Node
from tests.bench.cache.acted import PROJECT, Actor
from tests.bench.cache.layouts import SYSTEM
from tests.bench.cache.providers import Asked, Blocks, Served
from tests.bench.cache.sight import Sight, shared
from tests.bench.cache.traces import Recorded, Trace
from tests.bench.cache.words import Writer

RECALLED = 300
"""Tokens of memories that a question brings with it, at most."""
EARLIER = 80
"""Memories of earlier sessions that are on file when a trace begins."""
LEAST_REMEMBERED = 40
"""Tokens of a message below which nobody looks for it again."""
HEADER = 30
"""Tokens that the header of a rendered memory takes, at most."""
RAM_DISK = Path("/dev/shm")


@dataclass(slots=True)
class Clock:
    """The trace's own time, as memory reads it."""

    seconds: float = 0.0

    def now(self) -> int:
        """Milliseconds."""
        return int(1_000_000_000_000 + 1_000 * self.seconds)


@asynccontextmanager
async def standing(
    name: str, trace: Trace, window: int, rules: CacheRules, tail: int | None = None
) -> AsyncIterator[Standing]:
    """The real prompt for one trace, with a memory file of its own that is removed in the end.

    ``window``: tokens of a prompt. ``tail``: its low water mark; ``None`` leaves it to the product.
    """
    disk = RAM_DISK if RAM_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        clock = Clock()
        memory = await Memory.open(Path(folder) / "memory.db", clock=clock)
        try:
            session = await memory.open_session(PROJECT, "bench")
            layout = Standing(
                memory,
                await memory.window(session),
                clock,
                Actor(trace, Writer(name)),
                Ledger(rules),
                window,
                tail,
            )
            await layout.begin()
            yield layout
        finally:
            await memory.close()


@dataclass(slots=True)
class Standing:
    """The prompt that stands still."""

    memory: Memory
    window: Window
    clock: Clock
    actor: Actor
    ledger: Ledger
    size: int
    tail: int | None
    tails: list[int] = field(default_factory=list)
    """Tokens of the tail after each epoch's end."""
    raw: int = 0
    """Tokens of the tail, over all calls."""
    foreseen: int = 0
    """Calls of which the ledger's forecast was right, to a hundredth of the prompt."""
    _rate: AppendRate = field(default_factory=AppendRate)
    _grown_from: tuple[int, int] = (0, 0)
    _settled: int = 0
    _turn: int = 0
    _place: int = -1
    _earlier: list[Node] = field(default_factory=list)
    _said: list[str] = field(default_factory=list)
    """Nodes of this conversation that are worth finding again."""
    _own: set[str] = field(default_factory=set)
    _chance: random.Random = field(default_factory=lambda: random.Random(11))
    _sight: Sight = field(default_factory=Sight)
    _waiting: tuple[Prompt, Forecast] | None = None

    async def begin(self) -> None:
        """Put memories of earlier sessions on file, and start the first epoch."""
        for number in range(EARLIER):
            words = self.actor.words.memory(number, RECALLED - HEADER)
            new = NewNode("assistant", words, PROJECT, "earlier", 1)
            self._earlier.append(await self.memory.remember(new))
        await self._end("the session began", cold=True)

    # ---- what the trace says -----------------------------------------------------------------

    async def take(self, place: int, message: Recorded) -> None:
        """Record the message, with what is found for it where it is a question."""
        self.clock.seconds, self._place = message.at, place
        body, tokens = self.actor.message(place), message.tokens
        if message.role == "user":
            idle = not alive(self.ledger, message.at)
            if idle and worth_sweeping(self._fill(), self._budget()):
                await self._end(EXPIRED, cold=True)
            self._turn += 1
        node = self.actor.node(place, body, self.window.session, self._turn)
        shows: tuple[str, ...] = ()
        found = await self._recalled() if message.role == "user" else None
        if found is not None:
            text = render(found, RECALLED - HEADER)
            body = Message("user", (Text(text), *body.parts))
            tokens, shows = tokens + estimate(text), (found.id,)
        entry = await self.memory.record(
            self.window,
            turn=self._turn,
            role=message.role,
            body=message_to_json(body),
            tokens=tokens,
            node=node,
            shows=shows,
        )
        if entry.node is not None:
            self._own.add(entry.node)
            if tokens >= LEAST_REMEMBERED:
                self._said.append(entry.node)

    async def _recalled(self) -> Node | None:
        """What memory brings for a question: now of this conversation, now of an earlier one."""
        gone = [node for node in self._said if not self.window.holds(node)]
        if gone and self._turn % 2:
            return await self.memory.refer(self._chance.choice(gone))
        free = [node for node in self._earlier if not self.window.holds(node.id)]
        if not free:
            self.window.touch([self._chance.choice(self._earlier).id])
            return None
        return self._chance.choice(free)

    # ---- when an epoch ends ------------------------------------------------------------------

    async def ask(self, at: float, reply: Blocks) -> list[Asked]:
        """Make room where there is need, and lay the prompt out."""
        if outgrown(self._fill(), self._budget()):
            await self._end(FULL, cold=False)
        for share in forced(self._fill()):
            if self._fill().fits:
                break
            sizes = smaller(self._fill(), self._budget(), share)
            await self._end(FULL, cold=False, sizes=sizes)
        self._learn_rate()
        self.raw += self.window.tail_tokens
        assert self.window.epoch is not None
        entries = self.window.entries
        prompt = self.ledger.marked(
            lay_out(self.window.epoch, entries, turn=self._turn, with_tools=True, wire="bench")
        )
        self._waiting = prompt, self.ledger.predict(prompt, at)
        said = shared(self.actor.message(self._place + 1), sum(tokens for _, tokens in reply))
        return [self._sight.of(prompt.request, self.window.epoch.items, entries, at, said)]

    async def told(self, served: Served) -> None:
        """Let the ledger compare its forecast with the report."""
        assert self._waiting is not None
        prompt, forecast = self._waiting
        usage = _usage(served)
        reply = self.actor.message(self._place + 1)
        settled = self.ledger.settle(prompt, forecast, usage, reply)
        self.foreseen += abs(settled.predicted - served.read) <= (usage.input or 0) // 100

    async def pinged(self, at: float, served: Served) -> None:
        """Let the ledger know that the newest request was sent once more."""
        assert self._waiting is not None
        prompt = self._waiting[0]
        self.ledger.settle(prompt, self.ledger.predict(prompt, at), _usage(served))

    @property
    def past(self) -> int:
        """Tokens of the region that tell of this conversation: its lines and excerpts, and what
        was found again of it."""
        epoch = self.window.epoch
        items = epoch.items if epoch else ()
        return sum(item.tokens for item in items if item.kind != "memory" or item.node in self._own)

    def _learn_rate(self) -> None:
        assert self.window.epoch is not None
        now = (self.window.epoch.number, self.window.tokens)
        if self._grown_from[0] == now[0]:
            self._rate = self._rate.after(now[1] - self._grown_from[1])
        self._grown_from = now

    def _budget(self) -> Budget:
        return economy.budget(
            self.size,
            SYSTEM,
            self._rate,
            prices(self.ledger.rules),
            tail=self.tail,
            filled=self.window.region_tokens,
        )

    def _fill(self) -> Fill:
        view = self.window
        front = view.tokens - view.region_tokens - view.tail_tokens
        return Fill(self.size, front, view.region_tokens, view.tail_tokens, self._settled)

    async def _end(self, why: str, *, cold: bool, sizes: Budget | None = None) -> None:
        words = self.actor.words
        await self.memory.begin_epoch(
            self.window,
            tools=(words.argument(0, SYSTEM // 2),),
            system=(words.memory(EARLIER, SYSTEM - SYSTEM // 2),),
            why=why,
            budget=sizes or self._budget(),
            cold=cold,
            shorten=shortened,
        )
        self._settled = self.window.tail_tokens
        self.tails.append(self._settled)


def _usage(served: Served) -> Usage:
    """What the provider reports."""
    whole = served.read + served.written + served.plain
    return Usage(whole, 0, served.read, served.written)
