"""How fast it starts, how much it holds, and whether keys echo while the turn is busy.

help_s, version_s       ``growbox --help`` and ``--version``, start to exit
version_imports_heavy   whether either imports the screen, a provider's library or numpy
first_paint_s           from start to the first 400 bytes on a 120x36 terminal
composer_s              from start to the composer's words on the screen
rss_mb                  the whole tree of processes, 5 s after the first paint
key_echo_ms_p50, _p95   from a key to its echo, while every write behind the turn blocks 250 ms
headless_s, _rss_mb     ``growbox -p hi`` from start to exit, recall on, with a fresh memory
headless_10k_s, …       the same with 10,000 nodes, all embedded

Times and sizes are medians of ``--runs``; the machine should be idle.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figures import Figure, Figures, median_of, percentile
from tests.bench.fill import filled
from tests.doubles.product import MODEL, command, run, run_program, sample_repository, world
from tests.doubles.provider import Block, Provider
from tests.doubles.terminal import Terminal

HEAVY = ("textual", "litellm", "llama_cpp", "numpy", "apsw", "httpx", "tokenizers")
LISTING = "import sys\nfrom growbox_tui.cli import main\nsys.argv = ['growbox', {option!r}]\n" + (
    "try:\n    main()\nexcept SystemExit:\n    pass\nprint('\\x1e' + ' '.join(sys.modules))\n"
)
PAINTED_BYTES = 400
SETTLED_S = 5.0
BLOCK_MS = 250
INVITATION = "Ask, or /"
"""The first words of the composer while it is empty."""
TYPED = "thequickbrownfoxjumpsoverthelazydogandrunsonandon"
"""Without blanks, since a blank's echo cannot be seen."""
ROOT = Path(__file__).resolve().parents[2]
KEY_EVERY_S = 0.06
PARTS = ("help", "paint", "echo", "headless", "many")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=10_000, help="size of the large memory")
    parser.add_argument("--question", default="hi", help="what is asked without a screen")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, help="measure these parts alone"
    )


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """All figures asked for; the bench only measures, so it is never unsound."""
    found: dict[str, Figure] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository = sample_repository(folder / "repo")
        if "help" in given.only:
            found |= of_help(folder, given.runs)
        if "paint" in given.only:
            found |= of_paint(folder, repository, given.runs)
        if "echo" in given.only:
            found |= of_echo(folder, repository)
        if "headless" in given.only:
            found |= of_headless("headless", folder, repository, given, None)
        if "many" in given.only:
            memory = filled(folder / "large.db", given.nodes, repository)
            name = "headless_10k" if given.nodes == 10_000 else f"headless_{given.nodes}"
            found |= of_headless(name, folder, repository, given, memory)
    return found, True


def of_help(folder: Path, runs: int) -> Figures:
    """Telling about itself."""
    env = world(folder / "home")

    def seconds(option: str) -> float:
        return median_of(runs, lambda: run([option], env=env, cwd=folder).seconds)

    def heavy(option: str) -> set[str]:
        program = [sys.executable, "-c", LISTING.format(option=option)]
        told = run_program(program, env=env, cwd=folder)
        loaded = {each.partition(".")[0] for each in told.out.rpartition("\x1e")[2].split()}
        return loaded & set(HEAVY)

    return {
        "help_s": seconds("--help"),
        "version_s": seconds("--version"),
        "version_imports_heavy": bool(heavy("--help") | heavy("--version")),
    }


def of_paint(folder: Path, repository: Path, runs: int) -> Figures:
    """The first picture, and what is resident when it has settled."""
    with Provider([Block("Hello.")]) as provider:
        env = world(folder / "home-paint", provider.url)
        seen = [paint(env, repository) for _ in range(runs)]
    firsts, composers, sizes = zip(*seen, strict=True)
    return {
        "first_paint_s": statistics.median(firsts),
        "composer_s": statistics.median(composers),
        "rss_mb": statistics.median(sizes),
    }


def paint(env: dict[str, str], repository: Path) -> tuple[float, float, float]:
    """One start: seconds to the first paint, to the composer's words, and MiB when settled."""
    with Terminal(command("--model", MODEL), env=env, cwd=repository) as terminal:
        first = terminal.until(lambda: terminal.written > PAINTED_BYTES, 20, "the first paint")
        composer = terminal.until(lambda: composer_stands(terminal), 20, "waiting for the composer")
        terminal.rest(SETTLED_S)
        return first, composer, terminal.resident_mb()


def composer_stands(terminal: Terminal) -> bool:
    """Whether the words that invite typing stand on the screen."""
    return INVITATION in terminal.screen.text


def of_echo(folder: Path, repository: Path) -> Figures:
    """Keys typed while a turn runs whose every write blocks behind it."""
    reads = [("read_file", {"path": "a.py", "start": n, "end": n + 9}) for n in range(1, 200)]
    with Provider([Block("Done.", tuple(reads))], delay_s=0.02) as provider:
        env = world(folder / "home-echo", provider.url, PYTHONPATH=str(ROOT))
        program = [sys.executable, "-m", "tests.bench.blocked", str(BLOCK_MS), "--model", MODEL]
        with Terminal(program, env=env, cwd=repository) as terminal:
            terminal.until(lambda: composer_stands(terminal), 30, "waiting for the composer")
            terminal.send("Read it all\r")
            terminal.until(lambda: bool(provider.requests), 30, "waiting for the first request")
            before = len(provider.requests)
            echoes = [echo(terminal, TYPED[:place]) for place in range(1, len(TYPED) + 1)]
            requests = len(provider.requests) - before
    return {
        "key_echo_ms_p50": percentile(echoes, 0.5),
        "key_echo_ms_p95": percentile(echoes, 0.95),
        "key_echo_requests": requests,
    }


def echo(terminal: Terminal, typed: str) -> float:
    """Milliseconds from the last key of ``typed`` to the whole of it on the screen."""
    terminal.rest(KEY_EVERY_S)
    begun = time.monotonic()
    terminal.send(typed[-1])
    terminal.until(lambda: typed in terminal.screen.text, 10, f"waiting for the echo of {typed!r}")
    return (time.monotonic() - begun) * 1000


def of_headless(
    name: str, folder: Path, repository: Path, given: argparse.Namespace, memory: Path | None
) -> Figures:
    """One question without a screen, each time with the same memory."""
    seconds, sizes = [], []
    with Provider([Block("Hello.")]) as provider:
        for place in range(given.runs):
            env = world(folder / f"home-{name}-{place}", provider.url)
            file = folder / f"{name}-{place}.db"
            if memory is not None:
                shutil.copyfile(memory, file)
            arguments = ["--memory", str(file), "--model", MODEL, "-p", given.question]
            done = run(arguments, env=env, cwd=repository)
            if done.code != 0 or "Hello." not in done.out:
                raise SystemExit(f"growbox ended with {done.code}: {done.err or done.out}")
            seconds.append(done.seconds)
            sizes.append(done.peak_mb)
    return {f"{name}_s": statistics.median(seconds), f"{name}_rss_mb": statistics.median(sizes)}
