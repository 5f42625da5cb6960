"""Recall: the hand that asks long-term memory."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from executors.hand_words import BOOLEAN, STRING, spec_of
from executors.protocol import Arguments, Claim, Details, ExecutorSpec, HandError, Job, Outcome
from executors.text_pages import page_of, passages

SCHEME = "mem://"
_OFFSET = re.compile(r"[0-9]{1,12}")

Look = Callable[[str, bool], Awaitable[str]]
"""A question, and whether to go on to what is unread, to what memory knows of it, in words; empty
when it knows nothing."""
Page = Callable[[str], Awaitable[str | None]]
"""An address, without an offset, to the whole text behind it; ``None`` when there is none."""


class Recall:
    """Reaches memory through two functions, and so knows nothing of how it is kept."""

    def __init__(self, look: Look, page: Page) -> None:
        self._look = look
        self._page = page
        self.spec: ExecutorSpec = spec_of(
            "recall", {}, query=STRING, address=STRING, deeper=BOOLEAN
        )

    def claims(self, arguments: Arguments) -> Sequence[Claim]:
        """Nothing outside memory is touched. Raises ``HandError`` without query and address, and
        for what is no address."""
        _wanted(arguments)
        return ()

    def preview(self, arguments: Arguments) -> Details:
        """What is looked for, and where."""
        given = (arguments.get("query"), arguments.get("address"))
        return Details("memory", " in ".join(filter(None, given)))

    async def run(self, arguments: Arguments, job: Job) -> Outcome:
        """What was found. Finding nothing is an answer; an address without a text is an error."""
        query, address, start = _wanted(arguments)
        if not address:
            text = await self._look(query, bool(arguments.get("deeper")))
            words = text or "Nothing is remembered about that."
            return Outcome(words, Details("memory", query, "" if text else "nothing", text))
        whole = await self._page(address)
        if whole is None:
            raise HandError(f"Nothing is remembered under {address}.")
        if start and start >= len(whole):
            raise HandError(f"{address} has {len(whole)} characters; there is no #{start}.")
        return _within(whole, address, start, query) if query else _part(whole, address, start)


def _part(whole: str, address: str, start: int) -> Outcome:
    """A text, or as much of it as is given at once and how to go on."""
    part, end = page_of(whole, start)
    details = Details("memory", address, f"{len(whole)} characters", part)
    if len(part) == len(whole):
        return Outcome(part, details)
    on = f"; go on with {address}#{end}" if end < len(whole) else ""
    note = f"[{end} of {len(whole)} characters{on}]"
    return Outcome(f"{part}{_line_end(part)}{note}", replace(details, summary=note[1:-1]))


def _within(whole: str, address: str, start: int, query: str) -> Outcome:
    """The lines of a text that hold a query."""
    found = passages(whole, query, start)
    title = f"{query} in {address}"
    if not found.rows:
        words = f"No line of {address} holds that."
        return Outcome(words, Details("memory", title, "nothing"))
    body = "\n".join(found.rows)
    on = f"\n[There are more; go on with {address}#{found.end}]" if found.end else ""
    summary = f"{len(found.rows)} line{'s' * (len(found.rows) != 1)}"
    return Outcome(body + on, Details("memory", title, summary, body))


def _line_end(text: str) -> str:
    return "" if text.endswith("\n") else "\n"


def _wanted(arguments: Arguments) -> tuple[str, str, int]:
    """(query, address, offset); without an address the offset is 0. An address given as query is
    taken as one."""
    query = arguments.get("query", "").strip()
    address = arguments.get("address", "").strip()
    if query.startswith(SCHEME) and not address:
        query, address = "", query
    if not query and not address:
        raise HandError("Give a query, an address, or both.")
    if address and not address.startswith(SCHEME):
        raise HandError(f"An address begins with {SCHEME}.")
    address, mark, offset = address.partition("#")
    if mark and not _OFFSET.fullmatch(offset):
        raise HandError(f"#{offset} is no offset: give a number of characters, as in {address}#0.")
    return query, address, int(offset or 0)
