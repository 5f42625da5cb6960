"""Bindings: the few closures by which hands, memory and gate reach one another.

Hands are given callables and know no memory; the gate is given what was granted and knows no file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from executors.encoding import decode, detect
from executors.protocol import Claim, HandError
from executors.workspace import Workspace, read_bytes
from growbox_tui.agent.gate import Policy, Verdict, judge
from growbox_tui.agent.instructions import instructions
from growbox_tui.agent.limits import KeepWarm, Wanted
from growbox_tui.settings import Settings
from memory import Memory


def mention_reader(workspace: Workspace, policy: Policy) -> Callable[[str], str]:
    """What gives ``@path`` its text: any encoding that the hands read; ``ValueError`` else.

    A mention is read only where the read hand would not have to ask: words that come from a
    script or a paste may mention anything.
    """

    def read(path: str) -> str:
        try:
            real = workspace.resolve(path)
            if judge([Claim("read", str(real), path)], policy).verdict is not Verdict.ALLOW:
                raise ValueError("it may hold secrets or lies outside this folder; ask for it")
            data = read_bytes(real, workspace.show(real))
        except HandError as error:
            raise ValueError(str(error)) from error
        encoding = detect(data)
        if encoding is None:
            raise ValueError(f"{path} is not text")
        return decode(data, encoding)

    return read


def system_text(settings: Settings, project: Path) -> tuple[str, ...]:
    """The system text, the words about hands, and instructions where there are any, as now."""
    folder = files("growbox_tui.agent")
    names = ("system_prompt.md", "hands_prompt.md")
    words = tuple(folder.joinpath(name).read_text("utf-8").strip() for name in names)
    said = instructions([settings.config.parent, project])
    return (*words, said) if said else words


def wanted(settings: Settings) -> Wanted:
    """What the user set of the prompt's size."""
    window = None if settings.window == "full" else settings.window
    return Wanted(window, settings.region, settings.l1_policy)


def keep_warm(settings: Settings) -> KeepWarm:
    """What the user wants done for a cache between turns."""
    return KeepWarm(settings.keep_alive, settings.ceiling, settings.nap)


class Granted:
    """Commands that the user allowed for always in one folder, kept in the memory file."""

    def __init__(self, memory: Memory, project: str) -> None:
        self._memory = memory
        self._key = f"commands:{project}"
        self._writing: set[asyncio.Task[list[str]]] = set()

    async def commands(self) -> frozenset[str]:
        """All that were allowed so far."""
        return frozenset(await self._memory.kept(self._key, []))

    def add(self, command: str) -> None:
        """One more; it holds at once and is on disk a moment later."""
        task = asyncio.create_task(self._memory.add_kept(self._key, [command]))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def forget(self) -> None:
        """Take all of it back."""
        await self.settle()
        await self._memory.keep(self._key, [])

    async def settle(self) -> None:
        """Wait until all is on disk."""
        if self._writing:
            await asyncio.wait(self._writing)
