"""Ledger on file: what a ledger knows as plain JSON, bounded, for the next process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.reach import Held, Sent
from growbox_tui.agent.scale import Scale
from growbox_tui.agent.shortfalls import Past
from growbox_tui.models.cache_rules import CacheRules

FORMAT = 3
NAME = 12
"""Letters of a digest; they are packed without anything between them."""
MOST = 800
"""Prefixes, blocks and sizes that are kept on file, newest first, beside those of the newest
request: it is written with each one."""


def to_plain(ledger: Ledger) -> dict[str, Any]:
    """What JSON holds of a ledger; some tens of kilobytes."""
    held, past = ledger.held, ledger.past
    newest = next(reversed(held.seen.values()), 0.0)
    most = MOST + sum(at == newest for at in held.seen.values())
    seen = list(held.seen.items())[-most:]
    known = list(ledger.known.items())[-most:]
    return {
        "format": FORMAT,
        "scale": ledger.scale.to_plain(),
        "seen": [
            [at, "".join(name for name, _ in same)]
            for at, same in groupby(seen, key=lambda item: item[1])
        ],
        "entries": [[name, *entry] for name, entry in list(held.entries.items())[-MOST:]],
        "slot": _pack(sorted(held.slot)),
        "open": [
            [sent.at, _pack(sent.chain), sent.writes, sent.hit, sent.replied]
            for sent in ledger.open
        ],
        "exact": dict(list(ledger.exact.items())[-MOST:]),
        "known": [_pack(name for name, _ in known), [size for _, size in known]],
        "trailing": ledger.trailing,
        "newest": ledger.newest,
        "gaps": ledger.gaps,
        "past": [past.requests, past.epoch, past.at],
    }


def from_plain(plain: Any, rules: CacheRules, ratio: float) -> Ledger:
    """The ledger that ``to_plain`` wrote, by today's rules; a new one where there is none, or
    where it is of another format. ``ratio``: tokens for an estimated one, until it learns."""
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        return Ledger(rules, Scale.of(ratio))
    seen = {name: at for at, names in plain["seen"] for name in _unpack(names)}
    entries = {name: (at, life) for name, at, life in plain["entries"]}
    requests, epoch, at = plain["past"]
    names, sizes = plain["known"]
    return Ledger(
        rules,
        Scale.from_plain(plain["scale"]),
        held=Held(seen, entries, frozenset(_unpack(plain["slot"]))),
        open=[
            Sent(sent_at, tuple(_unpack(chain)), tuple((n, life) for n, life in writes), hit, said)
            for sent_at, chain, writes, hit, said in plain["open"]
        ],
        exact=plain["exact"],
        known=dict(zip(_unpack(names), sizes, strict=True)),
        trailing=plain["trailing"],
        newest=plain["newest"],
        gaps=plain["gaps"],
        past=Past(requests, "", epoch, at, plain.get("thinned", False)),
    )


def thinned(plain: Any, before: float) -> dict[str, Any] | None:
    """What stays of a ledger on file whose cache was last asked ``before`` that time, so that all
    in it has expired: how the provider counts and how long pauses were. ``None`` where it is not
    so old, or of a later format than this."""
    if not isinstance(plain, dict) or plain.get("format", 0) < FORMAT:
        return {}
    if plain["format"] > FORMAT:
        return None
    times = [plain["past"][2] or 0.0, *(at for at, _ in plain["seen"])]
    if max([*times, *(sent[0] for sent in plain["open"])]) >= before:
        return None
    nothing: dict[str, Any] = {
        "seen": [],
        "entries": [],
        "slot": "",
        "open": [],
        "exact": {},
        "known": ["", []],
        "newest": "",
    }
    return {**plain, **nothing, "thinned": True}


def _pack(names: Iterable[str]) -> str:
    return "".join(names)


def _unpack(names: str) -> Sequence[str]:
    return [names[at : at + NAME] for at in range(0, len(names), NAME)]
