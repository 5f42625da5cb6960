"""Render: one remembered node as text for the model.

Pure and deterministic: the bytes depend on the node and the limit alone. They are made once, when
the node enters the prompt, and stored; nothing that can change (heat, rank, "two days ago") may
stand in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime

from memory.tokens import ASCII_TOKENS, OTHER_TOKENS
from memory.types import Node

_HEADER = re.compile(r"^--- mem://([0-9a-z]{12}) \d{4,}-\d\d-\d\d \d\d:\d\d UTC ", re.MULTILINE)


def render(node: Node, limit_tokens: int) -> str:
    """The node under a separator line with its address, time (UTC) and speaker.

    A text of more than ``limit_tokens`` estimated tokens loses its middle; a note in its place
    names the address that pages in the whole.
    """
    head = f"--- {node.address} {minute(node.at)} UTC {speaker(node)} ---"
    damaged = "[damaged on disk: its checksum does not match]\n" if "damaged" in node.meta else ""
    return f"{head}\n{damaged}{shortened(node.text, limit_tokens, node.address)}"


def shown_ids(text: str) -> tuple[str, ...]:
    """Ids of the nodes that ``render`` wrote into a text, in order, each once."""
    return tuple(dict.fromkeys(_HEADER.findall(text)))


def speaker(node: Node) -> str:
    """``user``, ``assistant``, ``system``, ``tool:<name>``."""
    return f"tool:{node.kind}" if node.role == "tool" and node.kind else node.role


def minute(at: int) -> str:
    """Milliseconds since the epoch as ``YYYY-MM-DD HH:MM``, UTC."""
    seconds = min(max(at // 1000, _FIRST), _LAST)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


_FIRST, _LAST = 0, 253_402_300_799
"""1970 to 9999 in seconds: a broken clock must not make a memory unreadable."""


def shortened(text: str, limit_tokens: int, address: str) -> str:
    """The text, or its first two thirds and last third within the limit, and a note between.

    Line ends become ``\\n`` and letters NFC here, before the bytes are ever sent.
    """
    head = _within(text, limit_tokens)
    if head == len(text):
        return _tidy(text)
    head = _within(text, limit_tokens * 2 // 3)
    tail = _within(reversed(text), limit_tokens - limit_tokens * 2 // 3)
    left = len(text) - head - tail
    note = f"\n[… {left} characters left out; recall {address} brings the whole …]\n"
    return _tidy(text[:head]) + note + _tidy(text[len(text) - tail :])


def _within(text: Iterable[str], limit_tokens: int) -> int:
    """How many characters from the start have at most so many estimated tokens."""
    spent, taken = 0.0, 0
    for char in text:
        spent += ASCII_TOKENS if char < "\x80" else OTHER_TOKENS
        if spent > limit_tokens:
            break
        taken += 1
    return taken


def _tidy(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
