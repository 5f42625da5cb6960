"""Measure: how many of a provider's own tokens each part of a prompt is.

A report says how large a whole prompt was, and how much of it was served or stored. Each such
figure fixes the size of one prefix exactly; what lies between two of them is shared out by
estimate, and remembered of each block, wherever it stands later.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from itertools import accumulate

from growbox_tui.agent.prompt import Block, name

MOST_BLOCKS = 6_000
"""Blocks whose size is remembered, newest first."""
FAR = 3.0
"""Times that a block may be larger or smaller than was estimated."""
UNSURE = 0.15
"""Share of an estimate by which it may be wrong, where words, code and languages are mixed."""
MOST_EXACT = 1_000
"""Prefixes whose size is known exactly, likewise."""


def sizes(
    blocks: Sequence[Block], exact: Mapping[str, int], known: Mapping[str, int], ratio: float
) -> list[float]:
    """The provider's tokens from the beginning up to the end of each block; they never fall.

    Args:
        exact: chained digest → tokens of the prefix, as reported.
        known: content digest → tokens of that block alone, as learned.
        ratio: the provider's tokens for one estimated token, where nothing else is known.
    """
    weights = [_weight(block, known, ratio) for block in blocks]
    ends: list[float] = []
    begun = 0.0
    for first, last, tokens in _stretches(blocks, exact):
        part = weights[first : last + 1]
        if tokens is not None:
            fresh = [block.content not in known for block in blocks[first : last + 1]]
            part = _shared_out(part, fresh, tokens - begun)
        ends += accumulate(part, initial=begun)
        del ends[first]
        if tokens is not None:
            ends[-1] = float(tokens)
        begun = ends[-1]
    return ends


def _shared_out(weights: Sequence[float], fresh: Sequence[bool], tokens: float) -> list[float]:
    """The blocks' sizes when they are so many tokens together. What was learned of some holds, and
    the ``fresh`` ones take the rest, unless that leaves them far from their estimate."""
    loose = sum(weight for weight, new in zip(weights, fresh, strict=True) if new)
    left = tokens - (sum(weights) - loose)
    if loose and loose / FAR <= left <= loose * FAR:
        scale = left / loose
        return [w * scale if new else w for w, new in zip(weights, fresh, strict=True)]
    scale = tokens / sum(weights)
    return [weight * scale for weight in weights]


def _weight(block: Block, known: Mapping[str, int], ratio: float) -> float:
    learned = known.get(block.content)
    return max(1.0, block.tokens * ratio) if learned is None else float(max(1, learned))


def _stretches(
    blocks: Sequence[Block], exact: Mapping[str, int]
) -> Iterator[tuple[int, int, int | None]]:
    """(first block, last block, exact tokens up to its end); ``None`` behind the last such.

    A figure that is not larger than the one before it contradicts it and is left out.
    """
    first, before = 0, 0
    for at, block in enumerate(blocks):
        tokens = exact.get(block.digest)
        if tokens is not None and tokens > before:
            yield first, at, tokens
            first, before = at + 1, tokens
    if first < len(blocks):
        yield first, len(blocks) - 1, None


def unsure(
    blocks: Sequence[Block], ends: Sequence[float], exact: Mapping[str, int], at: int
) -> float:
    """By how many tokens the size up to the end of a block may be wrong: nothing where it was
    reported, else a share of the way to the nearest size that was."""
    if at < 0:
        return 0.0
    below = next((n for n in range(at, -1, -1) if blocks[n].digest in exact), -1)
    if below == at:
        return 0.0
    above = next((n for n in range(at + 1, len(blocks)) if blocks[n].digest in exact), -1)
    ways = [ends[at] - (ends[below] if below >= 0 else 0.0)]
    if above >= 0:
        ways.append(ends[above] - ends[at])
    return min(ways) * UNSURE


def learn(blocks: Sequence[Block], ends: Sequence[float], known: MutableMapping[str, int]) -> None:
    """Remember the size of each block of a prompt that went out."""
    begun = 0.0
    for content, end in zip(_names(blocks), ends, strict=True):
        known.pop(content, None)
        known[content] = round(end - begun)
        begun = end
    _forget(known, MOST_BLOCKS)


def _names(blocks: Sequence[Block]) -> Iterator[str]:
    """What each block is known by: its content, and where the prompt has that again, which time.
    A second copy of what was sent once is something new."""
    times: Counter[str] = Counter()
    for block in blocks:
        times[block.content] += 1
        again = times[block.content]
        yield block.content if again == 1 else name(_digest(f"{block.content} {again}"))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def fix(exact: MutableMapping[str, int], digest: str, tokens: int) -> None:
    """Take a reported size of a prefix in place of any before."""
    exact.pop(digest, None)
    exact[digest] = tokens
    _forget(exact, MOST_EXACT)


def _forget(table: MutableMapping[str, int], most: int) -> None:
    for key in list(table)[: max(0, len(table) - most)]:
        del table[key]


def sent_before(
    blocks: Sequence[Block], ends: Sequence[float], known: Mapping[str, int]
) -> list[float]:
    """Of each block the tokens that were sent before, in whatever place."""
    starts = [0.0, *ends[:-1]] if ends else []
    return [
        end - begun if content in known else 0.0
        for content, begun, end in zip(_names(blocks), starts, ends, strict=True)
    ]
