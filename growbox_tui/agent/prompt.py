"""The prompt: an ordered list of blocks, most stable first, and what changed since the last one.

    tools → system → rules → region → tail → turn

``tools`` and ``system`` never change within an epoch, ``rules`` holds project instructions,
``region`` the memories that an epoch began with, ``tail`` the conversation, ``turn`` the running
turn. Within an epoch blocks are only ever added at the end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from growbox_tui.agent.events import SegmentState, SegmentView
from growbox_tui.agent.messages import Message, Text, message_from_json
from growbox_tui.models.protocol import Request
from memory.tokens import estimate
from memory.types import Entry, Epoch


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the prompt in the order in which a cache sees it."""

    segment: str
    digest: str
    """Chained: equal digests mean that all up to and including this block is equal."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and how it is made up."""

    request: Request
    blocks: tuple[Block, ...]

    @property
    def tokens(self) -> int:
        """Estimated tokens in all."""
        return sum(block.tokens for block in self.blocks)

    def request_for(self, session: str) -> Request:
        """The request, with the key by which some providers route to a warm cache."""
        return replace(self.request, session=session)


def lay_out(epoch: Epoch, entries: Sequence[Entry], *, turn: int, with_tools: bool) -> Prompt:
    """The prompt of an epoch and its tail. Pure: the same rows give the same bytes.

    An epoch's system blocks are the system text, the words about hands, then rules; a model that
    is offered no hands is not told of them.
    """
    tools = epoch.tools if with_tools else ()
    system = epoch.system if with_tools else epoch.system[:1] + epoch.system[2:]
    pieces = [("tools", tool, estimate(tool)) for tool in tools]
    pieces += [
        ("rules" if text in epoch.system[2:] else "system", text, estimate(text)) for text in system
    ]
    pieces += [("region", item.body, item.tokens) for item in epoch.items]
    pieces += [
        ("turn" if entry.turn == turn else "tail", entry.body, entry.tokens) for entry in entries
    ]
    messages = [message_from_json(entry.body) for entry in entries]
    if epoch.items:
        region = tuple(Text(item.body) for item in epoch.items)
        if messages and messages[0].role == "user":
            messages[0] = Message("user", region + messages[0].parts)
        else:
            messages.insert(0, Message("user", region))
    return Prompt(Request(tools=tools, system=system, messages=tuple(messages)), _chained(pieces))


def _chained(pieces: Sequence[tuple[str, str, int]]) -> tuple[Block, ...]:
    digest = b""
    blocks = []
    for segment, text, tokens in pieces:
        digest = hashlib.sha256(digest + text.encode("utf-8", "surrogatepass")).digest()
        blocks.append(Block(segment, digest[:12].hex(), tokens))
    return tuple(blocks)


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that went out before, as far as a cache would know it."""

    model: str
    blocks: tuple[Block, ...]
    number: int = 0
    """Which request of the session it was."""

    def to_json(self) -> str:
        """For the memory file."""
        rows = [[block.segment, block.digest, block.tokens] for block in self.blocks]
        return json.dumps(
            {"model": self.model, "number": self.number, "blocks": rows}, separators=(",", ":")
        )

    @staticmethod
    def from_json(text: str) -> Seen:
        """What ``to_json`` wrote."""
        body = json.loads(text)
        return Seen(body["model"], tuple(Block(*row) for row in body["blocks"]), body["number"])


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a prefix cache should serve of a prompt."""

    segments: tuple[SegmentView, ...]
    tokens: int
    cause: str
    """Where and why the prefix breaks; empty if the prompt only grew."""


def forecast(prompt: Prompt, model: str, seen: Seen | None) -> Forecast:
    """Compare with the request before. ``seen`` is ``None`` for a session's first request."""
    before: tuple[Block, ...] = ()
    cause = ""
    if seen is not None and seen.model == model:
        before = seen.blocks
    elif seen is not None:
        cause = f"the model changed from {seen.model}"
    same = _common(before, prompt.blocks)
    if same < len(before):
        broken = prompt.blocks[same] if same < len(prompt.blocks) else before[same]
        cause = f"the prefix broke at block {same + 1}, in {broken.segment}"
    states = [
        "hit" if place < same else "broken" if place < len(before) else "new"
        for place in range(len(prompt.blocks))
    ]
    served = sum(block.tokens for block in prompt.blocks[:same])
    return Forecast(_segments(prompt.blocks, states), served, cause)


def _common(before: Sequence[Block], now: Sequence[Block]) -> int:
    same = 0
    for old, new in zip(before, now, strict=False):
        if old.digest != new.digest:
            break
        same += 1
    return same


def _segments(blocks: Sequence[Block], states: Sequence[str]) -> tuple[SegmentView, ...]:
    """Neighbouring blocks of one segment and state, joined."""
    joined: list[tuple[str, int, SegmentState]] = []
    for block, state in zip(blocks, states, strict=True):
        if joined and joined[-1][0] == block.segment and joined[-1][2] == state:
            joined[-1] = (block.segment, joined[-1][1] + block.tokens, joined[-1][2])
        else:
            joined.append((block.segment, block.tokens, state))  # type: ignore[arg-type]
    return tuple(SegmentView(name, tokens, state) for name, tokens, state in joined)


def shortfall(predicted: int, total: int, reported_input: int, cache_read: int) -> tuple[int, str]:
    """The forecast in the provider's own tokens, and why its report is lower (empty if it is not).

    Caches work in steps and by best effort, so a gap below a tenth of the prompt, or below 512
    tokens, is no difference.
    """
    scaled = round(predicted * reported_input / total) if total else 0
    gap = scaled - cache_read
    if gap <= max(512, reported_input // 10):
        return scaled, ""
    if cache_read == 0:
        return scaled, "the provider served nothing: expired, too short, or not cached there"
    return scaled, f"the provider served {gap} tokens less than stood still"
