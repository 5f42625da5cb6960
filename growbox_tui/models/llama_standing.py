"""Standing: what a local model was sent and has said, and what that spares it of a new prompt.

A log of token ids and pure functions over it. Nothing here asks llama.cpp, so that what it foresees
can be compared with what llama.cpp counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

LEAST_GAIN = 64
"""Tokens that a file must spare, beyond what stands already, to be read at all."""
LEAST_SHARE = 1 / 32
"""Share of a file's tokens that it must spare: a token takes about a hundredth of the time to read
from a file that it takes to compute."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A prefix in a file."""

    path: Path
    tokens: tuple[int, ...]
    size: int
    """Bytes that llama.cpp wrote."""
    checksum: int
    """Of those bytes."""


@dataclass(frozen=True, slots=True)
class Served:
    """What need not be computed of a prompt."""

    tokens: int
    saved: Saved | None
    """The file that it comes from; ``None`` where it stands already."""


def common(old: Sequence[int], new: Sequence[int]) -> int:
    """How many tokens both begin with."""
    for index, (mine, yours) in enumerate(zip(old, new, strict=False)):
        if mine != yours:
            return index
    return min(len(old), len(new))


def spared(standing: Sequence[int], prompt: Sequence[int], *, forgets_parts: bool) -> int:
    """How many tokens of a prompt need not be computed after ``standing``. The last one always
    must: what follows is drawn from it. A model that cannot forget a part of what stands can only
    go on from all of it."""
    shared = common(standing, prompt)
    if not forgets_parts and (shared < len(standing) or shared == len(prompt)):
        return 0
    return max(0, min(shared, len(prompt) - 1))


def best(
    standing: Sequence[int],
    files: Iterable[Saved],
    prompt: Sequence[int],
    *,
    forgets_parts: bool,
    room: int,
) -> Served:
    """Where the most of a prompt comes from: what stands, or a file of at most ``room`` tokens if
    reading it is worth its time. Of equals the smallest is taken."""
    found = Served(spared(standing, prompt, forgets_parts=forgets_parts), None)
    stands = found.tokens
    for saved in sorted(files, key=lambda each: (len(each.tokens), each.path.name)):
        tokens = spared(saved.tokens, prompt, forgets_parts=forgets_parts)
        least = max(LEAST_GAIN, int(len(saved.tokens) * LEAST_SHARE))
        if len(saved.tokens) <= room and tokens - stands >= least and tokens > found.tokens:
            found = Served(tokens, saved)
    return found


class Standing:
    """The log of one context."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        """What should stand, in order."""

    def sent(self, prompt: Sequence[int], said: Sequence[int] = ()) -> None:
        """A prompt was read and answered with these tokens."""
        self.tokens = [*prompt, *said]

    def cut(self, prompt: Sequence[int], said: Sequence[int], count: int) -> None:
        """It was stopped when ``count`` tokens of both stood."""
        self.tokens = [*prompt, *said][:count]

    def lost(self) -> None:
        """Nothing stands any more."""
        self.tokens = []
