"""Reach: how far a provider's cache should serve a prompt, by its rules and what it was sent.

A cache serves a leading part of a prompt. How much of it depends on its kind: any part that a live
request began with (``prefix``), what the one slot holds (``slot``), what ends where a request or a
reply ended (``units``), or what ends where a request asked for an entry (``marks``). ``reach`` says
how far, ``take`` what a request leaves behind. Positions are indexes into a prompt's blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from growbox_tui.agent.prompt import Block, Prompt
from growbox_tui.models.cache_rules import CacheRules

MOST_SEEN = 6_000
"""Prefixes that are remembered, newest first; a prompt of a large window has some hundreds."""
MOST_ENTRIES = 1_000
"""Likewise of entries and units."""

Limit = Literal["", "minimum", "look-back", "marks", "step"]


@dataclass(slots=True)
class Held:
    """What a provider's cache should hold of a conversation. Times in seconds."""

    seen: dict[str, float] = field(default_factory=dict)
    """Chained digest → when a request last began with that prefix, oldest first."""
    entries: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Chained digest → (last written or read, seconds that it lives then): marks and units."""
    slot: frozenset[str] = frozenset()
    """All prefixes of the prompt that came last."""

    def copy(self) -> Held:
        """The same, free to change."""
        return Held(dict(self.seen), dict(self.entries), self.slot)


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a request asks a cache that works by marks for entries."""

    writes: tuple[tuple[int, float], ...]
    """(position, seconds that the entry shall live), in prompt order."""
    reads: tuple[int, ...]
    """Positions at which an older entry would be found, in prompt order."""
    beyond: tuple[int, ...] = ()
    """Positions at which one would be found if a mark looked back further."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request may leave in a cache."""

    at: float
    """When it was sent."""
    chain: tuple[str, ...]
    """The digests of its blocks, and last of its reply where that is known."""
    writes: tuple[tuple[str, float], ...] = ()
    """(digest, seconds) of the entries that it asked for."""
    hit: str = ""
    """The digest up to which it was served."""
    replied: bool = False
    """Whether the last of the chain is the reply."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a prompt should be served."""

    tokens: int
    end: int = -1
    """The last block that is served; -1 is none."""
    alive: int = -1
    """The last block up to which a live request began as this one does."""
    same: int = -1
    """The last block up to which any request began so."""
    limit: Limit = ""
    """What keeps ``tokens`` below what is alive."""


def asked(prompt: Prompt, rules: CacheRules) -> Asked:
    """Where the request asks for entries, the provider's own mark included."""
    if rules.kind != "marks":
        return Asked((), ())
    life = {
        prompt.position(mark): (rules.long_ttl_s or rules.ttl_s) if mark.long else rules.ttl_s
        for mark in prompt.request.marks
        if not mark.read_only
    }
    shown = {prompt.position(mark) for mark in prompt.request.marks}
    writes = sorted(life)[-rules.max_marks :]
    heard: list[int] = []
    if rules.implicit and not shown:
        heard = [at for at, block in enumerate(prompt.blocks) if block.heard]
        writes = heard[-1:]
    lives = tuple((at, life.get(at, rules.ttl_s)) for at in writes)
    if rules.lookback is None:
        places = sorted({*shown, *heard})
        within = places[-rules.read_marks :] if rules.read_marks else places
        return Asked(lives, tuple(within), tuple(places))
    every = [at for at, block in enumerate(prompt.blocks) if block.ends]
    return Asked(
        lives,
        tuple(_looked_back(prompt.blocks, writes, every, rules.lookback)),
        tuple(at for at in every if writes and at <= writes[-1]),
    )


def _looked_back(
    blocks: Sequence[Block], writes: Sequence[int], every: Iterable[int], lookback: int
) -> Iterable[int]:
    """The ends of content blocks that stand near enough in front of some mark."""
    count = list(accumulate(block.parts for block in blocks))
    marks = iter(writes)
    mark = next(marks, None)
    for at in every:
        while mark is not None and mark < at:
            mark = next(marks, None)
        if mark is None:
            return
        if count[mark] - count[at] < lookback:
            yield at


def reach(
    prompt: Prompt, sizes: Sequence[float], held: Held, rules: CacheRules, now: float
) -> Reach:
    """How far the prompt should be served.

    ``sizes`` are the provider's tokens up to the end of each block, ``now`` is when it is sent.
    """
    blocks = prompt.blocks
    same = _last(blocks, held.seen)
    if rules.kind == "slot":
        alive = _last(blocks, held.slot)
    else:
        alive = next(
            (at for at in range(same, -1, -1) if _age(held, blocks[at], now) <= rules.ttl_s),
            -1,
        )
    if rules.kind == "none":
        return Reach(0, -1, same, same, "marks")
    if rules.kind == "marks":
        return _by_marks(prompt, sizes, held, rules, now, same)
    end = alive
    if rules.kind == "units":
        end = next((at for at in range(alive, -1, -1) if _lives(held, blocks[at], now)), -1)
    limit: Limit = "marks" if end < alive else ""
    whole = sizes[end] if end >= 0 else 0.0
    tokens = min(_stepped(whole, rules.step), max(0, round(sizes[-1]) - 1 if sizes else 0))
    if tokens < rules.min_tokens:
        tokens, limit = 0, "minimum" if whole else limit
    elif tokens < round(whole) and not limit:
        limit = "step"
    return Reach(tokens, end if tokens else -1, alive, same, limit)


def _by_marks(
    prompt: Prompt,
    sizes: Sequence[float],
    held: Held,
    rules: CacheRules,
    now: float,
    same: int,
) -> Reach:
    blocks, places = prompt.blocks, asked(prompt, rules)
    # A request's prefix lives as long as the longest-lived entry in it may.
    longest = max(rules.ttl_s, rules.long_ttl_s or 0.0) if held.entries else rules.ttl_s
    alive = next(
        (at for at in range(same, -1, -1) if _fresh(held, blocks[at], now, rules, longest)), -1
    )

    def found(at: int) -> bool:
        return _lives(held, blocks[at], now)

    hit = next(
        (at for at in reversed(places.reads) if found(at) and sizes[at] >= rules.min_tokens), -1
    )
    limit: Limit = ""
    if hit < alive:
        deeper = [at for at in places.beyond if at > hit and found(at)]
        short = all(sizes[at] < rules.min_tokens for at in deeper)
        limit = "marks" if not deeper else "minimum" if short else "look-back"
        if not deeper and hit < 0 and sizes[alive] < rules.min_tokens:
            limit = "minimum"
    return Reach(round(sizes[hit]) if hit >= 0 else 0, hit, alive, same, limit)


def _fresh(held: Held, block: Block, now: float, rules: CacheRules, longest: float) -> bool:
    """Whether a request that is not too old began with all up to this block. Beyond the short
    life only what a long-lived entry covers counts."""
    age = _age(held, block, now)
    return age <= rules.ttl_s or (age <= longest and _lives(held, block, now))


def _age(held: Held, block: Block, now: float) -> float:
    """Seconds since a request last began so; what was forgotten in front of a known prefix is as
    old as time."""
    return now - held.seen.get(block.digest, -1e18)


def _lives(held: Held, block: Block, now: float) -> bool:
    entry = held.entries.get(block.digest)
    return entry is not None and now - entry[0] <= entry[1]


def _last(blocks: Sequence[Block], known: Iterable[str]) -> int:
    """The last block of the longest known prefix. What is remembered of a prefix may have been
    forgotten in its middle only, so it is looked for from the end."""
    digests = known if isinstance(known, dict | frozenset) else set(known)
    return next((at for at in range(len(blocks) - 1, -1, -1) if blocks[at].digest in digests), -1)


def _stepped(tokens: float, step: int) -> int:
    return round(tokens) // max(1, step) * max(1, step)


def leaves(prompt: Prompt, rules: CacheRules, at: float, reply: Block | None, hit: int) -> Sent:
    """What a request leaves that was sent ``at`` some time and served up to block ``hit``, -1 for
    not at all. Its entries are named whether they are long enough or not: that is looked at when
    they might be read, since by then their size may have been told."""
    blocks = prompt.blocks
    writes = tuple((blocks[end].digest, life) for end, life in asked(prompt, rules).writes)
    chain = [block.digest for block in (*blocks, *((reply,) if reply else ()))]
    return Sent(at, tuple(chain), writes, blocks[hit].digest if hit >= 0 else "", reply is not None)


def newest_mark(prompt: Prompt, rules: CacheRules) -> str:
    """Digest of the block behind which a request has its newest mark."""
    writes = asked(prompt, rules).writes
    return prompt.blocks[writes[-1][0]].digest if writes else ""


def take(held: Held, sent: Sent, rules: CacheRules) -> None:
    """Let a cache hold what a request leaves behind."""
    if rules.kind == "slot":
        held.slot = frozenset(sent.chain)
    if rules.kind == "units":
        common = _common(held, sent, rules)
        ends = [sent.hit, common, *sent.chain[-1:], *(sent.chain[-2:-1] if sent.replied else ())]
        _enter(held, [(digest, rules.ttl_s) for digest in ends if digest], sent.at)
    if rules.kind == "marks":
        again = held.entries.get(sent.hit)
        read = [(sent.hit, again[1])] if again else []
        _enter(held, [*read, *sent.writes], sent.at)
    for digest in sent.chain:
        held.seen.pop(digest, None)
        held.seen[digest] = sent.at
    for most, table in ((MOST_SEEN, held.seen), (MOST_ENTRIES, held.entries)):
        for digest in list(table)[: max(0, len(table) - most)]:
            del table[digest]


def _enter(held: Held, written: Iterable[tuple[str, float]], at: float) -> None:
    """Write entries. Where one lives still it is read and goes on with the life that it has:
    what is served is not written again."""
    for digest, life in written:
        before = held.entries.pop(digest, None)
        if before is not None and at - before[0] <= before[1]:
            life = before[1]
        held.entries[digest] = (at, life)


def _common(held: Held, sent: Sent, rules: CacheRules) -> str:
    """Where a request goes apart from those before: that becomes a unit of its own."""
    chain = sent.chain[:-1] if sent.replied else sent.chain
    return next(
        (d for d in reversed(chain) if sent.at - held.seen.get(d, -1e18) <= rules.ttl_s), ""
    )
