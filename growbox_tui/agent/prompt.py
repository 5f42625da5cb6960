"""The prompt: an ordered list of blocks, most stable first, as a prefix cache sees it.

    tools → system → rules → region → tail → turn

``tools`` and ``system`` never change within an epoch, ``rules`` holds project instructions and the
constraints block, ``region`` what an epoch began with of memories and of the past, ``tail`` the
conversation, ``turn`` the running turn. Within an epoch blocks are only ever added at the end.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from growbox_tui.agent.messages import (
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    message_from_json,
    message_to_json,
)
from growbox_tui.agent.scale import NOTHING, Makeup, added, of_call, of_text
from growbox_tui.models.model_family import binds_thinking
from growbox_tui.models.protocol import Mark, Request
from memory.tokens import estimate
from memory.types import Entry, Epoch, Item

DIGEST_BYTES = 9
"""Of a block's name: 72 bits, twelve letters of base64 without padding."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the prompt in the order in which a cache sees it."""

    segment: str
    digest: str
    """Chained: equal digests mean that all up to and including this block is equal."""
    tokens: int
    """Estimated tokens."""
    content: str = ""
    """Of this block alone: equal wherever the same bytes stand."""
    parts: int = 1
    """Content blocks that it begins; 0 where it goes on with the one before."""
    ends: bool = True
    """Whether a content block ends behind it, so that a cache entry could."""
    heard: bool = False
    """Whether it ends the system text or a message that the model did not write: there a
    provider may set a mark of its own."""
    makeup: Makeup = NOTHING
    """What it is made of, for those who count tokens better than by one estimate."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent, and how it is made up."""

    request: Request
    blocks: tuple[Block, ...]
    epoch: int = 0
    system_ends: tuple[int, ...] = ()
    """Where each system text ends, as an index into ``blocks``."""
    message_ends: tuple[int, ...] = ()
    """Where each message ends, likewise."""
    region_ends: tuple[int, ...] = ()
    """Where each segment of the region ends, likewise; the last one ends the first message."""
    tip: bytes = b""
    """The whole hash of all blocks, from which the chain goes on."""

    @property
    def tokens(self) -> int:
        """Estimated tokens in all."""
        return sum(block.tokens for block in self.blocks)

    def position(self, mark: Mark) -> int:
        """The block behind which a mark stands."""
        if mark.place == "system":
            return self.system_ends[mark.index]
        if mark.part is not None:
            return self.region_ends[mark.part]
        return self.message_ends[mark.index]

    def reply(self, message: Message) -> Block:
        """The block that a reply to this prompt will be, once it stands in the next one."""
        wire = next((part.wire for part in message.parts if isinstance(part, Thinking)), "")
        body = message_to_json(message)
        said = _read(body, wire)
        return Block(
            "turn",
            name(_linked(self.tip, said.content)),
            estimate(body),
            name(said.content),
            parts=said.parts,
            makeup=said.makeup,
        )

    def marked(self, marks: tuple[Mark, ...]) -> Prompt:
        """The same bytes, asking for cache entries there."""
        return replace(self, request=replace(self.request, marks=marks))

    def request_for(self, session: str) -> Request:
        """The request, with the key by which some providers route to a warm cache."""
        return replace(self.request, session=session)


def lay_out(
    epoch: Epoch, entries: Sequence[Entry], *, turn: int, with_tools: bool, wire: str = ""
) -> Prompt:
    """The prompt of an epoch and its tail. Pure: the same rows give the same bytes.

    An epoch's system blocks are the system text, the words about hands, then rules; a model that
    is offered no hands is not told of them. ``wire`` is the model, whose reasoning goes back to
    it alone.
    """
    tools = epoch.tools if with_tools else ()
    system = epoch.system if with_tools else epoch.system[:1] + epoch.system[2:]
    chain = _Chain()
    _front(chain, tools, system, ruled=len(system) - len(epoch.system[2:]))
    region, region_ends = _region(chain, epoch.items)
    messages, message_ends = list(region), list(region_ends[-1:])
    bare = epoch.carried if binds_thinking(wire) else 0  # What was carried lost its reasoning.
    for at, entry in enumerate(entries):
        said = _read(entry.body, wire if at >= bare else "")
        chain.message("turn" if entry.turn == turn else "tail", entry, said)
        messages.append(said.message)
        message_ends.append(len(chain.blocks) - 1)
    return Prompt(
        Request(tools, system, tuple(messages), carried=len(region) + epoch.carried),
        tuple(chain.blocks),
        epoch.number,
        tuple(range(len(tools), len(tools) + len(system))),
        tuple(message_ends),
        region_ends,
        chain.tip,
    )


def _front(chain: _Chain, tools: Sequence[str], system: Sequence[str], *, ruled: int) -> None:
    """Tools and system texts; those from ``ruled`` on are rules."""
    for tool in tools:
        chain.add("tools", tool)
    for place, text in enumerate(system):
        chain.add("system" if place < ruled else "rules", text, heard=place == len(system) - 1)


def _region(chain: _Chain, items: Iterable[Item]) -> tuple[tuple[Message, ...], tuple[int, ...]]:
    """The region as one message of its own, a part for each segment; and where the parts end."""
    parts: list[Text] = []
    ends: list[int] = []
    for _, neighbours in groupby(items, key=lambda item: item.segment):
        segment = list(neighbours)
        for place, item in enumerate(segment):
            chain.item(item, first=place == 0, last=place == len(segment) - 1)
        parts.append(Text("\n".join(item.body for item in segment)))
        ends.append(len(chain.blocks) - 1)
    if not parts:
        return (), ()
    chain.blocks[-1] = replace(chain.blocks[-1], heard=True)
    return (Message("user", tuple(parts)),), tuple(ends)


class _Chain:
    """Blocks in the making, each named by a hash of itself and all before it."""

    __slots__ = ("blocks", "tip")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.tip = b""

    def add(self, segment: str, text: str, *, heard: bool = False) -> None:
        """A tool or a system text."""
        made = _read_text(text)
        digest, content = self._next(made.content)
        self.blocks.append(
            Block(segment, digest, made.tokens, content, heard=heard, makeup=made.makeup)
        )

    def item(self, item: Item, *, first: bool, last: bool) -> None:
        """An item of the region, which begins or goes on with a segment."""
        made = _read_text(item.body)
        digest, content = self._next(made.content, b"" if first else b"\n")
        letters, digits, signs, others, _, _ = made.makeup
        makeup = (letters + (not first), digits, signs, others, int(first), 0)
        self.blocks.append(
            Block("region", digest, item.tokens, content, int(first), last, makeup=makeup)
        )

    def message(self, segment: str, entry: Entry, said: _Said) -> None:
        """A message of the conversation."""
        digest, content = self._next(said.content)
        self.blocks.append(
            Block(
                segment,
                digest,
                entry.tokens,
                content,
                parts=said.parts,
                heard=said.message.role != "assistant",
                makeup=said.makeup,
            )
        )

    def _next(self, content: bytes, joint: bytes = b"") -> tuple[str, str]:
        self.tip = _linked(self.tip, content, joint)
        return name(self.tip), name(content)


@dataclass(frozen=True, slots=True)
class _Said:
    """A stored message, read as it goes out."""

    message: Message
    content: bytes
    """The hash of its body, and of whether its reasoning stays out."""
    parts: int
    """Content blocks on the wire; never less than one."""
    makeup: Makeup


@dataclass(frozen=True, slots=True)
class _Made:
    """A text, read."""

    content: bytes
    tokens: int
    makeup: Makeup


# Each request holds what the one before held: nothing of it is read and hashed twice.


@lru_cache(maxsize=1024)
def _read(body: str, wire: str) -> _Said:
    message = message_from_json(body)
    out = [part for part in message.parts if _goes_out(part, message, wire)]
    held_back = any(isinstance(part, Thinking) for part in message.parts if part not in out)
    content = _hashed(body + "\0" if held_back else body)
    return _Said(message, content, max(1, len(out)), added([_made(part) for part in out]))


@lru_cache(maxsize=1024)
def _read_text(text: str) -> _Made:
    return _Made(_hashed(text), estimate(text), of_text(text))


def _made(part: Part) -> Makeup:
    match part:
        case Text(text):
            return of_text(text)
        case Thinking():
            return of_text(max(part.text, part.opaque, key=len))
        case ToolCall(call, tool, arguments):
            return of_call(call + tool + arguments)
        case ToolResult(call, content):
            return of_call(call + content)


def _goes_out(part: Part, message: Message, wire: str) -> bool:
    """Whether a part is sent: reasoning only to the model that it is of, and where it is a field
    beside the words, only with the calls that it led to."""
    if isinstance(part, Thinking):
        beside = part.opaque.startswith('{"field"')
        return part.wire == wire and bool(part.opaque) and (bool(message.calls) or not beside)
    return not isinstance(part, Text) or bool(part.text.strip())


def _hashed(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _linked(tip: bytes, content: bytes, joint: bytes = b"") -> bytes:
    """The hash of a chain that goes on with a content, set off by ``joint``."""
    return hashlib.sha256(tip + joint + content).digest()


def name(digest: bytes) -> str:
    """A digest as a short name for a block."""
    return base64.b64encode(digest[:DIGEST_BYTES]).decode("ascii")
