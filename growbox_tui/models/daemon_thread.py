"""Daemon thread: slow work off the loop that nobody has to wait for.

``asyncio.to_thread`` cannot do it: its threads are joined when the loop and the interpreter end, so
a cancelled import of several seconds would hold up the way out.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

Value = TypeVar("Value")

LAST_S = 0.8
"""Seconds that the end of the program waits for a thread which was told to stop."""
_ASK_S = 0.02


async def in_daemon_thread(work: Callable[[], Value]) -> Value:
    """What ``work`` returns or raises. Cancelling ends the wait at once; the work itself goes on
    unheard until it is done or the program ends, which stops it wherever it is: it must leave
    nothing half written."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Value] = loop.create_future()

    def settle(put: Callable[[], None]) -> None:
        if not done.done():
            put()

    def tell(put: Callable[[], None]) -> None:
        # The loop may be closed by now; then nobody waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, put)

    def run() -> None:
        try:
            value = work()
        except Exception as error:  # noqa: BLE001
            # Whatever it is belongs to the one who waits.
            failure = error
            tell(lambda: done.set_exception(failure))
        else:
            tell(lambda: done.set_result(value))

    thread = threading.Thread(target=run, name="growbox-work", daemon=True)
    thread.start()
    stop = partial(_stop, thread)
    atexit.register(stop)
    try:
        return await done
    finally:
        if not done.cancelled():
            atexit.unregister(stop)


def _stop(thread: threading.Thread) -> None:
    """Raise ``SystemExit`` in a thread until it ends, for at most ``LAST_S``. The interpreter
    would cut it off in any case, but within native code that aborts the whole process."""
    for _ in range(int(LAST_S / _ASK_S)):
        if not thread.is_alive() or thread.ident is None:
            return
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
        )
        thread.join(_ASK_S)
