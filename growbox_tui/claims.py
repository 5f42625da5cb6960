"""Claims: which growbox process has a conversation, so that two never go on with the same one."""

from __future__ import annotations

import difflib
import os
import socket
from pathlib import Path

from memory import Memory
from memory.types import SessionInfo


class SessionError(Exception):
    """A conversation cannot be gone on with. ``text`` says why, ``hint`` what to do."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint


class Claims:
    """Finds a conversation to go on with, or begins one, and holds it."""

    def __init__(self, memory: Memory, project: str) -> None:
        self._memory = memory
        self._project = project
        self._held = ""

    async def find(self, resume: str | None) -> tuple[SessionInfo | None, str]:
        """The conversation to go on with and what to say about it.

        ``resume``: ``last`` for this folder's newest (none where there is none, or where another
        process has it), an id, or ``None``. Raises ``SessionError`` for an id that is not on file
        or that another process has.
        """
        if resume is None:
            return None, ""
        if resume != "last":
            return await self._named(resume), ""
        newest = next(iter(await self._memory.sessions(self._project, limit=1)), None)
        if newest is None:
            return None, "There is nothing to resume here; this is a new session."
        owner = await self._claim(newest.id)
        if owner:
            return None, (
                f"The newest session is open in another growbox (process {owner_pid(owner)}); "
                "this is a new one."
            )
        return newest, ""

    async def _named(self, session: str) -> SessionInfo:
        found = await self._memory.session(session)
        if found is None:
            known = [info.id for info in await self._memory.sessions(limit=1_000)]
            near = difflib.get_close_matches(session, known, 1, 0.5)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise SessionError(
                f"There is no session {session!r}.", f"{hint}growbox sessions lists them."
            )
        owner = await self._claim(session)
        if owner:
            raise SessionError(
                f"Session {session} is open in another growbox (process {owner_pid(owner)}).",
                "Go on there, or close it first.",
            )
        return found

    async def take(self, found: SessionInfo | None, model: str) -> str:
        """Go on with what was found, or begin a new conversation, with this model; its id."""
        if found is not None:
            await self._memory.set_model(found.id, model)
            return found.id
        session = await self._memory.open_session(self._project, model)
        await self._claim(session)
        return session

    async def _claim(self, session: str) -> str:
        """The other owner, or empty when it is ours now."""
        owner = await self._memory.claim(session, this_process(), is_alive)
        if not owner:
            self._held = session
        return owner

    async def release(self) -> None:
        """Let others have it."""
        if self._held:
            await self._memory.release(self._held, this_process())
            self._held = ""


def this_process() -> str:
    """``pid:start@host``; with its start time a process is told from a later one of its number."""
    return f"{os.getpid()}:{started(os.getpid())}@{socket.gethostname()}"


def owner_pid(owner: str) -> str:
    """The process number in an owner's text."""
    return owner.partition(":")[0]


def is_alive(owner: str) -> bool:
    """Whether an owner still runs. One on another machine is taken to."""
    pid, _, rest = owner.partition(":")
    start, _, host = rest.partition("@")
    if host != socket.gethostname() or not pid.isdigit():
        return host != socket.gethostname()
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return started(int(pid)) == start


def started(pid: int) -> str:
    """When a process began, in the kernel's own count; empty where that is not told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
