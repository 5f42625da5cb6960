"""Recall: the hand that asks long-term memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from executors.hand_words import STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome

SCHEME = "mem://"

Look = Callable[[str], Awaitable[str]]
"""A question to what memory knows of it, in words; empty when it knows nothing."""
Page = Callable[[str], Awaitable[str | None]]
"""An address to the whole text behind it; ``None`` when there is none."""


class Recall:
    """Reaches memory through two functions, and so knows nothing of how it is kept."""

    def __init__(self, look: Look, page: Page) -> None:
        self._look = look
        self._page = page
        self.spec: ExecutorSpec = spec_of("recall", {}, query=STRING, address=STRING)

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """Nothing outside memory is touched. Raises ``HandError`` unless there is one of query
        and address."""
        _wanted(arguments)
        return ()

    def preview(self, arguments: Arguments) -> Details:
        """What is looked for."""
        return Details("memory", arguments.get("address") or arguments.get("query") or "")

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """What was found. Finding nothing is an answer; an address without a text is an error."""
        query, address = _wanted(arguments)
        if address:
            text = await self._page(address)
            if text is None:
                raise HandError(f"Nothing is remembered under {address}.")
            return Outcome(text, Details("memory", address, f"{len(text)} characters", text))
        text = await self._look(query)
        words = text or "Nothing is remembered about that."
        return Outcome(words, Details("memory", query, "" if text else "nothing", text))


def _wanted(arguments: Arguments) -> tuple[str, str]:
    """(query, address); one of them is empty. An address given as query is taken as one."""
    query = arguments.get("query", "").strip()
    address = arguments.get("address", "").strip()
    if query.startswith(SCHEME) and not address:
        query, address = "", query
    if bool(query) == bool(address):
        raise HandError("Give either a query or an address.")
    if address and not address.startswith(SCHEME):
        raise HandError(f"An address begins with {SCHEME}.")
    return query, address
