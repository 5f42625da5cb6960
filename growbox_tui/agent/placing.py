"""Placing: which of the memories that were found go into the prompt, and how they read there."""

from __future__ import annotations

from collections.abc import Set

from growbox_tui.agent.conversation import Conversation
from memory.context.render import minute, render
from memory.recollection import Recollection
from memory.tokens import estimate


def place(talk: Conversation, found: Recollection, there: Set[str] = frozenset()) -> dict[str, str]:
    """Node id → rendered text of the hits that go into the prompt now, best first."""
    left = talk.recall_budget
    placed: dict[str, str] = {}
    for hit in found.hits:
        talk.labels[hit.node.id] = (_first_words(hit.node.text), minute(hit.node.at))
        if hit.node.id in there or talk.window.holds(hit.node.id):
            continue
        body = render(hit.node, talk.limits.item_tokens, found.query, hit.piece)
        tokens = estimate(body)
        if tokens > left:
            break
        left -= tokens
        placed[hit.node.id] = body
    return placed


def _first_words(text: str) -> str:
    # Of the beginning alone: a remembered output may be megabytes.
    return " ".join(text[:2_000].split())[:80]
