"""A process that talks to a memory file and says each id once it is acknowledged.

``python -m tests.doubles.memory_writer FILE COUNT``: COUNT turns of a user's message and an answer,
in a session of its own. Prints ``session ID``, then ``node ID`` after each message. Killed from
outside, everything that it printed must be in the file.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from memory import Memory
from memory.memory import Window
from memory.store import database
from memory.types import Budget, NewNode
from tests.doubles.patience import FOR_EVER

LARGE = 20_000
"""Characters of an answer: several pages, so that a kill can fall between two of them."""


async def talk(path: Path, count: int) -> None:
    """Record ``count`` turns, with an epoch in between now and then."""
    database.BUSY_MS = round(FOR_EVER * 1000)  # another writer may be slow, not only in the way
    memory = await Memory.open(path)
    session = await memory.open_session("/project", "scripted/voice")
    print("session", session, flush=True)
    window = await memory.window(session)
    for turn in range(1, count + 1):
        if turn % 10 == 1:
            await begin(memory, window)
        await say(memory, window, turn, "user", f"question {turn} of {session}")
        await say(memory, window, turn, "assistant", f"answer {turn} of {session} " + "x" * LARGE)
    await memory.close()


async def begin(memory: Memory, window: Window) -> None:
    """Start an epoch that keeps a few messages."""
    await memory.begin_epoch(
        window,
        tools=("{}",),
        system=("s",),
        why="full",
        budget=Budget(1000, 50, 50, 100, 100, 50),
        cold=False,
    )


async def say(memory: Memory, window: Window, turn: int, role: str, words: str) -> None:
    """Record one message and print its node's id."""
    node = NewNode(role, words, "/project", window.session, turn)  # type: ignore[arg-type]
    entry = await memory.record(
        window,
        turn=turn,
        role=role,  # type: ignore[arg-type]
        body=words,
        tokens=10,
        node=node,
    )
    print("node", entry.node, flush=True)


if __name__ == "__main__":
    asyncio.run(talk(Path(sys.argv[1]), int(sys.argv[2])))
