"""Expected: a request that is about to go out, and what its cache should serve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from growbox_tui.agent.events import Event, Retrying
from growbox_tui.agent.ledger import Forecast, Ledger
from growbox_tui.agent.prompt import Prompt
from growbox_tui.models.protocol import Model, Request


@dataclass(slots=True)
class Expected:
    """One request, from its forecast until its report; and after it, as the newest one."""

    model: Model
    prompt: Prompt
    request: Request
    ledger: Ledger
    forecast: Forecast
    number: int
    """Counts requests of the session from 1."""
    epoch: int
    again: bool = False
    """Whether it had to be sent more than once."""

    def telling(self, publish: Callable[[Event], None]) -> Callable[[Event], None]:
        """Publishes, and notes whether the request is sent anew."""

        def tell(event: Event) -> None:
            self.again = self.again or isinstance(event, Retrying)
            publish(event)

        return tell
