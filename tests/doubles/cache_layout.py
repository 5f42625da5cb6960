"""A request body as a provider's cache reads it: content blocks in prompt order, with their marks.

Tools come first, then the system text, then the messages. Marks steer a cache and are no part of
what it compares. Tokens are counted block by block and, as a tokenizer's are, no fixed share of the
letters: a short word is one, and so are each digit, a pair of signs, and a Chinese character.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

Body = dict[str, Any]

_TOKEN = re.compile(
    rb" ?[A-Za-z]{1,6}|[0-9]|[!-/:-@\[-`{-~]{1,2}|\s+|[\xc0-\xff][\x80-\xbf]*|.", re.S
)
MARKS = ("cache_control", "prompt_cache_breakpoint")
"""The fields of a block that ask for a cache entry behind it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One content block."""

    data: bytes
    """What is compared: who speaks, and the block without its marks."""
    mark: str = ""
    """``5m`` or ``1h`` where an entry is asked for behind it, else empty."""
    heard: bool = False
    """Whether it ends the system text or a message that the model did not write."""

    @property
    def tokens(self) -> int:
        """How many it is counted as."""
        return max(1, counted(self.data))


@lru_cache(maxsize=4096)
def counted(data: bytes) -> int:
    """Tokens of some UTF-8."""
    return len(_TOKEN.findall(data))


def tokens(pieces: Sequence[Piece]) -> int:
    """Of all of them."""
    return sum(piece.tokens for piece in pieces)


def laid_out(body: Body) -> list[Piece]:
    """All content blocks of a request in either format."""
    pieces = [_piece("tool", tool) for tool in body.get("tools") or []]
    if body.get("system"):
        pieces += _spoken("system", body["system"])
    for message in body.get("messages") or []:
        pieces += of_message(message)
    return pieces


def of_message(message: Body) -> list[Piece]:
    """The content blocks of one message. What a reply says with its words, reasoning and calls in
    the chat format, are blocks of their own."""
    role = str(message["role"])
    if role != "assistant":
        return _spoken(role, message.get("content"), str(message.get("tool_call_id", "")))
    pieces = []
    if message.get("reasoning_content"):
        pieces.append(_piece("thinking", message["reasoning_content"]))
    pieces += _blocks(role, message.get("content"))
    pieces += [_piece("call", _called(call)) for call in message.get("tool_calls") or []]
    return pieces or [_piece(role, "")]


def _called(call: Body) -> str:
    return f"{call['id']} {call['function']['name']} {call['function']['arguments']}"


def _spoken(role: str, content: Any, answers: str = "") -> list[Piece]:
    """What the model hears: its last block is where a provider may set a mark of its own."""
    pieces = _blocks(f"{role}:{answers}" if answers else role, content) or [_piece(role, "")]
    return [*pieces[:-1], replace(pieces[-1], heard=True)]


def _blocks(role: str, content: Any) -> list[Piece]:
    if content is None or content == "":
        return []
    return [_piece(role, block) for block in (content if isinstance(content, list) else [content])]


def _piece(role: str, value: Any) -> Piece:
    """One block; a block of plain text is the same as the text alone."""
    asked = next(
        (value[name] for name in MARKS if isinstance(value, dict) and value.get(name)), None
    )
    mark = "" if asked is None else str(asked.get("ttl", "5m"))
    if isinstance(value, dict):
        value = {name: item for name, item in value.items() if name not in MARKS}
        if value.keys() == {"type", "text"}:
            value = value["text"]
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Piece(f"{role}\n{said}".encode("utf-8", "surrogatepass"), mark)


def common(before: Sequence[Piece], after: Sequence[Piece]) -> int:
    """How many leading blocks of both are equal."""
    pairs = zip(before, after, strict=False)
    return next(
        (at for at, (old, new) in enumerate(pairs) if old.data != new.data),
        min(len(before), len(after)),
    )


def common_tokens(before: Sequence[Piece], after: Sequence[Piece]) -> int:
    """Tokens of the longest leading part that both have, which may end within a block."""
    same = common(before, after)
    whole = tokens(after[:same])
    if same == min(len(before), len(after)):
        return whole
    shared = common_bytes(before[same].data, after[same].data)
    return whole + counted(after[same].data[:shared])


def common_bytes(before: bytes, after: bytes) -> int:
    """How many leading bytes are equal."""
    low, high = 0, min(len(before), len(after))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return low


def marks_of(body: Body) -> list[tuple[int, str]]:
    """(block, life) of each mark of a request."""
    return [(at, piece.mark) for at, piece in enumerate(laid_out(body)) if piece.mark]
