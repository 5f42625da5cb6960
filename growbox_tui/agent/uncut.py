"""Uncut: changes of a conversation that are carried through though their turn is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def finish(change: Coroutine[Any, Any, Result]) -> Result:
    """Carry a change through, and only then let a cancellation have its way.

    What is half recorded, or recorded and not told, would be recorded or sent a second time.
    """
    task = asyncio.ensure_future(change)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
