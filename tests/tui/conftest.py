"""Which versions the pictures were drawn with, and a guard over drawing them anew."""

from __future__ import annotations

import asyncio
import platform
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot

from growbox_tui import asks
from tests.doubles.patience import FOR_EVER

PYTHON = "3.11"
"""The Python that draws: which characters it takes for wide or printable depends on it."""
DRAWN_BY = ("textual", "rich")
"""A cell's place and the SVG around it are their work, to the byte."""
MOMENT = 0.02
"""Seconds that pass at least before an app counts as still: one frame."""
REFUSED = pytest.StashKey[str]()


def pinned() -> dict[str, str]:
    """The exact versions in ``pyproject.toml``, with which the pictures were drawn."""
    path = Path(__file__).resolve().parents[2] / "pyproject.toml"
    wanted = tomllib.loads(path.read_text("utf-8"))["project"]["dependencies"]
    pins = dict(line.split("==") for line in wanted if "==" in line)
    return {name: pins[name] for name in DRAWN_BY}


def strangers() -> list[str]:
    """What is installed in another version than the one that drew, in words."""
    return [
        f"{name} {version(name)} is installed and {wanted} drew the pictures"
        for name, wanted in pinned().items()
        if version(name) != wanted
    ]


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Pictures are drawn anew with the pinned versions alone, else each update would differ.

    Elsewhere nothing is written or deleted, and each picture's test says why.
    """
    if not config.getoption("update_snapshots", default=False):
        return
    problems = strangers()
    python = ".".join(platform.python_version_tuple()[:2])
    if python != PYTHON:
        problems.append(f"this is Python {python}, and {PYTHON} drew the pictures")
    if problems:
        config.option.update_snapshots = False
        config.stash[REFUSED] = f"pictures are not drawn anew here: {'; '.join(problems)}"


def refusal(config: pytest.Config) -> str:
    """Why pictures are neither drawn nor compared in this run; empty where they are."""
    problems = strangers()
    compared = f"pictures cannot be compared: {'; '.join(problems)}" if problems else ""
    return config.stash.get(REFUSED, compared)


async def still(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until nothing but what waits for a timer, a thread or the outside is left to do.

    Textual's pilot takes a process that uses no time of the processor for one that has nothing to
    do. On a busy machine it may just have got none.
    """
    loop: Any = asyncio.get_running_loop()
    end = loop.time() + FOR_EVER
    while True:
        await asyncio.sleep(MOMENT)
        if not loop._ready:
            return
        assert loop.time() < end, "the app never stood still"


@pytest.fixture(autouse=True)
def pauses_until_all_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause of the pilot's, and each of its keys, lasts until the app has done what it has to."""
    monkeypatch.setattr(textual.app, "wait_for_idle", still)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", still)


@pytest.fixture(autouse=True)
def nobody_types(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pictures nobody types, so that a question need not wait for quiet to take the keys."""
    if request.node.path.name in ("test_snapshots.py", "test_contrast.py"):
        monkeypatch.setattr(asks, "QUIET_SECONDS", 0.0)
        monkeypatch.setattr(asks, "ARM_SECONDS", 0.0)
