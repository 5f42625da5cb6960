"""Measure: how many of a provider's own tokens each part of a prompt is.

A report says how large a whole prompt was, and how much of it was served or stored. Each such
figure fixes the size of one prefix exactly; what lies between two of them is shared out by
estimate, and remembered of each block, wherever it stands later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence

from growbox_tui.agent.prompt import Block

MOST_BLOCKS = 6_000
"""Blocks whose size is remembered, newest first."""
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
        whole = sum(weights[first : last + 1])
        scale = 1.0 if tokens is None else (tokens - begun) / whole if whole else 0.0
        at = begun
        for weight in weights[first : last + 1]:
            at += weight * scale
            ends.append(at)
        if tokens is not None:
            ends[-1] = at = float(tokens)
        begun = at
    return ends


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


def learn(blocks: Sequence[Block], ends: Sequence[float], known: MutableMapping[str, int]) -> None:
    """Remember the size of each block of a prompt that went out."""
    begun = 0.0
    for block, end in zip(blocks, ends, strict=True):
        known.pop(block.content, None)
        known[block.content] = round(end - begun)
        begun = end
    _forget(known, MOST_BLOCKS)


def fix(exact: MutableMapping[str, int], digest: str, tokens: int) -> None:
    """Take a reported size of a prefix in place of any before."""
    exact.pop(digest, None)
    exact[digest] = tokens
    _forget(exact, MOST_EXACT)


def _forget(table: MutableMapping[str, int], most: int) -> None:
    for name in list(table)[: max(0, len(table) - most)]:
        del table[name]


def sent_before(
    blocks: Sequence[Block], ends: Sequence[float], known: Mapping[str, int]
) -> list[float]:
    """Of each block the tokens that were sent before, in whatever place."""
    starts = [0.0, *ends[:-1]] if ends else []
    return [
        end - begun if block.content in known else 0.0
        for block, begun, end in zip(blocks, starts, ends, strict=True)
    ]
