"""Figures: what the status line shows of a session, gathered from its events."""

from __future__ import annotations

from dataclasses import dataclass, replace

from growbox_tui.agent.events import UsageReported


@dataclass(frozen=True, slots=True)
class Figures:
    """What the status line shows. ``None`` is "not known", never zero."""

    model: str = ""
    context: int | None = None
    used: int | None = None
    """Tokens of the last prompt: as reported, else as estimated."""
    cache_share: float | None = None
    """Cached part of the last prompt, 0 to 1."""
    state: str = "starting"
    input: int = 0
    output: int = 0
    """Tokens of this run, as far as they were reported."""
    requests: int = 0
    unreported: int = 0
    """Requests of which no usage was reported: stopped, failed, or by a silent provider."""

    def with_usage(self, event: UsageReported) -> Figures:
        """After one more request. What was not reported stays as estimated, or unknown."""
        share = None
        if event.input and event.cache_read is not None:
            share = event.cache_read / event.input
        return replace(
            self,
            used=self.used if event.input is None else event.input,
            cache_share=share,
            input=self.input + (event.input or 0),
            output=self.output + (event.output or 0),
            requests=self.requests + 1,
            unreported=self.unreported + (event.input is None),
        )
