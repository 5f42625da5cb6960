"""Session: one conversation as front ends hold it. Commands in (prompt, answer, cancel, nap),
events out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from growbox_tui.agent import events, recalling, story, wishes
from growbox_tui.agent.asides import compacted, nap, shell_turn
from growbox_tui.agent.behind import PATIENCE, Behind
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import Notice, RulesChanged, RuleView, TurnEnded
from growbox_tui.agent.loop import broken, run_turn
from growbox_tui.agent.records import mend
from growbox_tui.agent.stream import EventStream
from growbox_tui.agent.transcript import retold
from growbox_tui.agent.voices import Voices
from growbox_tui.agent.warmth import Warmth
from growbox_tui.agent.window_view import show_window
from growbox_tui.agent.wishes import rule_views
from growbox_tui.models.protocol import Model
from memory.types import Entry

Do = Callable[[], Awaitable[None]]

Wish = Callable[[Conversation], Coroutine[Any, Any, TurnEnded]]
"""A turn that takes no words."""


async def nothing() -> None:
    """Done where there is nothing to do."""


class Session:
    """One conversation. Its turns run one at a time; words added meanwhile steer the turn."""

    def __init__(
        self,
        talk: Conversation,
        stream: EventStream,
        *,
        open_model: Callable[[str], Awaitable[Model]],
        opened: events.SessionOpened,
        transcript: list[Entry],
        embed: Literal["behind", "meanwhile"],
        release: Do = nothing,
        forget_commands: Do = nothing,
    ) -> None:
        """
        Args:
            talk: the conversation, its window loaded.
            stream: where events go; ``talk`` publishes to it.
            open_model: from a name to a voice; raises ``ModelError``.
            opened: told at ``start``.
            transcript: the messages of a resumed conversation, told after it.
            embed: pending memories are embedded ``behind`` turns, or ``meanwhile``, in slow ones.
            release: called at the end: the conversation is free for others.
            forget_commands: takes back every command that was allowed for always.
        """
        self.talk, self.stream = talk, stream
        self._ask_of(talk)
        self._voices = Voices(talk, open_model)
        self._opened, self._transcript, self._embed = opened, transcript, embed
        self._release, self._forget_commands = release, forget_commands
        self._turn: asyncio.Task[TurnEnded] | None = None
        self._aside: asyncio.Task[TurnEnded] | None = None
        """The turn, while it is one that takes no words: a command of the user's own, a nap."""
        self.closed = self._closing = False
        """Whether it has been let go of."""
        self._stopping = False
        self._behind = Behind(talk.mind, stream.publish, talk.idle)
        self._warmth = Warmth(talk, self._nap_when_quiet)
        self._after_turn: list[Wish] = []
        """What was asked for while a turn ran, and comes when it has ended."""

    def _ask_of(self, talk: Conversation) -> None:
        # What is asked of memories, by their addresses, and of memory itself: as documented there.
        self.pin, self.unpin = partial(wishes.pin, talk), partial(wishes.unpin, talk)
        self.drop, self.remember = partial(wishes.drop, talk), partial(wishes.remember, talk)
        self.recall_steps = partial(recalling.recall_steps, talk)
        self.wrong, self.why = partial(recalling.wrong, talk), partial(recalling.why, talk)
        self.map = partial(recalling.chart, talk)
        self.undo_jump = partial(recalling.undo_jump, talk)

    @property
    def id(self) -> str:
        """The session's id in the memory file."""
        return self.talk.window.session

    @property
    def model_name(self) -> str:
        """``provider/name`` of the voice."""
        return self.talk.model.name

    @property
    def busy(self) -> bool:
        """Whether a turn runs."""
        return self._turn is not None and not self._turn.done()

    @property
    def takes_words(self) -> bool:
        """Whether words sent now steer the running turn; during a command of one's own or a nap
        they are a turn of their own after it."""
        return self._aside is None or self._aside.done()

    async def grants(self) -> list[str]:
        """The commands that are always allowed in this folder."""
        return sorted(self.talk.dispatch.policy.commands)

    async def forget_grants(self) -> None:
        """Ask again for every command that was always allowed in this folder."""
        self.talk.dispatch.forget_commands()
        await self._forget_commands()

    @property
    def cost(self) -> float | None:
        """US dollars that this process has spent in it; ``None`` when a price is not known."""
        return self.talk.cost

    async def start(self) -> None:
        """Tell what was opened, and a resumed conversation from its beginning."""
        self.stream.publish(self._opened)
        for event in retold(self._transcript):
            self.stream.publish(event)
        self._transcript = []
        if self.talk.window.epoch is not None:
            mended = await mend(
                self.talk, self.talk.window.turns, "interrupted: growbox ended before it finished"
            )
            if mended:
                words = f"{mended} tool calls had been interrupted; they are marked so."
                self.stream.publish(Notice("info", words))
            show_window(self.talk)
        if self.talk.plan:
            self.stream.publish(events.PlanChanged(self.talk.plan))
        if self.talk.rules:
            self.stream.publish(RulesChanged(rule_views(self.talk)))

    async def prompt(self, text: str, typed: str | None = None) -> TurnEnded:
        """One whole turn. While one runs, the words are added to it and its end is returned.

        ``typed``: the part of the text that the user wrote, where a pipe brought the rest.
        """
        while self._aside is not None and not self._aside.done():
            await asyncio.wait([self._aside])
        if self._turn is not None and not self._turn.done():
            self.talk.steering.append(text)
            return await asyncio.shield(self._turn)
        self._stopping = False
        self._turn = asyncio.create_task(self._take_turn(text, typed))
        try:
            end = await asyncio.shield(self._turn)
        except asyncio.CancelledError:
            await self.cancel()
            raise
        await self._after()
        return end

    async def _take_turn(self, text: str, typed: str | None) -> TurnEnded:
        await self._rest()
        if self._embed == "meanwhile":
            self._behind.begin(PATIENCE)
        try:
            return await run_turn(self.talk, text, typed)
        finally:
            if self._embed == "meanwhile":
                await self._behind.rest()

    def answer(self, ask: str, choice: str, reason: str = "") -> bool:
        """Answer an approval or a question. ``False`` when nothing of that id waits."""
        return self.talk.dispatch.asking.answer(ask, choice, reason)

    async def cancel(self) -> None:
        """Stop the running turn; returns when it has ended and the conversation is valid."""
        if self._turn is not None and not self._turn.done():
            self.talk.steering.clear()
            if not self._stopping:  # a second stop must not cut off what the first one mends
                self._stopping = True
                self._turn.cancel()
            await asyncio.wait([self._turn])

    async def nap(self) -> None:
        """Clear conversation and working set, keep all long memory. A running turn ends first."""
        await self._when_quiet("The nap", nap)

    async def compact(self) -> bool:
        """Make the prompt smaller now, without asking any model; whether it is, or will be when
        the running turn has ended."""
        before = self.talk.window.tokens
        quiet = not self.busy
        await self._when_quiet("The compaction", compacted)
        return not quiet or self.talk.window.tokens < before

    async def _when_quiet(self, name: str, wish: Wish) -> None:
        if self.busy:
            self._after_turn.append(wish)
            self.stream.publish(Notice("info", f"{name} comes when this turn has ended."))
            return
        await self._do_aside(wish(self.talk))

    async def use_model(self, name: str) -> None:
        """Speak through another model from the next request on. Raises ``ModelError``."""
        await self._voices.use(name)
        if not self.busy:
            await self._voices.close_left()

    async def run_shell(self, command: str) -> None:
        """A command that the user typed; the model sees it with the next turn."""
        if self.busy:
            self.stream.publish(Notice("warning", "A turn is running; esc stops it."))
            return
        await self._do_aside(shell_turn(self.talk, command))

    async def _do_aside(self, work: Coroutine[Any, Any, TurnEnded], *, last: bool = True) -> None:
        self._stopping = False
        self._turn = self._aside = asyncio.create_task(self._after_rest(work))
        await asyncio.wait([self._aside])
        if last:
            await self._after()

    async def close(self) -> None:
        """Stop what runs and let go of the voice. The memory file stays open for others."""
        self._closing = True
        await self.cancel()
        await self._rest()
        await self._voices.close_left()
        await self.talk.model.close()
        await self._release()
        self.stream.close()
        self.closed = True

    # ---- what stands in the prompt -----------------------------------------------------------

    async def rules(self) -> tuple[RuleView, ...]:
        """The user's rules, oldest first."""
        return rule_views(self.talk)

    async def add_rule(self, text: str) -> None:
        """Keep a rule; ``RulesChanged`` tells what became of it."""
        await wishes.add_rule(self.talk, text)

    async def edit_rule(self, number: int, text: str) -> None:
        """Change the words of the rule of that id. Raises ``LookupError`` for an unknown one."""
        await wishes.edit_rule(self.talk, number, text)

    async def drop_rule(self, number: int) -> None:
        """Take the rule of that id back. Raises ``LookupError`` for an unknown one."""
        await wishes.drop_rule(self.talk, number)

    async def cache_story(self) -> story.Story:
        """What the prompt cache made of each request of this session, and what it cost."""
        return await story.read(self.talk.mind, self.id, self.talk.now())

    @property
    def warm(self) -> bool:
        """Whether the cache is kept alive between turns."""
        return self._warmth.wanted.keep_alive

    async def keep_warm(self, on: bool) -> None:
        """Keep the cache alive between turns, or no more, in this session."""
        self._warmth.wanted = replace(self._warmth.wanted, keep_alive=on)
        await self._warmth.rest()
        if on and not self.busy:
            self._warmth.begin()

    # ---- within ------------------------------------------------------------------------------

    async def _after_rest(self, work: Coroutine[Any, Any, TurnEnded]) -> TurnEnded:
        await self._rest()
        try:
            return await work
        except Exception as error:  # noqa: BLE001  as in a turn: it is told, and the session lives
            failed = broken(error)
            self.stream.publish(failed)
            return TurnEnded(self.talk.window.turns, "failed", failed.text)

    async def _after(self) -> None:
        await self._voices.close_left()
        # Letting go of a voice takes a while: a turn may have begun, and does the rest at its end.
        while self._after_turn and not (self._closing or self.busy):
            await self._do_aside(self._after_turn.pop(0)(self.talk), last=False)
        if self._closing or self.busy:
            return
        if self._embed == "behind":
            self._behind.begin()
        self._warmth.begin()

    async def _nap_when_quiet(self) -> None:
        if not self.busy and not self._closing:
            await self.nap()

    async def _rest(self) -> None:
        """What runs behind the turns gives way to one."""
        await self._warmth.rest()
        await self._behind.rest()
