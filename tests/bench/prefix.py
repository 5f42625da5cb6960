"""How much of each request repeats the one before it, over three processes of one session.

Three questions about a small repository, each in a new process with ``--yes``, the second and
third with ``--resume``, against the loopback provider. Prints for each request its tokens (four
characters each), how many of them a prefix cache would serve, the bound that a prompt reaches
which only grows, and BROKEN where it lies below; then the input in units of one uncached token,
where a cache read costs 0.1 and a cache write 1.25. Exit code 1 when any request is broken.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.bench.figures import Figures
from tests.doubles.layout import Share, shares, units
from tests.doubles.product import MODEL, run, sample_repository, world
from tests.doubles.provider import Block, Provider, blocks_of

QUESTIONS = (
    "Explain how retry works in this project",
    "Where is retry set in a.py?",
    "List the files again",
)
READING = (
    "ls -la",
    "wc -l *.py",
    "sed -n 1,120p a.py",
    "sed -n 1,120p b.py",
    "grep -n def *.py",
    "python3 a.py",
    "sed -n 120,240p a.py",
    "git log --oneline | head -5",
    "cat README.md",
    "python3 -m pytest -q || true",
)
SCRIPT = (
    Block("I read the files. The retry policy lives in a.py.", READING),
    Block("Done with the second question.", ("grep -n retry a.py", "sed -n 1,40p b.py", "echo ok")),
    Block("Done with the third.", ("ls", "cat README.md")),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this bench."""
    parser.add_argument("--script", type=Path, help="another script (JSON with blocks)")
    parser.add_argument("--log", type=Path, help="keep the requests here, one JSON a line")


def measure(given: argparse.Namespace) -> tuple[Figures, bool]:
    """The figures, and whether no request was broken."""
    script = blocks_of(given.script) if given.script else SCRIPT
    with (
        tempfile.TemporaryDirectory() as folder,
        Provider(script, log=given.log, report_cache=True) as provider,
    ):
        repository = sample_repository(Path(folder) / "repo")
        env = world(Path(folder) / "home", provider.url)
        for place, question in enumerate(QUESTIONS):
            resume = ["--resume"] if place else []
            done = run(
                ["--model", MODEL, "--yes", *resume, "-p", question], env=env, cwd=repository
            )
            if done.code != 0:
                raise SystemExit(f"growbox ended with {done.code}: {done.err or done.out}")
        found = shares(provider.requests)
    print_requests(found)
    return figures(found)


def print_requests(found: list[Share]) -> None:
    """One line for each request."""
    for place, each in enumerate(found):
        line = f"{place:3d}  tokens {each.size // 4:7d}  cached {each.cached // 4:7d}"
        print(f"{line}  bound {each.bound // 4:7d}{'  BROKEN' if each.broken else ''}")


def figures(found: list[Share]) -> tuple[Figures, bool]:
    """The figures of all requests together."""
    later = found[1:]
    size = max(1, sum(each.size for each in later))
    broken = sum(each.broken for each in found)
    told: Figures = {
        "requests": len(found),
        "first_tokens": found[0].size // 4 if found else 0,
        "cached_share": sum(each.cached for each in later) / size,
        "bound_share": sum(each.bound for each in later) / size,
        "broken": broken,
        "units_of_input": units(found),
    }
    return told, bool(found) and not broken
