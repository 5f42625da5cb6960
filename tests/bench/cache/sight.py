"""Sight: a laid-out prompt as a cache sees it: content blocks with names, tokens and marks.

Read from the request itself, so that what the product's own ledger thinks of it plays no part.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from growbox_tui.agent.messages import Message, Part, Text, ToolCall, ToolResult
from growbox_tui.models.protocol import Request
from memory.tokens import estimate
from memory.types import Entry, Item
from tests.bench.cache.providers import Asked, Blocks

Places = dict[tuple[str, int, int | None], int]
"""Where a mark may stand (place, index, part) → the block behind which that is."""


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
        blocks, after = _front(request)
        ends = [len(blocks) - 1]
        contents = list(blocks)
        ahead = len(request.messages) - len(entries)
        for index, message in enumerate(request.messages):
            if index < ahead:
                for place, part in enumerate(message.parts):
                    blocks.append((("region", part), size(part)))
                    after["message", index, place] = len(blocks) - 1
                contents += [(item.body, item.tokens) for item in items]
            else:
                inner = self.blocks(message, entries[index - ahead])
                blocks += inner
                contents += inner
            after["message", index, None] = len(blocks) - 1
            if message.role != "assistant":
                ends.append(len(blocks) - 1)
        marks = [(mark, after[mark.place, mark.index, mark.part]) for mark in request.marks]
        return Asked(
            tuple(blocks),
            at,
            tuple(block for mark, block in marks if not mark.read_only),
            tuple(block for mark, block in marks if mark.long),
            tuple(block for mark, block in marks if mark.read_only),
            tuple(ends),
            reply,
            tuple(contents),
        )

    def blocks(self, message: Message, entry: Entry) -> Blocks:
        """An entry's content blocks, its tokens shared as its parts are long."""
        known = self._known.get(entry.body)
        if known is None:
            known = self._known[entry.body] = shared(message, entry.tokens)
        return known


def _front(request: Request) -> tuple[list[tuple[Hashable, int]], Places]:
    """The blocks of tools and system text, and behind which of them each text ends."""
    blocks: list[tuple[Hashable, int]] = [(("tool", t), estimate(t)) for t in request.tools]
    after: Places = {}
    for index, text in enumerate(request.system):
        blocks.append((("system", text), estimate(text)))
        after["system", index, None] = len(blocks) - 1
    return blocks, after


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
