"""Ripgrep: where the program is, and its output line by line."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import cache
from pathlib import Path

from executors.protocol import HandError

LINE_LIMIT = 1 << 20
"""Bytes of one line of output; file names and cut matches stay far below."""
SECONDS = 60


@cache
def ripgrep() -> str | None:
    """The program: beside the Python that runs us (its wheel puts it there), else on the path."""
    beside = Path(sys.executable).with_name("rg.exe" if os.name == "nt" else "rg")
    return str(beside) if beside.is_file() else shutil.which("rg")


def common_options() -> list[str]:
    """Hidden files too, ignore files obeyed also outside a repository, an order that stays, and
    never the repository's own store (so these go last: the last glob wins)."""
    return [
        "--no-config",
        "--color=never",
        "--hidden",
        "--no-require-git",
        "--sort=path",
        "--glob=!.git",
    ]


async def ripgrep_lines(
    options: Sequence[str], folder: Path, separator: bytes = b"\n"
) -> AsyncGenerator[str, None]:
    """Its output, one line at a time; stopping early ends the program.

    Raises ``HandError`` for a bad pattern or glob, and after a minute. Names that are not UTF-8
    come with their bytes spelled.
    """
    program = ripgrep()
    if program is None:
        raise HandError("ripgrep is not installed.")
    process = await asyncio.create_subprocess_exec(
        program,
        *options,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        limit=LINE_LIMIT,
    )
    assert process.stdout is not None and process.stderr is not None
    complaints = asyncio.ensure_future(process.stderr.read())
    try:
        async with asyncio.timeout(SECONDS):
            async with aclosing(_records(process.stdout, separator)) as records:
                async for record in records:
                    yield record.decode("utf-8", "backslashreplace")
            said = await complaints
            if await process.wait() == 2 and not _unreadable_only(said):
                raise HandError(_complaint(said))
    except TimeoutError as error:
        raise HandError(f"The search took more than {SECONDS} s; narrow it.") from error
    finally:
        if process.returncode is None:
            process.kill()
        await asyncio.shield(_let_go(process, complaints))


async def _let_go(process: asyncio.subprocess.Process, complaints: asyncio.Future[bytes]) -> None:
    """Read on to the end: a reader that is full has paused its pipe, and would never hear of it."""
    assert process.stdout is not None
    while await process.stdout.read(LINE_LIMIT):
        pass
    await complaints
    await process.wait()


async def _records(stream: asyncio.StreamReader, separator: bytes) -> AsyncGenerator[bytes, None]:
    while True:
        try:
            yield (await stream.readuntil(separator))[: -len(separator)]
        except asyncio.IncompleteReadError as error:
            if error.partial:
                yield error.partial
            return


def _unreadable_only(said: bytes) -> bool:
    """Status 2 also means that some file could not be read; the rest was searched all the same."""
    rows = [row for row in said.decode("utf-8", "replace").splitlines() if row]
    return all("os error" in row for row in rows) and bool(rows)


def _complaint(said: bytes) -> str:
    words = said.decode("utf-8", "replace").strip().removeprefix("rg: ")
    return f"The search was not understood: {words[:600]}"
