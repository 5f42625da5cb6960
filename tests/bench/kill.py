"""kill -9 at random moments of a session: what was shown as finished must be on file.

Each round plays a session of several tool calls with ``--output json``, kills it a random moment
after a random one of its events, and then looks: the memory file opens; every message that an
event told as finished is in it; and the session resumes with each tool call answered. Exit code 1
when any round fails.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from growbox_tui.agent.events import (
    Event,
    MessageEnded,
    Rebased,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    from_json,
)
from memory import Memory, MemoryFileError
from tests.bench.figures import Figures
from tests.doubles.product import MODEL, command, run, sample_repository, world
from tests.doubles.provider import Block, Body, Provider

QUESTION = "Explain how retry works in this project"
COMMANDS = ("ls -la", "wc -l *.py", "cat README.md", "grep -n retry a.py", "sed -n 1,60p b.py")
SCRIPT = (Block("The retry policy lives in a.py, as the files that I read say.", COMMANDS),)


LINGER_S = 0.03
"""Up to so long after its event the kill comes: about the time from one event to the next."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When to kill: so many seconds after the event of this number, counted from 0."""

    event: int
    seconds: float


@dataclass(slots=True)
class Round:
    """One session that was killed."""

    moment: Moment | None
    """``None`` for one that was left alone."""
    told: list[Event] = field(default_factory=list)
    """The events that had come out by then."""
    faults: list[str] = field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None, help="repeat a run's moments")
    parser.add_argument(
        "--window", type=int, default=None, help="tokens of a prompt; few, and epochs end all along"
    )


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures, and whether every round was sound."""
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(10**6)
    chance = random.Random(seed)
    whole, epochs = undisturbed(given.window)
    rounds = [
        play(Moment(chance.randrange(-1, whole), chance.uniform(0.0, LINGER_S)), given.window)
        for _ in range(given.rounds)
    ]
    for place, each in enumerate(rounds):
        for fault in each.faults:
            print(f"round {place}, {each.moment}: {fault}")
    counts = [len(each.told) for each in rounds]
    bad = sum(bool(each.faults) for each in rounds)
    figures: Figures = {
        "rounds": len(rounds),
        "seed": seed,
        "events_of_whole": whole,
        "epochs_of_whole": epochs,
        "events_before_kill_median": statistics.median(counts),
        "killed_after_first_message": sum(any(finished(each)) for each in rounds),
        "bad_rounds": bad,
    }
    return figures, not bad


def undisturbed(window: int | None) -> tuple[int, int]:
    """How many events the session has when nobody kills it, and how many epochs begin in it."""
    each = play(None, window)
    if each.faults:
        raise SystemExit(f"the session fails without being killed: {each.faults}")
    return len(each.told), 1 + sum(isinstance(event, Rebased) for event in each.told)


def play(moment: Moment | None, window: int | None = None) -> Round:
    """One session, killed at a moment (``None``: never), and looked at. ``window``: tokens of its
    prompt at most, where that is set."""
    options = {"delay_s": 0.02, "forgetful": window is not None}
    with tempfile.TemporaryDirectory() as name, Provider(SCRIPT, **options) as provider:
        folder = Path(name)
        repository = sample_repository(folder / "repo")
        file = folder / "memory.db"
        env = world(folder / "home", provider.url)
        if window is not None:
            settings = Path(env["GROWBOX_HOME"], "config.toml")
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(f"window = {window}\n", encoding="utf-8")
        each = killed(repository, env, file, moment)
        if file.exists():
            each.faults += asyncio.run(faults_on_file(file, each))
            each.faults += faults_of_resuming(repository, env, file, provider, each)
        elif any(finished(each)):
            each.faults.append("messages were told as finished, but there is no memory file")
        return each


def killed(repository: Path, env: dict[str, str], file: Path, moment: Moment | None) -> Round:
    """Run the session and kill its whole process group in time."""
    arguments = ["--model", MODEL, "--memory", str(file), "--yes", "--output", "json"]
    child = subprocess.Popen(
        command(*arguments, "-p", QUESTION),
        env=env,
        cwd=repository,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with child:
        assert child.stdout is not None
        lines = list(itertools.islice(child.stdout, moment.event + 1 if moment else None))
        if moment is not None:
            time.sleep(moment.seconds)
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            lines += child.stdout
    each = Round(moment, [from_json(line) for line in lines if line.endswith("\n")])
    if moment is None and not any(isinstance(event, TurnEnded) for event in each.told):
        each.faults.append(f"it ended with {child.returncode} and without the end of a turn")
    return each


def finished(each: Round) -> Iterator[tuple[str, str]]:
    """``(address, words)`` of every message told as finished; the address may be empty."""
    for event in each.told:
        if isinstance(event, TurnStarted) or (isinstance(event, MessageEnded) and event.text):
            yield event.address, event.text
        elif isinstance(event, ToolEnded):
            yield event.address, ""


async def faults_on_file(file: Path, each: Round) -> list[str]:
    """What is missing from the memory file; nothing when all is well."""
    try:
        memory = await Memory.open(file)
    except MemoryFileError as error:
        return [f"the memory file does not open: {error.text}"]
    try:
        found = []
        sessions = await memory.sessions()
        bodies = [entry.body for info in sessions for entry in await memory.transcript(info.id)]
        for address, words in finished(each):
            node = await memory.refer(address) if address else None
            if address and node is None:
                found.append(f"{address} was told as finished and is not on file")
            if words and not any(json.dumps(words, ensure_ascii=False)[1:-1] in b for b in bodies):
                found.append(f"{words!r} was told as finished and is in no transcript")
        return found
    finally:
        await memory.close()


def faults_of_resuming(
    repository: Path, env: dict[str, str], file: Path, provider: Provider, each: Round
) -> list[str]:
    """What is wrong with the session that goes on; nothing when all is well."""
    before = len(provider.requests)
    arguments = ["--model", MODEL, "--memory", str(file), "--yes", "--resume", "-p", "Go on"]
    done = run(arguments, env=env, cwd=repository)
    if done.code != 0:
        return [f"resuming ended with {done.code}: {done.err[-300:]}"]
    bodies = provider.requests[before:]
    found = [] if bodies else ["resuming sent no request"]
    for body in bodies:
        found += unanswered(body)
    asked = any(isinstance(event, TurnStarted) for event in each.told)
    if asked and bodies and QUESTION not in json.dumps(bodies[0], ensure_ascii=False):
        found.append("the resumed session does not hold the question")
    return found


def unanswered(body: Body) -> list[str]:
    """Tool calls that no tool message answers right behind them, or answers without a call."""
    found: list[str] = []
    waiting: list[str] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                found.append(f"a result answers no call: {message['tool_call_id']}")
            continue
        found += [f"call {call} was not answered" for call in waiting]
        waiting = [call["id"] for call in message.get("tool_calls") or []]
    return found + [f"call {call} was not answered" for call in waiting]
