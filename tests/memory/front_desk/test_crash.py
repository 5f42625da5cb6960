"""What survives a process that is killed, and two processes on one file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memory import Memory
from memory.store import conversation, nodes
from memory.store.database import open_database

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "4"))
"""How often a writer is killed; set it higher for a longer search."""
ROOT = Path(__file__).resolve().parents[3]


def writer(path: Path, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.doubles.memory_writer", str(path), str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def heard(process: subprocess.Popen[str], lines: int | None = None) -> list[tuple[str, str]]:
    assert process.stdout
    said = []
    for line in process.stdout:
        # The last line of a killed process may be torn.
        if line.endswith("\n"):
            kind, name = line.split()
            said.append((kind, name))
        if lines is not None and len(said) >= lines:
            break
    return said


@pytest.mark.parametrize("number", range(ROUNDS))
async def test_a_killed_writer_loses_nothing_that_it_acknowledged(
    tmp_path: Path, number: int
) -> None:
    path = tmp_path / "m.db"
    process = writer(path, 10_000)
    said = heard(process, random.Random(number).randint(1, 60))
    process.send_signal(signal.SIGKILL)
    said += heard(process)
    process.wait()
    assert process.stdout
    process.stdout.close()

    db = open_database(path)
    assert db.value("PRAGMA quick_check") == "ok"
    acknowledged = [name for kind, name in said if kind == "node"]
    assert len(nodes.by_ids(db, acknowledged)) == len(acknowledged)
    db.close()
    memory = await Memory.open(path)
    window = await memory.window(said[0][1])
    transcript = await memory.transcript(window.session)
    assert [entry.node for entry in transcript][: len(acknowledged)] == acknowledged
    assert len(transcript) <= len(acknowledged) + 1
    assert [entry.seq for entry in transcript] == list(range(1, len(transcript) + 1))
    assert window.next_seq == len(transcript) + 1
    await memory.close()


def test_two_processes_write_at_once_and_neither_fails(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    processes = [writer(path, 25) for _ in range(2)]

    said = [heard(process) for process in processes]

    assert [process.wait() for process in processes] == [0, 0]
    for process in processes:
        assert process.stdout
        process.stdout.close()
    db = open_database(path)
    assert nodes.count(db) == 100
    assert conversation.count_sessions(db) == 2
    for lines in said:
        acknowledged = [name for kind, name in lines if kind == "node"]
        transcript = conversation.transcript(db, lines[0][1])
        assert [entry.node for entry in transcript] == acknowledged
    db.close()
