"""Call ids that we give ourselves, where no provider does: ``call_1``, ``call_2`` …"""

from __future__ import annotations

import re
from collections.abc import Iterable

from growbox_tui.agent.messages import Message

_OURS = re.compile(r"call_(\d{1,9})")


def last_call_number(messages: Iterable[Message]) -> int:
    """The highest number among the ids of this form in a conversation, 0 if there is none."""
    numbers = [
        int(found[1])
        for message in messages
        for call in message.calls
        if (found := _OURS.fullmatch(call.id))
    ]
    return max(numbers, default=0)
