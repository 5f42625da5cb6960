"""Session: one conversation as front ends hold it. Commands in (prompt, answer, cancel, nap),
events out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

from growbox_tui.agent.asides import nap, shell_turn
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import (
    ModelChanged,
    Notice,
    SessionOpened,
    TurnEnded,
)
from growbox_tui.agent.loop import run_turn
from growbox_tui.agent.stream import EventStream
from growbox_tui.agent.transcript import retold
from growbox_tui.agent.words import sentences
from growbox_tui.models.protocol import Model
from memory import MemoryFileError
from memory.types import Entry

SETTLE_SLICE = 1.0
"""Seconds of embedding between two looks at whether a turn has begun."""


PATIENCE = 1.0
"""Seconds of a turn after which embedding meanwhile begins; a quick turn is not disturbed."""


Do = Callable[[], Awaitable[None]]


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
        opened: SessionOpened,
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
        self._open_model = open_model
        self._opened, self._transcript = opened, transcript
        self._embed = embed
        self._release = release
        self._forget_commands = forget_commands
        self._turn: asyncio.Task[TurnEnded] | None = None
        self._aside: asyncio.Task[TurnEnded] | None = None
        """The turn, while it is one that takes no words: a command of the user's own, a nap."""
        self.closed = False
        """Whether it has been let go of."""
        self._stopping = False
        self._old_voices: list[Model] = []
        """Voices that were left while they may still have been speaking."""
        self._settling: asyncio.Task[None] | None = None
        self._nap_after_turn = False

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
            mended = await self.talk.mend(
                self.talk.window.turns, "interrupted: growbox ended before it finished"
            )
            if mended:
                words = f"{mended} tool calls had been interrupted; they are marked so."
                self.stream.publish(Notice("info", words))
            self.talk.show_window()

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
        await self._after_turn()
        return end

    async def _take_turn(self, text: str, typed: str | None) -> TurnEnded:
        await self._rest()
        if self._embed == "meanwhile":
            self._settling = asyncio.create_task(self._settle(PATIENCE))
        try:
            return await run_turn(self.talk, text, typed)
        finally:
            if self._embed == "meanwhile":
                await self._rest()

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
        if self.busy:
            self._nap_after_turn = True
            self.stream.publish(Notice("info", "The nap comes when this turn has ended."))
            return
        await self._do_aside(nap(self.talk))

    async def use_model(self, name: str) -> None:
        """Speak through another model from the next request on. Raises ``ModelError``."""
        model = await self._open_model(name)
        self._old_voices.append(self.talk.model)
        await self.talk.use(model)
        await self.talk.mind.set_model(self.id, name)
        self.stream.publish(ModelChanged(model.name, "you chose it", model.facts.context))
        if not self.busy:
            await self._close_old_voices()

    async def run_shell(self, command: str) -> None:
        """A command that the user typed; the model sees it with the next turn."""
        if self.busy:
            self.stream.publish(Notice("warning", "A turn is running; esc stops it."))
            return
        await self._do_aside(shell_turn(self.talk, command))

    async def _do_aside(self, work: Coroutine[Any, Any, TurnEnded]) -> None:
        self._stopping = False
        self._turn = self._aside = asyncio.create_task(self._after_rest(work))
        await asyncio.wait([self._aside])
        await self._after_turn()

    async def close(self) -> None:
        """Stop what runs and let go of the voice. The memory file stays open for others."""
        await self.cancel()
        await self._rest()
        await self._close_old_voices()
        await self.talk.model.close()
        await self._release()
        self.stream.close()
        self.closed = True

    # ---- within ------------------------------------------------------------------------------

    async def _after_rest(self, work: Coroutine[Any, Any, TurnEnded]) -> TurnEnded:
        await self._rest()
        return await work

    async def _after_turn(self) -> None:
        await self._close_old_voices()
        if self._nap_after_turn:
            self._nap_after_turn = False
            await self._do_aside(nap(self.talk))
        self._behind()

    async def _close_old_voices(self) -> None:
        while self._old_voices:
            await self._old_voices.pop().close()

    def _behind(self) -> None:
        """Embed behind the turns, until none is pending or a turn begins."""
        if self._embed == "behind" and (self._settling is None or self._settling.done()):
            self._settling = asyncio.create_task(self._settle())

    async def _settle(self, patience: float = 0.0) -> None:
        try:
            await asyncio.sleep(patience)
            while await self.talk.mind.settle(SETTLE_SLICE):
                pass
        except MemoryFileError as error:
            words = sentences(f"memories wait to be embedded: {error.text}", error.hint)
            self.stream.publish(Notice("warning", words))

    async def _rest(self) -> None:
        """Stop embedding; what is not embedded yet is found by its words meanwhile."""
        if self._settling is not None and not self._settling.done():
            self._settling.cancel()
            await asyncio.wait([self._settling])
