"""Orphan guard: a command ends also when the program that started it is killed outright.

No handler runs after SIGKILL, and a death signal set by ``prctl`` reaches only the shell and not
what it started. So a tiny shell waits beside each command on a pipe that only we hold: when we
die, however we die, the system closes the pipe, and the shell ends what is left.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_SHELL = "/bin/sh"
_SCRIPT = """
read -r group
read -r never
[ -n "$group" ] && kill -KILL -- "-$group"
for round in 1 2 3 4 5; do
  for path in $(grep -lF -e "$1" /proc/[0-9]*/environ); do
    process=${path#/proc/}
    kill -KILL "${process%/environ}"
  done
  sleep 0.1
done
"""
"""``$1`` is the environment entry that the command and all it starts carry: it finds those that
left the group, and a command whose group we had no time to tell. Its last rounds find what was
being started while the first ones looked. Without ``/proc`` the group alone is ended."""


@contextmanager
def orphan_guard(entry: str) -> Iterator[Callable[[int], None]]:
    """While it is entered, our death ends the command; give it the process group once there is
    one. ``entry`` is ``NAME=value`` of the command's environment, unlike any other's. Raises
    ``OSError`` where no process can be started."""
    reading, writing = os.pipe()
    try:
        guard = subprocess.Popen(
            (_SHELL, "-c", _SCRIPT, "growbox-guard", entry),
            stdin=reading,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",  # it must not keep a folder of the user's busy
            env={"PATH": os.defpath},  # without the marks of commands, which would end it too
            start_new_session=True,  # a terminal that closes ends our group, not this
        )
    except OSError:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    try:
        yield lambda group: _tell(writing, group)
    finally:
        guard.kill()
        guard.wait()
        os.close(writing)


def _tell(writing: int, group: int) -> None:
    # Someone may have ended the guard; the command runs on without one.
    with suppress(BrokenPipeError):
        os.write(writing, f"{group}\n".encode())
