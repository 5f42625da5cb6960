"""Which forced jumps a question takes: where the user pointed is never judged, and comes first."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memory.store.jumps import JumpRow
from memory.store.segment import holds_together, match_terms

QUOTED = 0.6
"""Share of a jump's telling words that a question has to repeat to quote it ..."""
FEWEST = 2
"""... and how many at least: one word in common is no quotation."""


def taken(jumps: Sequence[JumpRow], entries: Collection[int], question: str) -> list[JumpRow]:
    """The jumps that a question takes, newest first, each target once.

    ``entries``: places where the question comes in. A jump from anywhere is always taken, one from
    a place if that is among the entries, and any if the question quotes the words that were kept
    with it.
    """
    asked = frozenset(match_terms(question))
    found: dict[int, JumpRow] = {}
    for jump in sorted(jumps, key=lambda jump: -jump.id):
        if not jump.source or jump.source in entries or quotes(asked, jump.words):
            found.setdefault(jump.target, jump)
    return list(found.values())


def repeats(text: str, words: str) -> bool:
    """Whether a text quotes words that were kept with a jump."""
    return quotes(frozenset(match_terms(text)), words)


def quotes(asked: Collection[str], words: str) -> bool:
    """Whether terms of a question repeat what was quoted."""
    told = [term for term in match_terms(words) if not holds_together(term)]
    common = sum(term in asked for term in told)
    return common >= FEWEST and common >= QUOTED * len(told)
