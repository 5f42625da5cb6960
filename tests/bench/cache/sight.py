"""Sight: a laid-out prompt as a cache sees it: content blocks with names, tokens and marks.

Read from the request itself, so that what the product's own ledger thinks of it plays no part.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from growbox_tui.agent.messages import Message, Part, Text, ToolCall, ToolResult
from growbox_tui.models.protocol import Mark, Request
from memory.tokens import estimate
from memory.types import Entry, Item
from tests.bench.cache.providers import Asked, Blocks


@dataclass(slots=True)
class Sight:
    """Remembers how large the parts of a message are."""

    _known: dict[str, Blocks] = field(default_factory=dict)

    def of(
        self,
        request: Request,
        items: Sequence[Item],
        entries: Sequence[Entry],
        at: float,
        reply: Blocks,
    ) -> Asked:
        """The request for this region and these entries, at this second. The first message is the
        region where there is one message more than entries."""
        blocks: list[tuple[Hashable, int]] = []
        after: dict[tuple[str, int, int | None], int] = {}
        ends: list[int] = []
        for text in request.tools:
            blocks.append((("tool", text), estimate(text)))
        for index, text in enumerate(request.system):
            blocks.append((("system", text), estimate(text)))
            after["system", index, None] = len(blocks) - 1
        ends.append(len(blocks) - 1)
        regional: set[Hashable] = set()
        ahead = len(request.messages) - len(entries)
        for index, message in enumerate(request.messages):
            if index < ahead:
                for place, part in enumerate(message.parts):
                    blocks.append((("region", part), size(part)))
                    regional.add(blocks[-1][0])
                    after["message", index, place] = len(blocks) - 1
            else:
                blocks += self.blocks(message, entries[index - ahead])
            after["message", index, None] = len(blocks) - 1
            if message.role != "assistant":
                ends.append(len(blocks) - 1)

        said = [block for block in blocks if block[0] not in regional]
        said += [(item.body, item.tokens) for item in items]

        def behind(mark: Mark) -> int:
            return after[mark.place, mark.index, mark.part]

        return Asked(
            tuple(blocks),
            at,
            tuple(behind(mark) for mark in request.marks if not mark.read_only),
            tuple(behind(mark) for mark in request.marks if mark.long),
            tuple(behind(mark) for mark in request.marks if mark.read_only),
            tuple(ends),
            reply,
            tuple(said),
        )

    def blocks(self, message: Message, entry: Entry) -> Blocks:
        """An entry's content blocks, its tokens shared as its parts are long."""
        known = self._known.get(entry.body)
        if known is None:
            known = self._known[entry.body] = shared(message, entry.tokens)
        return known


def shared(message: Message, tokens: int) -> Blocks:
    """A message's content blocks with so many tokens together; the last has what is left over."""
    sizes = [size(part) for part in message.parts]
    whole = max(1, sum(sizes))
    shares = [tokens * one // whole for one in sizes]
    shares[-1] += tokens - sum(shares)
    return [
        ((message.role, part), share) for part, share in zip(message.parts, shares, strict=True)
    ]


def size(part: Part) -> int:
    """Estimated tokens of a part."""
    match part:
        case Text(text) | ToolResult(content=text) | ToolCall(arguments=text):
            return estimate(text)
        case _:
            return 0
