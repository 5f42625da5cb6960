"""What a command leaves behind: its output, and nothing else."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from executors import process_group
from executors.process import run_group
from executors.protocol import HandError
from executors.shell import environment
from tests.doubles.patience import FOR_EVER, leaping, until
from tests.executors.conftest import Bench


def is_gone(pid: int) -> bool:
    """Whether no process of that id runs; the dead that nobody reaped count as gone."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


async def gone(pid: int) -> None:
    await until(lambda: is_gone(pid), f"the end of {pid}")


async def written(path: Path) -> str:
    await until(lambda: path.exists() and path.read_text().strip(), f"the text of {path}")
    return path.read_text()


async def test_output_and_errors_come_in_the_order_written(bench: Bench) -> None:
    outcome = await bench.run("shell", command="echo a; echo b >&2; echo c")
    assert outcome.content == "a\nb\nc\n"
    assert "".join(bench.reported) == "a\nb\nc\n"


async def test_a_failing_command_is_an_answer(bench: Bench) -> None:
    outcome = await bench.run("shell", command="echo no; exit 3")
    assert outcome.content == "no\nexit 3"
    assert not outcome.is_error
    assert outcome.details.summary == "exit 3"


async def test_silence_says_how_it_ended(bench: Bench) -> None:
    assert (await bench.run("shell", command="true")).content == "exit 0"


async def test_a_signal_is_told_as_the_shell_tells_it(bench: Bench) -> None:
    assert (await bench.run("shell", command="kill -9 $$")).content == "exit 137"


async def test_it_runs_in_the_workspace(bench: Bench) -> None:
    outcome = await bench.run("shell", command="pwd")
    assert outcome.content.strip() == os.path.realpath(bench.root)


@pytest.mark.parametrize("command", ["cat", "read x; echo got $?", "python3 -i </dev/stdin"])
async def test_there_is_no_input_to_wait_for(bench: Bench, command: str) -> None:
    outcome = await bench.run("shell", command=command)
    assert not outcome.is_error


async def test_there_is_no_terminal(bench: Bench) -> None:
    outcome = await bench.run("shell", command="(exec 3</dev/tty) 2>/dev/null; tty; echo $TERM")
    assert outcome.content == "not a tty\ndumb\n"


async def test_a_background_child_neither_blocks_nor_survives(bench: Bench) -> None:
    outcome = await bench.run("shell", command="sleep 999 & echo $!")
    pid = int(outcome.content.split()[0])
    assert "background processes were ended" in outcome.content
    await gone(pid)


async def test_a_quiet_background_child_does_not_survive_either(bench: Bench) -> None:
    outcome = await bench.run("shell", command="sleep 999 >/dev/null 2>&1 & echo $!")
    await gone(int(outcome.content.split()[0]))


async def test_a_child_in_a_session_of_its_own_does_not_survive(bench: Bench) -> None:
    child = "setsid sh -c 'echo $$ > pid; exec sleep 999' >/dev/null 2>&1"
    command = f"{child} & until [ -s pid ]; do :; done"
    outcome = await bench.run("shell", command=command)
    assert "background processes were ended" in outcome.content
    await gone(int((bench.root / "pid").read_text()))


async def test_a_timeout_ends_grandchildren_that_refuse_to_go(bench: Bench) -> None:
    command = "bash -c 'trap \"\" TERM; echo $$; sleep 999 & wait; sleep 999'"
    with leaping() as leap:
        task = asyncio.create_task(bench.run("shell", command=command, timeout_s=500))
        await until(lambda: "\n" in "".join(bench.reported))
        leap(501)
        outcome = await task
    assert outcome.is_error
    assert "timed out after 500 s" in outcome.content
    await gone(int(outcome.content.split()[0]))


async def test_cancelling_ends_the_whole_group(bench: Bench) -> None:
    command = "bash -c 'sleep 999 & echo $! > pid; wait'"
    task = asyncio.create_task(bench.run("shell", command=command))
    pid = int(await written(bench.root / "pid"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, FOR_EVER)
    await gone(pid)


async def test_cancelling_twice_still_ends_what_refuses_to_go(bench: Bench) -> None:
    command = "trap '' TERM; echo $$ > pid; while true; do sleep 0.05; done"
    task = asyncio.create_task(bench.run("shell", command=command))
    pid = int(await written(bench.root / "pid"))
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, FOR_EVER)
    await gone(pid)


async def test_what_was_printed_before_a_cancel_is_reported(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_group, "GRACE", FOR_EVER / 4)
    command = "trap 'printf \" bye\"; exit' TERM; echo whole; printf 'héld back'; echo > here"
    task = asyncio.create_task(bench.run("shell", command=command + "; sleep 999 & wait"))
    await until((bench.root / "here").exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, FOR_EVER)
    assert "".join(bench.reported) == "whole\nhéld back bye"


async def test_what_was_printed_is_reported_even_when_it_was_never_read(bench: Bench) -> None:
    task = asyncio.create_task(bench.run("shell", command="printf unread; echo > here; sleep 999"))
    while not (bench.root / "here").exists():
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, FOR_EVER)
    assert "".join(bench.reported) == "unread"


@pytest.mark.parametrize("turns", range(1, 7))
async def test_a_command_cancelled_while_it_starts_leaves_nothing(bench: Bench, turns: int) -> None:
    before = our_children()
    task = asyncio.create_task(bench.run("shell", command="sleep 999 & sleep 999"))
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, FOR_EVER)
    assert our_children() <= before


KILLED = """
import asyncio, sys
from executors.protocol import Job
from executors.shell import Shell
from executors.workspace import Workspace
command = sys.argv[1]
asyncio.run(Shell(Workspace(".")).run({"command": command}, Job("c1")))
"""


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > pid; sleep 999; true",
        "sh -c 'trap \"\" TERM HUP; echo $$ > pid; while :; do sleep 9; done'; true",
        "setsid sh -c 'echo $$ > pid; sleep 999; true'; true",
    ],
)
async def test_nothing_survives_the_sudden_death_of_the_program(
    tmp_path: Path, command: str
) -> None:
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, command, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    pid = int(await written(tmp_path / "pid"))
    program.kill()
    await program.wait()
    await gone(pid)


async def test_the_guard_goes_with_its_command(bench: Bench) -> None:
    before = our_children()
    await bench.run("shell", command="true")
    assert our_children() <= before


def our_children() -> set[str]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="latin-1").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[1] == str(os.getpid()):
            found.add(path.parent.name)
    return found


async def test_no_descriptor_is_left_open(bench: Bench) -> None:
    await bench.run("shell", command="true")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        await bench.run("shell", command="echo x; sleep 999 &")
    assert len(os.listdir("/proc/self/fd")) == before


async def test_much_output_comes_whole(bench: Bench) -> None:
    outcome = await bench.run("shell", command="seq 1 60000")
    assert outcome.content.splitlines() == [str(n) for n in range(1, 60001)]


async def test_gbk_output_is_read(bench: Bench) -> None:
    (bench.root / "o").write_bytes("编译成功\n".encode("gbk"))
    assert (await bench.run("shell", command="cat o")).content == "编译成功\n"


async def test_what_cannot_be_run_is_refused(bench: Bench) -> None:
    for arguments in (
        {"command": "  "},
        {"command": "a\0b"},
        {"command": "true", "timeout_s": 0},
        {"command": "true", "timeout_s": 99_999},
    ):
        with pytest.raises(HandError):
            await bench.run("shell", **arguments)


async def test_a_missing_program_is_an_os_error(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="nothing-here"):
        await run_group(("./nothing-here",), tmp_path, {}, FOR_EVER, lambda data: None)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_environment_is_plain_and_runs_no_code_first() -> None:
    made = environment({"PATH": "/bin", "TERM": "xterm", "BASH_ENV": "x", "FORCE_COLOR": "1"})
    assert made["PATH"] == "/bin"
    assert made["TERM"] == "dumb"
    assert made["PAGER"] == "cat"
    assert not {"BASH_ENV", "FORCE_COLOR"} & made.keys()
