"""Which paths are offered after ``@``, and that nobody waits for them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from growbox_tui.file_index import FileIndex
from tests.doubles.patience import FOR_EVER, until

FILES = ("src/Prune.py", "src/prune_all.py", "docs/pruning.md", "apps/rune.py", "README.md")


@pytest.fixture
async def index(tmp_path: Path) -> FileIndex:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = FileIndex(tmp_path)
    await found.read()
    return found


async def test_whole_names_come_before_parts_and_parts_before_scattered_letters(
    index: FileIndex,
) -> None:
    assert index.match("prune", 9) == ["src/Prune.py", "src/prune_all.py", "apps/rune.py"]
    assert index.match("rune", 2) == ["apps/rune.py", "src/Prune.py"]
    assert index.match("SRC/", 9) == ["src/Prune.py", "src/prune_all.py"]
    assert index.match("zz", 9) == []
    assert len(index.match("", 3)) == 3


@given(typed=st.lists(st.text("prune./sdA_", max_size=6), max_size=6))
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
async def test_what_was_typed_before_changes_no_answer(index: FileIndex, typed: list[str]) -> None:
    for text in typed:
        for end in range(len(text) + 1):
            index.match(text[:end], 9)
        answer = index.match(text, 9)
        index.match("", 1)
        assert answer == index.match(text, 9)


async def test_a_file_that_came_is_offered_for_what_was_typed_before(
    index: FileIndex, tmp_path: Path
) -> None:
    assert index.match("new", 9) == []
    (tmp_path / "new.py").touch()
    await index.read()
    assert index.match("new", 9) == ["new.py"]
    assert index.match("new.", 9) == ["new.py"]


@pytest.mark.skipif(os.name == "nt", reason="the slow program is a shell script")
async def test_closing_ends_a_reading_that_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, mark = tmp_path / "slow", tmp_path / "pid"
    slow.write_text(
        f'#!/bin/sh\necho $$ > "{mark}.part"\nmv "{mark}.part" "{mark}"\nexec sleep 999\n'
    )
    slow.chmod(0o755)
    monkeypatch.setattr("executors.ripgrep.ripgrep", lambda: str(slow))
    index = FileIndex(tmp_path)
    assert index.match("", 9) == []
    await until(mark.exists)
    async with asyncio.timeout(FOR_EVER):
        await index.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
