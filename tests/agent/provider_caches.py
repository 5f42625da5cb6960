"""Provider caches of our own, written apart from the ledger so that the two can disagree.

A prompt is a list of (bytes, tokens): what a provider sees, without hashes, chains or estimates.
A prefix is the tuple of its pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from growbox_tui.agent.prompt import Prompt
from growbox_tui.models.cache_rules import CacheRules

Piece = tuple[str, int]


@dataclass(frozen=True)
class Bill:
    """What a provider says of one request."""

    total: int
    read: int
    write: int


@dataclass
class Provider:
    """One account at one provider."""

    rules: CacheRules
    sent: dict[tuple[Piece, ...], float] = field(default_factory=dict)
    """Prefix → when it was last sent."""
    stored: dict[tuple[Piece, ...], tuple[float, float]] = field(default_factory=dict)
    """Prefix → (last written or read, life)."""
    last: tuple[Piece, ...] = ()

    def serve(
        self,
        pieces: Sequence[Piece],
        now: float,
        *,
        marks: Sequence[tuple[int, bool]] = (),
        reads: Sequence[int] = (),
        heard: Sequence[int] = (),
        parts: Sequence[int] = (),
        reply: Piece | None = None,
    ) -> Bill:
        """Answer a request. ``marks`` are (piece behind which it stands, long)."""
        whole = tuple(pieces)
        total = size(whole)
        if self.rules.kind == "marks":
            return self._marks(whole, now, list(marks), list(reads), list(heard), list(parts))
        read = getattr(self, f"_{self.rules.kind}")(whole, now)
        read -= read % self.rules.step
        read = 0 if read < self.rules.min_tokens else min(read, total - 1)
        for length in range(1, len(whole) + 1):
            self.sent[whole[:length]] = now
        said = whole + ((reply,) if reply and self.rules.caches_reply else ())
        self.last = said
        self.stored[whole] = self.stored[said] = (now, self.rules.ttl_s)
        if len(said) > len(whole):
            self.sent[said] = now
        return Bill(total, read, 0)

    def _none(self, whole: tuple[Piece, ...], now: float) -> int:
        return 0

    def _prefix(self, whole: tuple[Piece, ...], now: float) -> int:
        for length in range(len(whole), 0, -1):
            if now - self.sent.get(whole[:length], float("-inf")) <= self.rules.ttl_s:
                return size(whole[:length])
        return 0

    def _slot(self, whole: tuple[Piece, ...], now: float) -> int:
        same = 0
        for old, new in zip(self.last, whole, strict=False):
            if old != new:
                break
            same += 1
        return size(whole[:same])

    def _units(self, whole: tuple[Piece, ...], now: float) -> int:
        read = 0
        for length in range(len(whole), 0, -1):
            if self._alive(whole[:length], now):
                read = size(whole[:length])
                self.stored[whole[:length]] = (now, self.rules.ttl_s)
                break
        for length in range(len(whole), 0, -1):
            if now - self.sent.get(whole[:length], float("-inf")) <= self.rules.ttl_s:
                self.stored[whole[:length]] = (now, self.rules.ttl_s)
                break
        return read

    def _alive(self, prefix: tuple[Piece, ...], now: float) -> bool:
        at, life = self.stored.get(prefix, (float("-inf"), 0.0))
        return now - at <= life

    def _marks(
        self,
        whole: tuple[Piece, ...],
        now: float,
        marks: list[tuple[int, bool]],
        reads: list[int],
        heard: list[int],
        parts: list[int],
    ) -> Bill:
        assert len(marks) <= self.rules.max_marks
        places = {at for at, _ in marks} | set(reads)
        if self.rules.implicit and not places:
            marks, places = [(heard[-1], False)], set(heard)
        if self.rules.lookback is not None:
            places = {
                at
                for mark, _ in marks
                for at in range(mark + 1)
                if sum(parts[at + 1 : mark + 1]) < self.rules.lookback
            }
        elif self.rules.read_marks:
            places = set(sorted(places)[-self.rules.read_marks :])
        read = 0
        for at in sorted(places, reverse=True):
            prefix = whole[: at + 1]
            if self._alive(prefix, now) and size(prefix) >= self.rules.min_tokens:
                read = size(prefix)
                self.stored[prefix] = (now, self.stored[prefix][1])
                break
        end = 0
        for at, long in marks:
            prefix = whole[: at + 1]
            if size(prefix) < self.rules.min_tokens:
                continue
            end = max(end, size(prefix))
            life = self.rules.long_ttl_s if long else self.rules.ttl_s
            assert life is not None
            if self._alive(prefix, now):
                life = self.stored[prefix][1]
            self.stored[prefix] = (now, life)
        return Bill(size(whole), read, max(0, end - read))


def size(prefix: Sequence[Piece]) -> int:
    """Its tokens."""
    return sum(tokens for _, tokens in prefix)


def serve(
    provider: Provider, prompt: Prompt, pieces: Sequence[Piece], now: float, reply: Piece | None
) -> Bill:
    """Send a laid-out prompt whose blocks are these pieces."""
    marks = prompt.request.marks
    return provider.serve(
        pieces,
        now,
        marks=[(prompt.position(mark), mark.long) for mark in marks if not mark.read_only],
        reads=[prompt.position(mark) for mark in marks if mark.read_only],
        heard=[at for at, block in enumerate(prompt.blocks) if block.heard],
        parts=[block.parts for block in prompt.blocks],
        reply=reply,
    )
