"""The product with a slow disk and a slow embedder: every write and every vector takes longer.

    python -m tests.bench.blocked MILLISECONDS [ARGUMENT …]

Used by the bench ``start`` to see whether keys still echo while something blocks behind the turn.
Nothing else is changed; the calls block the threads that make them, as a slow disk would.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from growbox_tui.cli import main
from memory.hyperspace.embedders.static_embedder import StaticEmbedder
from memory.store import database


def slow_down(seconds: float) -> None:
    """Let each commit and each call of the embedder block for so long."""

    def slower(call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def blocking(*given: Any, **named: Any) -> Any:
            time.sleep(seconds)
            return call(*given, **named)

        return blocking

    database.Database.transaction = slower(database.Database.transaction)  # type: ignore[method-assign]
    StaticEmbedder.embed = slower(StaticEmbedder.embed)  # type: ignore[method-assign]


def run(arguments: Sequence[str]) -> None:
    """Start growbox so slowed down."""
    slow_down(float(arguments[0]) / 1000)
    sys.argv = ["growbox", *arguments[1:]]
    main()


if __name__ == "__main__":
    run(sys.argv[1:])
