"""Refresh: one job that never runs twice at once, however often it is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Refresh:
    """Asked again while the job runs, it runs once more afterwards, however often it was asked:
    the last run began after the last time of asking."""

    def __init__(self, job: Callable[[], Awaitable[None]]) -> None:
        self._job = job
        self._wanted = False
        self._running = False

    async def __call__(self) -> None:
        """Run the job, or leave it to the run that is under way. Raises what the job raises."""
        self._wanted = True
        if self._running:
            return
        self._running = True
        try:
            while self._wanted:
                self._wanted = False
                await self._job()
        finally:
            self._running = False
