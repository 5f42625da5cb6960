"""A workspace in a throw-away folder, with the ten hands in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from executors.protocol import Job, Outcome
from executors.registry import Registry, builtin
from executors.workspace import Workspace

REMEMBERED = {"mem://1": "the whole text"}


@dataclass
class Bench:
    """Runs hands as dispatch would, and keeps what they report."""

    root: Path
    hands: Registry
    reported: list[str] = field(default_factory=list)
    ask: Callable[..., Awaitable[str]] | None = None

    async def run(self, name: str, **arguments: Any) -> Outcome:
        """Claims, preview, run."""
        hand = self.hands.find(name)
        hand.claims(arguments)
        hand.preview(arguments)
        return await hand.run(arguments, Job("c1", self.reported.append, self.ask))


async def look(query: str, deeper: bool) -> str:
    if deeper:
        return f"read on {query}"
    return f"found {query}" if query == "parser" else ""


async def page(address: str) -> str | None:
    return REMEMBERED.get(address)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, builtin(Workspace(tmp_path), look, page))
