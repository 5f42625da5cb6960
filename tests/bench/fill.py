"""Filling a memory file with many nodes, all of them embedded, as weeks of work would."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

from memory import Memory
from memory.hyperspace.embedders.choose import choose
from memory.types import NewNode, NodeRole

VOCABULARY = (
    "retry backoff timeout parser token cache prefix window session memory branch merge commit "
    "release schema migration index query lock thread worker queue stream socket buffer decode "
    "encode cursor widget theme layout render diff patch review test fixture fails passes slow "
    "fast because after before when the a of in to for with not never always once again"
)
WORDS = VOCABULARY.split(" ")
SENTENCES = (
    "重试策略写在 a.py 里，超时是三十秒",
    "登录接口返回五百，需要检查令牌过期时间",
    "缓存命中率下降，因为前缀变了",
)
PLACES: tuple[tuple[NodeRole, str], ...] = (
    ("user", ""),
    ("tool", "shell"),
    ("tool", "read_file"),
    ("assistant", ""),
)
"""Role and kind of the nodes of a turn, in order."""
PER_TURN = len(PLACES)


def text_of(chance: random.Random) -> str:
    """A few plain sentences; one in ten is Chinese."""
    if chance.random() < 0.1:
        return chance.choice(SENTENCES) + str(chance.randrange(10_000))
    words = chance.choices(WORDS, k=chance.randint(8, 60))
    return f"{' '.join(words)} step_{chance.randrange(10_000)}"


async def fill(path: Path, nodes: int, project: str, seed: int = 7) -> None:
    """Write so many nodes of one project into a memory file, and embed them all."""
    chance = random.Random(seed)
    memory = await Memory.open(path, embedder=choose())
    try:
        session = ""
        for place in range(nodes):
            turn = place // PER_TURN
            if turn % 25 == 0 and place % PER_TURN == 0:
                session = await memory.open_session(project, "openai/fake-model")
            role, kind = PLACES[place % PER_TURN]
            new = NewNode(role, text_of(chance), project, session, turn % 25 + 1, kind)
            await memory.remember(new)
        while await memory.settle(60.0):
            pass
    finally:
        await memory.close()


def filled(path: Path, nodes: int, project: Path) -> Path:
    """``fill`` from code that runs no event loop; the path again."""
    asyncio.run(fill(path, nodes, str(project.resolve())))
    return path
