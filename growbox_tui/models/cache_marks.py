"""Cache marks: which blocks of an Anthropic request carry ``cache_control``.

A prefix is read from cache only where an earlier request had a mark, at most four marks count, and
a mark looks back over twenty blocks only. So two marks stand still (the system text, the end of the
region) and two move: one on the newest message, one where the request before had its newest.
"""

from __future__ import annotations

from typing import Any

MAX_MARKS = 4
MARK: dict[str, str] = {"type": "ephemeral"}
_UNMARKED = ("thinking", "redacted_thinking")

Blocks = list[dict[str, Any]]


def mark(system: Blocks, messages: list[dict[str, Any]]) -> None:
    """Put the marks into a rendered request. ``messages`` have block lists as content."""
    targets: list[Blocks] = [system]
    targets += [messages[index]["content"] for index in marked_messages(messages)]
    for blocks in targets[:MAX_MARKS]:
        for block in reversed(blocks):
            if block["type"] not in _UNMARKED:
                block["cache_control"] = MARK
                break


def marked_messages(messages: list[dict[str, Any]]) -> list[int]:
    """Indexes of the messages to mark, in order and each once: the first, which holds the region;
    the last of the request before, which ended where the newest reply begins; and the newest."""
    if not messages:
        return []
    replies = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    before = [replies[-1] - 1] if replies and replies[-1] > 0 else []
    return sorted({0, *before, len(messages) - 1})
