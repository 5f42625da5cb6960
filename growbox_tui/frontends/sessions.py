"""Sessions: the conversations in the memory file, a line each."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from growbox_tui.frontends.clean import clean

if TYPE_CHECKING:
    from growbox_tui.wiring import Workbench
    from memory.types import SessionInfo


async def listed(bench: Workbench) -> list[str]:
    """One line a conversation, newest first, those of this folder before others. The workbench is
    closed afterwards. Raises ``MemoryFileError``."""
    try:
        return [clean(_line(info)) for info in await bench.sessions()]
    finally:
        await bench.close()


def _line(info: SessionInfo) -> str:
    when = datetime.fromtimestamp(info.updated / 1000).strftime("%Y-%m-%d %H:%M")
    turns = "1 turn" if info.turns == 1 else f"{info.turns} turns"
    return f"{info.id}  {when}  {turns:>9}  {info.project}  {info.title}"
