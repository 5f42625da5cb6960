"""Behind: what is done behind the turns, and gives way to a turn at once: memories are embedded,
and then whatever else was asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from growbox_tui.agent.events import Event, Notice
from growbox_tui.agent.mind import Mind
from growbox_tui.agent.words import sentences
from memory import MemoryFileError

SETTLE_SLICE = 1.0
"""Seconds of embedding between two looks at whether a turn has begun."""
PATIENCE = 1.0
"""Seconds of a turn after which embedding meanwhile begins; a quick turn is not disturbed."""
QUIET = 20.0
"""Seconds without a turn before anything else is begun that costs."""

Then = Callable[[], Awaitable[str]]


async def nothing() -> str:
    """Done where nothing else is to be done."""
    return ""


class Behind:
    """The one task that embeds what is pending."""

    def __init__(self, mind: Mind, publish: Callable[[Event], None], then: Then = nothing) -> None:
        """``then``: done when nothing is pending and no turn has begun for a while; what it has to
        tell, in words."""
        self._mind = mind
        self._publish = publish
        self._then = then
        self._task: asyncio.Task[None] | None = None

    def begin(self, patience: float = 0.0) -> None:
        """Embed until nothing is pending, after so many seconds; does nothing where it is done
        already."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._settle(patience))

    async def rest(self) -> None:
        """Stop; what is not embedded yet is found by its words meanwhile."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _settle(self, patience: float) -> None:
        try:
            await asyncio.sleep(patience)
            while await self._mind.settle(SETTLE_SLICE):
                pass
            if not patience:
                await asyncio.sleep(QUIET)
                if told := await self._then():
                    self._publish(Notice("info", told))
        except MemoryFileError as error:
            words = sentences(f"memories wait to be embedded: {error.text}", error.hint)
            self._publish(Notice("warning", words))
