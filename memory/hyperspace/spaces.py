"""The spaces of an embedder: where the vectors of one kind of text lie, apart from all others.

An embedder may keep several (``spaces``, each an embedder with a stamp of its own): each text has
its vector in one of them, and a row of zeros in the others, so that it counts as looked at there.
A question is asked of each space that holds anything. One may keep codes beside vectors (``late``).
"""

from __future__ import annotations

from memory.protocols import Embedder, Late


def spaces(embedder: Embedder) -> tuple[Embedder, ...]:
    """All spaces of an embedder; the embedder itself if it has but one."""
    found: tuple[Embedder, ...] = getattr(embedder, "spaces", ())
    return found or (embedder,)


def late(embedder: Embedder) -> Late | None:
    """The codes of the texts of a space, if its embedder makes any."""
    found: Late | None = getattr(embedder, "late", None)
    return found


def is_for_wide(embedder: Embedder) -> bool:
    """Whether a space holds Chinese, Japanese and Korean texts alone."""
    return bool(getattr(embedder, "wide", False))
