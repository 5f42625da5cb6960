"""Expected: a request that is about to go out, and what its cache should serve."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from growbox_tui.agent.events import Event, Retrying, TextDelta, ThinkingDelta
from growbox_tui.agent.forecast import Forecast
from growbox_tui.agent.ledger import Ledger
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
    begun: bool = False
    """Whether its last try was answered with a piece of a reply: then its prompt has been read."""
    read: bool = False
    """Whether that holds of a try before the last."""

    def telling(self, publish: Callable[[Event], None]) -> Callable[[Event], None]:
        """Publishes, and notes whether the request is sent anew, and how far a try came."""

        def tell(event: Event) -> None:
            if isinstance(event, TextDelta | ThinkingDelta):
                self.begun = True
            elif isinstance(event, Retrying):
                self.again, self.read, self.begun = True, self.read or self.begun, False
            publish(event)

        return tell
