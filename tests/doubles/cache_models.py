"""Prompt caches of providers, as they describe them: what is served of a request, and what stays.

Written from their documentation and apart from the product's own forecast, so that the two can
disagree. They compare the bytes of requests, not hashes, and know nothing of sessions or epochs.

- ``PrefixCache``: any leading part of a live request, in steps (OpenAI to 5.5, Gemini, xAI, Kimi,
  vLLM); with one slot only what was evaluated last, reply included (llama.cpp).
- ``MarkCache``: only where a request asked for an entry (Anthropic, Qwen, OpenAI from 5.6).
- ``UnitCache``: only whole stored requests and replies (DeepSeek V4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.doubles.cache_layout import Piece, common_bytes, common_tokens, tokens

Pieces = Sequence[Piece]

MOST_MARKS = 4
"""Entries that one request may write."""
FOR_EVER = 1e12


class Refused(Exception):
    """The request asks for something that this provider answers with status 400."""


@dataclass(frozen=True, slots=True)
class Served:
    """How the tokens of one prompt were come by."""

    total: int
    read: int
    written: int = 0
    """Tokens that went into entries which cost something."""
    long_written: int = 0
    """Of these, the ones that live an hour."""


class Cache(Protocol):
    """What one provider keeps of one account's requests to one model."""

    def serve(self, prompt: Pieces, now: float, reply: Pieces = (), *, own: bool = True) -> Served:
        """Answer a request and remember it.

        Args:
            prompt: its content blocks.
            now: seconds.
            reply: what the model says to it; empty for a reply that broke off.
            own: whether the provider may set a mark of its own.
        """


class PrefixCache:
    """Serves the longest leading part that a live request began with, token by token."""

    def __init__(
        self,
        ttl: float,
        *,
        least: int = 0,
        step: int = 1,
        replies: bool = False,
        slot: bool = False,
    ) -> None:
        self._ttl, self._least, self._step = ttl, least, step
        self._replies, self._slot = replies, slot
        self._held: list[tuple[float, Pieces]] = []

    def serve(self, prompt: Pieces, now: float, reply: Pieces = (), *, own: bool = True) -> Served:
        """See ``Cache``."""
        total = tokens(prompt)
        self._held = [(at, held) for at, held in self._held if now - at <= self._ttl]
        same = max((common_tokens(held, prompt) for _, held in self._held), default=0)
        read = min(same // self._step * self._step, total - 1)
        if self._slot:
            self._held.clear()
        self._held.append((now, [*prompt, *reply] if self._replies else list(prompt)))
        return Served(total, read if read >= self._least else 0)


class MarkCache:
    """Serves up to where an older request asked for an entry, and this one looks for it.

    ``lookback``: each mark finds an entry at most so many blocks back, its own counted, and more
    than four marks are refused. Without one, entries are found at marks only: the latest four are
    written and the latest ``reads`` read, and unless the request forbids it the provider marks the
    newest message of the user or a hand itself and reads at the ends of the older ones.
    """

    def __init__(
        self,
        ttl: float,
        *,
        least: int,
        lookback: int | None = None,
        long_ttl: float | None = None,
        reads: int = 80,
    ) -> None:
        self._ttl, self._least, self._lookback = ttl, least, lookback
        self._long_ttl, self._reads = long_ttl, reads
        self._entries: dict[bytes, tuple[float, float]] = {}
        """Prefix → (when it was last written or read, seconds that it lives)."""

    def serve(self, prompt: Pieces, now: float, reply: Pieces = (), *, own: bool = True) -> Served:
        """See ``Cache``."""
        asked = [at for at, piece in enumerate(prompt) if piece.mark]
        self._check(prompt, asked)
        heard = [at for at, piece in enumerate(prompt) if piece.heard]
        managed = heard if own and self._lookback is None else []
        written = asked
        if managed:
            written = sorted({*asked[1 - MOST_MARKS :], managed[-1]})
        written = written[-MOST_MARKS:]
        read = 0
        for at in self._readable(asked, written, managed):
            key, size = self._prefix(prompt, at)
            if size >= self._least and self._alive(key, now):
                read = size
                self._entries[key] = (now, self._entries[key][1])
                break
        return self._write(prompt, written, read, now)

    def _check(self, prompt: Pieces, asked: Sequence[int]) -> None:
        if self._lookback is None:
            return
        if len(asked) > MOST_MARKS:
            raise Refused(f"A maximum of 4 blocks with cache_control may be provided: {len(asked)}")
        lives = [prompt[at].mark for at in asked]
        if lives != sorted(lives):  # "1h" sorts before "5m"
            raise Refused("a ttl='1h' cache_control block must not come after a ttl='5m' one")
        if "1h" in lives and self._long_ttl is None:
            raise Refused("cache_control.ttl: extra inputs are not permitted")

    def _readable(
        self, asked: Sequence[int], written: Sequence[int], managed: Sequence[int]
    ) -> list[int]:
        """Where an entry would be found, longest prefix first."""
        if self._lookback is not None:
            near = {at for mark in asked for at in range(mark - self._lookback + 1, mark + 1)}
            return sorted((at for at in near if at >= 0), reverse=True)
        return sorted({*asked, *written, *managed}, reverse=True)[: self._reads]

    def _write(self, prompt: Pieces, written: Sequence[int], read: int, now: float) -> Served:
        end = long_end = 0
        for at in written:
            key, size = self._prefix(prompt, at)
            if size < self._least:
                continue
            long = prompt[at].mark == "1h" and self._long_ttl is not None
            life = self._long_ttl if long and self._long_ttl is not None else self._ttl
            if self._alive(key, now):
                life = self._entries[key][1]  # It is read, and what is read is not written anew.
            self._entries[key] = (now, life)
            end, long_end = size, size if long else long_end
        new = max(0, end - read)
        return Served(tokens(prompt), read, new, min(new, max(0, long_end - read)))

    def _prefix(self, prompt: Pieces, at: int) -> tuple[bytes, int]:
        part = prompt[: at + 1]
        return _joined(part), tokens(part)

    def _alive(self, key: bytes, now: float) -> bool:
        at, life = self._entries.get(key, (-FOR_EVER, 0.0))
        return now - at <= life


class UnitCache:
    """Serves whole units only: a former prompt, a former prompt with its reply, and what two
    requests were found to have in common, from the third on."""

    def __init__(self, ttl: float) -> None:
        self._ttl = ttl
        self._units: dict[bytes, tuple[float, int]] = {}
        """Unit → (when it was last stored or read, its tokens)."""
        self._seen: list[tuple[float, Pieces]] = []

    def serve(self, prompt: Pieces, now: float, reply: Pieces = (), *, own: bool = True) -> Served:
        """See ``Cache``."""
        data, total = _joined(prompt), tokens(prompt)
        live = {unit: n for unit, (at, n) in self._units.items() if now - at <= self._ttl}
        hit = max((unit for unit in live if data.startswith(unit)), key=len, default=b"")
        self._seen = [(at, old) for at, old in self._seen if now - at <= self._ttl]
        nearest: Pieces = max(
            (old for _, old in self._seen), key=lambda old: common_tokens(old, prompt), default=()
        )
        shared = data[: common_bytes(_joined(nearest), data)]
        for unit, size in (
            (hit, live.get(hit, 0)),
            (shared, common_tokens(nearest, prompt)),
            (data, total),
            (_joined([*prompt, *reply]), total + tokens(reply)),
        ):
            if unit:
                self._units[unit] = (now, size)
        self._seen.append((now, list(prompt)))
        return Served(total, min(live.get(hit, 0), total - 1))


def _joined(pieces: Pieces) -> bytes:
    """A prefix as bytes. No prefix of other blocks has the same ones."""
    return b"".join(piece.data + b"\0" for piece in pieces)


CACHES: dict[str, Callable[[], Cache]] = {
    "anthropic_5m": lambda: MarkCache(300, least=512, lookback=20, long_ttl=3600),
    "anthropic_1h": lambda: MarkCache(300, least=512, lookback=20, long_ttl=3600),
    "openai_auto": lambda: PrefixCache(600, least=1024, step=128),
    "openai_auto_24h": lambda: PrefixCache(86_400, least=1024, step=128),
    "gpt6_implicit": lambda: MarkCache(1800, least=1024),
    "gpt6_explicit": lambda: MarkCache(1800, least=1024),
    "deepseek_v4": lambda: UnitCache(86_400),
    "llamacpp_slot": lambda: PrefixCache(FOR_EVER, replies=True, slot=True),
    "gemini": lambda: PrefixCache(300, least=1024),
    "qwen": lambda: MarkCache(300, least=1024, lookback=20),
    "kimi": lambda: PrefixCache(300, step=256),
    "grok": lambda: PrefixCache(600, step=128),
}
"""One account at each provider, by the name of the model of its cache."""
