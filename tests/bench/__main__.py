"""Measures the product: ``python -m tests.bench NAME [--json] [ARGUMENT …]``.

Prints a table; with ``--json`` one JSON object of figures as the last line as well. ``--list``
names what can be measured.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Protocol

from tests.bench.figures import Figures, as_json, machine, table

BENCHES = {
    "start": "how fast it starts, what it holds, whether keys echo while a turn is busy",
    "prefix": "how much of each request a prefix cache would serve, over three processes",
    "recall": "how well recall finds, beside plain ways, and how still it is with nothing to find",
    "learning": "whether memory gets cheaper and better with use",
    "judge": "what the model that reads memories is good for, on questions with known evidence",
    "scale": "how search and writing stand up to a million memories",
    "cache": "what prompt layouts cost at a provider's cache, over recorded sessions",
    "agreement": "whether forecasts are what providers' caches then report, over whole sessions",
    "local": "whether the local voice foresees its cache, and how soon a process goes on",
    "kill": "what is on file after kill -9 at random moments",
}
"""Each name is a module of this folder; only the one that is run is imported."""


class Bench(Protocol):
    """What each of those modules holds."""

    __doc__: str | None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of its own."""

    def measure(self, given: argparse.Namespace) -> tuple[Figures, bool]:
        """The figures, and whether nothing was found broken."""


def bench(name: str) -> Bench:
    """The module of a bench."""
    found: Bench = importlib.import_module(f"tests.bench.{name}")
    return found


def parser_of(name: str) -> argparse.ArgumentParser:
    """The command line of one bench."""
    one = bench(name)
    parser = argparse.ArgumentParser(
        prog=f"python -m tests.bench {name}",
        description=one.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="end with one JSON object of figures")
    one.add_arguments(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run one bench; the exit code: 0, 1 when it found something broken, 2 for usage."""
    name = next((each for each in arguments if not each.startswith("-")), "")
    if "--list" in arguments:
        print("\n".join(f"{each:<15} {words}" for each, words in BENCHES.items()))
        return 0
    if name not in BENCHES:
        print(f"which one? {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    rest = list(arguments)
    rest.remove(name)
    given = parser_of(name).parse_args(rest)
    print(machine(), flush=True)
    figures, sound = bench(name).measure(given)
    print(table(figures))
    if given.json:
        print(as_json(figures))
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
