"""Measure: how many of a provider's own tokens each part of a prompt is.

A report says how large a whole prompt was, and how much of it was served or stored. Each such
figure fixes the size of one prefix exactly, and so that of a block which stands alone between two
of them, wherever it stands later. What else lies between them is shared out by a scale, which is
corrected by each such figure.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, MutableMapping, Sequence
from itertools import accumulate

from growbox_tui.agent.messages import Message, Thinking, Usage
from growbox_tui.agent.prompt import Block, name
from growbox_tui.agent.scale import FAR, NOTHING, UNEVEN, Makeup, Scale, added

MOST_BLOCKS = 6_000
"""Blocks whose size is remembered, newest first."""
SPREADS = 1.5
"""Standard deviations by which an estimate may be wrong: seven in eight are not."""
MOST_EXACT = 1_000
"""Prefixes whose size is known exactly, likewise."""


def sizes(
    blocks: Sequence[Block], exact: Mapping[str, int], known: Mapping[str, int], scale: Scale
) -> list[float]:
    """The provider's tokens from the beginning up to the end of each block; they never fall.

    Args:
        exact: chained digest → tokens of the prefix, as reported.
        known: content digest → tokens of that block alone where a report told them, else 0.
        scale: what else a block is worth.
    """
    ends: list[float] = []
    begun = 0.0
    for first, last, tokens in _stretches(blocks, exact):
        part = _shared_out(blocks[first : last + 1], known, scale, tokens, begun)
        ends += accumulate(part, initial=begun)
        del ends[first]
        if tokens is not None:
            ends[-1] = float(tokens)
        begun = ends[-1]
    return ends


def _shared_out(
    blocks: Sequence[Block],
    known: Mapping[str, int],
    scale: Scale,
    tokens: int | None,
    begun: float,
) -> list[float]:
    """The blocks' sizes, where they end together at so many tokens. What was told of some holds,
    and the others take the rest, unless that leaves them far from their worth."""
    if tokens is not None and len(blocks) == 1:
        return [tokens - begun]
    told = [known.get(block.content, 0) for block in blocks]
    weights = [
        float(n or max(1.0, scale.tokens(b.makeup))) for n, b in zip(told, blocks, strict=True)
    ]
    if tokens is None:
        return weights
    loose = sum(weight for weight, n in zip(weights, told, strict=True) if not n)
    left = tokens - begun - (sum(weights) - loose)
    if loose and loose / FAR <= left <= loose * FAR:
        share = left / loose
        return [w if n else w * share for w, n in zip(weights, told, strict=True)]
    share = (tokens - begun) / sum(weights)
    return [weight * share for weight in weights]


def corrected(
    blocks: Sequence[Block],
    exact: Mapping[str, int],
    known: Mapping[str, int],
    scale: Scale,
    fresh: Container[str],
) -> Scale:
    """The scale, after the stretches that end at one of these prefixes became known."""
    begun = 0
    for first, last, tokens in _stretches(blocks, exact):
        if tokens is not None and blocks[last].digest in fresh:
            part = blocks[first : last + 1]
            loose = [block for block in part if not known.get(block.content)]
            left = tokens - begun - sum(known.get(block.content, 0) for block in part)
            scale = scale.after(added([block.makeup for block in loose]), left)
        begun = tokens or begun
    return scale


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


def doubts(
    blocks: Sequence[Block], exact: Mapping[str, int], known: Mapping[str, int], scale: Scale
) -> list[float]:
    """By how many tokens the size up to the end of each block may be wrong: nothing where it was
    reported, else what the estimates between there and the nearest size that was may be off."""
    found: list[float] = []
    for first, last, tokens in _stretches(blocks, exact):
        part = blocks[first : last + 1]
        doubt = list(_growing(part, known, scale))
        if tokens is not None:
            back = [0.0, *_growing(part[:0:-1], known, scale)]
            doubt = [min(pair) for pair in zip(doubt, reversed(back), strict=True)]
        found += doubt
    return found


def _growing(blocks: Sequence[Block], known: Mapping[str, int], scale: Scale) -> Iterator[float]:
    """The same up to each block, from where the size is certain."""
    loose: Makeup = NOTHING
    uneven = 0.0
    for block in blocks:
        if not known.get(block.content):
            loose = added([loose, block.makeup])
            uneven += (UNEVEN * scale.tokens(block.makeup)) ** 2
        yield SPREADS * math.sqrt(uneven + max(0.0, scale.variance(loose)))


def learn(
    blocks: Sequence[Block], exact: Mapping[str, int], known: MutableMapping[str, int]
) -> None:
    """Remember that the blocks of a prompt went out, and the size of each that is now told: the
    only one of its stretch of which none was."""
    told: dict[str, int] = {}
    begun = 0
    for first, last, tokens in _stretches(blocks, exact):
        loose = [block for block in blocks[first : last + 1] if not known.get(block.content)]
        if tokens is not None and len(loose) == 1:
            others = sum(known.get(block.content, 0) for block in blocks[first : last + 1])
            told[loose[0].content] = max(0, tokens - begun - others)
        begun = tokens or begun
    for content in _names(blocks):
        known[content] = known.pop(content, 0) or told.get(content, 0)
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


def repeated(reply: Message, usage: Usage) -> int | None:
    """Tokens of a reply as the next prompt repeats it, 0 where that is not known; ``None`` where
    the prompt does not repeat all of it: reasoning goes back only with the calls that it led to,
    and only where its wire has a form for that."""
    thoughts = [part for part in reply.parts if isinstance(part, Thinking)]
    if thoughts and not (reply.calls and all(part.opaque for part in thoughts)):
        return None
    kept_back = 0 if thoughts else usage.reasoning or 0
    return max(0, (usage.output or 0) - kept_back)


def fix(exact: MutableMapping[str, int], digest: str, tokens: int) -> None:
    """Take a reported size of a prefix in place of any before."""
    exact.pop(digest, None)
    exact[digest] = tokens
    _forget(exact, MOST_EXACT)


def _forget(table: MutableMapping[str, int], most: int) -> None:
    if len(table) > most:
        for key in list(table)[: len(table) - most]:
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
