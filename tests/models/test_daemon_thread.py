import asyncio
import subprocess
import sys
import threading

import pytest

from growbox_tui.models.daemon_thread import in_daemon_thread
from tests.doubles.patience import FOR_EVER

STUCK_WORK = """
import asyncio, threading
from growbox_tui.models.daemon_thread import in_daemon_thread

async def main():
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def work():
        loop.call_soon_threadsafe(started.set)
        threading.Event().wait()

    task = asyncio.create_task(in_daemon_thread(work))
    await started.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()

asyncio.run(main())
"""
BUSY_WORK = """
import asyncio
from growbox_tui.models.daemon_thread import in_daemon_thread

async def main():
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def work():
        loop.call_soon_threadsafe(started.set)
        try:
            while True:
                pass
        finally:
            print("stopped", flush=True)

    task = asyncio.create_task(in_daemon_thread(work))
    await started.wait()
    task.cancel()
    await asyncio.wait([task])

asyncio.run(main())
"""
STUCK_IMPORT = """
import asyncio, sys, threading
from tests.doubles.collect import collect
from growbox_tui.models.litellm_model import LitellmModel
from growbox_tui.models.protocol import Request

class Stuck:
    def __init__(self):
        self.asked = threading.Event()

    def find_spec(self, name, path=None, target=None):
        if name == "litellm":
            self.asked.set()
            threading.Event().wait()

async def main():
    stuck = Stuck()
    sys.meta_path.insert(0, stuck)
    task = asyncio.create_task(collect(LitellmModel("gemini/m"), Request((), (), ())))
    while not stuck.asked.is_set():
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()

asyncio.run(main())
"""


async def test_what_the_work_returns_and_raises_comes_back():
    def fail() -> None:
        raise KeyError("x")

    assert await in_daemon_thread(lambda: 7) == 7
    with pytest.raises(KeyError):
        await in_daemon_thread(fail)


async def test_work_that_ends_after_it_was_cancelled_disturbs_nobody():
    go, ended = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        ended.set()

    task = asyncio.create_task(in_daemon_thread(work))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    go.set()
    while not ended.is_set():
        await asyncio.sleep(0)
    assert task.cancelled()


@pytest.mark.parametrize("code", [STUCK_WORK, STUCK_IMPORT], ids=["work", "import of litellm"])
def test_a_program_ends_though_cancelled_work_never_does(code: str):
    ended = subprocess.run(
        [sys.executable, "-c", code], timeout=FOR_EVER, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_work_that_still_runs_is_stopped_before_the_interpreter_would_cut_it_off():
    command = [sys.executable, "-c", BUSY_WORK]
    ended = subprocess.run(command, timeout=FOR_EVER, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "stopped\n", "")
