"""JSON lines: one event, one line, on stdout and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from growbox_tui.agent.events import Event, to_json


class JsonFrontEnd:
    """Reads events and writes each as it is."""

    def __init__(self, write: Callable[[str], None]) -> None:
        """``write`` is given whole lines without their newline."""
        self._write = write

    def show(self, event: Event) -> None:
        """Write one event."""
        self._write(to_json(event))
