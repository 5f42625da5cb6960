from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.memory import Memory


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    opened = await Memory.open(tmp_path / "memory.db")
    yield opened
    await opened.close()
