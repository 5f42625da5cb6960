"""Render: one remembered node as text for the model.

Pure and deterministic: the bytes depend on the node, the limit and the question alone. They are
made once, when the node enters the prompt, and stored; nothing that can change (heat, rank, "two
days ago") may stand in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memory.context.passages import passages
from memory.tokens import ASCII_TOKENS, OTHER_TOKENS
from memory.types import Node

_HEADER = re.compile(r"^--- mem://([0-9a-z]{12}) \d{4,}-\d\d-\d\d \d\d:\d\d UTC ", re.MULTILINE)


def render(
    node: Node, limit_tokens: int, question: str = "", piece: tuple[int, int] | None = None
) -> str:
    """The node under a separator line with its address, time (UTC) and speaker.

    Of a text of more than ``limit_tokens`` estimated tokens the lines are shown in which the words
    of ``question`` stand, with what stands around them; its head and tail if there are none. Notes
    stand for what is left out, and the first names the address that pages in the whole.

    ``piece``: the characters by which a longer text was found. They alone are shown, and where they
    stand in it.
    """
    text, part, note = node.text, "", ""
    if piece is not None and _within(text, limit_tokens) < len(text):
        text = text[slice(*piece)].rstrip("\n")
        part = f", {_part(node.text, piece[0], piece[0] + len(text))}"
        note = _rest(node, piece[1])
    head = f"--- {node.address} {minute(node.at)} UTC {speaker(node)}{part} ---"
    damaged = "[damaged on disk: its checksum does not match]\n" if "damaged" in node.meta else ""
    return f"{head}\n{damaged}{shortened(text, limit_tokens, node.address, question)}{note}"


def _part(text: str, lo: int, hi: int) -> str:
    """Where a piece stands in its text, in lines if it has some."""
    before, within = text.count("\n", 0, lo), text.count("\n", lo, hi)
    if within:
        total = before + within + text.count("\n", hi) + 1
        return f"lines {before + 1}-{before + within + 1} of {total}"
    return f"characters {lo}-{hi} of {len(text)}"


def _rest(node: Node, end: int) -> str:
    """How the rest of a text comes of which a piece is shown."""
    on = f", {node.address}#{end} what follows" if end < len(node.text) else ""
    return f"\n[part of a longer text; recall {node.address} brings the whole{on}]"


def shown_ids(text: str) -> tuple[str, ...]:
    """Ids of the nodes that ``render`` wrote into a text, in order, each once."""
    return tuple(dict.fromkeys(_HEADER.findall(text)))


def speaker(node: Node) -> str:
    """Who a node's words are of: ``user``, ``assistant``, ``system``, ``tool:<name>``."""
    return f"tool:{node.kind}" if node.role == "tool" and node.kind else node.role


def minute(at: int) -> str:
    """Milliseconds since the epoch as ``YYYY-MM-DD HH:MM``, UTC. A broken clock's time
    beyond the years 1970 to 9999 is the nearest minute in them."""
    seconds = min(max(at // 1000, _FIRST), _LAST)
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


_FIRST, _LAST = 0, 253_402_300_799
"""1970 to 9999 in seconds: a broken clock must not make a memory unreadable."""


def shortened(text: str, limit_tokens: int, address: str, question: str = "") -> str:
    """The text, or its passages that bear on the question within the limit, or its first two thirds
    and last third; with notes for what is left out.

    Line ends become ``\\n`` and letters NFC here, before the bytes are ever sent.
    """
    head = _within(text, limit_tokens)
    if head == len(text):
        return _tidy(text)
    shown = passages(text, question, limit_tokens) if question else []
    if not shown:
        head = _within(text, limit_tokens * 2 // 3)
        tail = _within(reversed(text), limit_tokens - limit_tokens * 2 // 3)
        shown = [(0, head), (len(text) - tail, len(text))]
    return _with_notes(text, shown, address)


def _with_notes(text: str, shown: Sequence[tuple[int, int]], address: str) -> str:
    parts: list[str] = []
    last, whole = 0, f"; recall {address} brings the whole"
    for start, end in [*shown, (len(text), len(text))]:
        if text[last:start] not in ("", "\n"):
            before = "\n" if last else ""
            after = "\n" if start < len(text) else ""
            parts.append(f"{before}[… {start - last} characters left out{whole} …]{after}")
            whole = ""
        # A passage ends before its line end, which may be two characters.
        parts.append(_tidy(text[start:end].removesuffix("\r")))
        last = end
    return "".join(parts)


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
