"""The program itself against another's loopback provider, over three processes of one session."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from socket import socket
from typing import Any, TypeVar

from growbox_tui.agent.events import Event, PromptBuilt, UsageReported
from tests.doubles.patience import FOR_EVER
from tests.doubles.product import MODEL, run, sample_repository, world

Kind = TypeVar("Kind", bound=Event)


def against_peer(folder: Path) -> tuple[list[UsageReported], list[PromptBuilt]]:
    """What was reported and forecast when its script was played, each question in a process."""
    told: list[dict[str, Any]] = []
    questions = json.loads((folder / "script.json").read_text())["prompts"]
    with tempfile.TemporaryDirectory() as place, serving(folder, Path(place)) as url:
        repository = sample_repository(Path(place) / "repo")
        env = world(Path(place) / "home", url)
        for at, question in enumerate(questions):
            resume = ["--resume"] if at else []
            arguments = ["--model", MODEL, "--yes", "--output", "json", *resume, "-p", question]
            done = run(arguments, env=env, cwd=repository)
            if done.code != 0:
                raise SystemExit(f"growbox ended with {done.code}: {done.err or done.out}")
            told += [json.loads(line) for line in done.out.splitlines()]
    return of_kind(told, UsageReported), of_kind(told, PromptBuilt)


def of_kind(told: list[dict[str, Any]], kind: type[Kind]) -> list[Kind]:
    """The events of one kind, read back."""
    names = [each.name for each in fields(kind)]
    found = [event for event in told if event["event"] == kind.__name__]
    return [kind(**{name: event[name] for name in names if name in event}) for event in found]


@contextmanager
def serving(folder: Path, place: Path) -> Iterator[str]:
    """Its provider, reporting what a cache of whole prefixes would serve; the base URL."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [sys.executable, str(folder / "fake_provider.py"), "--port", str(port)]
    program += ["--log", str(place / "log.jsonl"), "--script", str(folder / "script.json")]
    server = subprocess.Popen([*program, "--report-cache"])
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(FOR_EVER)


def wait_for(port: int) -> None:
    """Return when something listens there."""
    while True:
        with socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
