"""Heads: what all sessions of one account have in common in front: tools and system text.

A provider's cache by marks does not ask whose session a prefix came from, so the first request of
a session is served the head that another one left. Caches that are found by a session's key are
not reckoned with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.prompt import Prompt

MOST = 24
"""Heads of one model that are kept: one for each set of rules, so about one for each project."""
FRESH = 0.25
"""Share of an entry's life by which what is kept may be behind before it is written again."""


def shared(ledger: Ledger) -> bool:
    """Whether this cache serves one session what another one left."""
    return ledger.rules.kind == "marks" and ledger.rules.lookback is not None


def take(ledger: Ledger, kept: Mapping[str, Any]) -> None:
    """Let a ledger know of the heads that other sessions left, as ``kept`` by ``put``."""
    for digest, (at, life, tokens) in kept.items():
        if at > ledger.held.seen.get(digest, -1e18):
            ledger.held.entries[digest] = (at, life)
            ledger.held.seen = {digest: at, **ledger.held.seen}
        if tokens is not None:
            ledger.exact.setdefault(digest, tokens)


def put(ledger: Ledger, prompt: Prompt, kept: Mapping[str, Any]) -> dict[str, Any] | None:
    """The heads with this prompt's among them; ``None`` where what is kept says it already."""
    if not shared(ledger) or not prompt.system_ends:
        return None
    digest = prompt.blocks[prompt.system_ends[-1]].digest
    entry = ledger.held.entries.get(digest)
    if entry is None:
        return None
    at, life = entry
    tokens = ledger.exact.get(digest)
    before = kept.get(digest)
    if before is not None and at - before[0] < life * FRESH and before[2] == tokens:
        return None
    rest = {name: head for name, head in kept.items() if name != digest}
    newest = sorted(rest, key=lambda name: -rest[name][0])[: MOST - 1]
    return {**{name: rest[name] for name in newest}, digest: [at, life, tokens]}
