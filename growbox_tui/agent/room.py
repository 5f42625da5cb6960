"""Room: when an epoch ends, and with what the next one starts.

An epoch ends at a cold point, where it costs nothing, or when the budget forces it; a change of
model, rules or instructions alone never ends one. While the cache is warm the front of the prompt
stays as it is, and what has changed there is carried as it was told.
"""

from __future__ import annotations

from dataclasses import replace

from growbox_tui.agent.accounting import ledger_of
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.errata import Errata, written
from growbox_tui.agent.events import Rebased
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.pace import budget, front, room
from growbox_tui.agent.shorten import shortened
from growbox_tui.agent.standing import standing
from growbox_tui.agent.uncut import finish
from memory.types import Budget

FORCED = (1.0, 0.7, 0.4, 0.2)
"""Shares of the room tried one after another while a prompt stays too large."""
HOUR_S = 3600.0
COLD_SLACK = 1.2
"""Times its low mark that tail or region may be at a cold point before that is worth a sweep."""

EXPIRED = "the cache had expired"
FULL = "the conversation outgrew its part of the window"
TOO_LONG = "the prompt was too long for the model"
ASKED = "you asked for it"


async def cold(talk: Conversation) -> bool:
    """Whether no cache serves any of the prompt, so that changing it costs nothing. A voice that
    was left counts for an hour: the user may come back to it."""
    now, own = talk.now(), await ledger_of(talk, talk.model)
    others = [ledger for ledger in talk.ledgers.values() if ledger is not own]
    recent = [ledger for ledger in others if now - (ledger.past.at or 0.0) < HOUR_S]
    return not any(alive(ledger, now) for ledger in (own, *recent))


def alive(ledger: Ledger, now: float) -> bool:
    """Whether a model's cache still holds anything of the newest request; ``now`` in seconds."""
    if ledger.rules.kind == "none" or ledger.past.at is None:
        return False
    lasting = any(at + life >= now for at, life in ledger.held.entries.values())
    return lasting or now - ledger.past.at <= ledger.rules.ttl_s


async def ready(talk: Conversation) -> None:
    """Have an epoch to speak in; at a cold point a fresh one, where that is worth it."""
    epoch = talk.window.epoch
    if epoch is None:
        await begin(talk, "the session began", cold=True)
    elif epoch.tools != talk.tools:
        await begin(talk, "the hands changed with a new version", cold=await cold(talk))
    elif await cold(talk) and _worth_it(talk):
        await begin(talk, EXPIRED, cold=True)


def _worth_it(talk: Conversation) -> bool:
    """Whether a sweep would make the prompt smaller, or put into its front what has changed."""
    assert talk.window.epoch is not None
    sizes = budget(talk)
    large = talk.window.tail_tokens > max(sizes.tail_low, talk.settled_tail) * COLD_SLACK
    wide = talk.window.region_tokens > sizes.region_low * COLD_SLACK
    changed = talk.window.epoch.system != talk.system_now()
    return large or wide or changed or bool(talk.window.leaving)


async def make_room(talk: Conversation) -> None:
    """End the epoch when the tail has outgrown its part, or the whole its window."""
    sizes = budget(talk)
    large = talk.window.tail_tokens > max(sizes.tail_high, _unmoved(talk, sizes))
    if large and front(talk) < room(talk):
        await begin(talk, FULL, cold=False, sizes=sizes)
    await fit(talk, FULL)


def _unmoved(talk: Conversation, sizes: Budget) -> int:
    """A tail that an epoch's end left larger than it should be is left until it has grown."""
    return talk.settled_tail + (sizes.tail_high - sizes.tail_low) // 2 if talk.settled_tail else 0


async def fit(talk: Conversation, why: str) -> None:
    """Make the whole prompt fit the window, whatever else has to go. Where its front alone is
    larger, no share of nothing would make a difference."""
    for share in FORCED if front(talk) < room(talk) else FORCED[-1:]:
        if talk.window.tokens <= room(talk):
            return
        await begin(talk, why, cold=False, sizes=_smaller(talk, share))


def _smaller(talk: Conversation, share: float) -> Budget:
    """Sizes for a share of what the front leaves of the window; the region is swept as well."""
    sizes = budget(talk)
    left = max(0, int((room(talk) - front(talk)) * share))
    low = max(1, min(sizes.tail_low, left // 2))
    region = min(sizes.region_low, left // 3)
    return replace(
        sizes,
        tail_low=low,
        tail_high=max(low, left - region),
        region_low=region,
        region_high=region,
        chain=min(sizes.chain, region),
    )


async def shorten_for(talk: Conversation, limit: int | None) -> bool:
    """Shorten a prompt that the model refused as too long. Returns whether that helped.

    ``limit``: the context window that its server stated, in tokens; where it did not, the
    window is taken to be three quarters of what was refused.
    """
    before = talk.window.tokens
    if limit:
        await talk.learn(replace(talk.learned, context=limit))
    else:  # a guess, for this session only
        talk.learned = replace(talk.learned, context=talk.real(before) * 3 // 4)
    await begin(talk, TOO_LONG, cold=False, sizes=_smaller(talk, 1.0))
    await fit(talk, TOO_LONG)
    return talk.window.tokens < before


async def compact(talk: Conversation) -> None:
    """End the epoch because the user wants it, where there is anything that can go."""
    sizes = budget(talk)
    view = talk.window
    small = view.tail_tokens <= sizes.tail_low and view.region_tokens <= sizes.region_low
    if view.epoch is None or (small and not view.leaving):
        return
    await begin(
        talk, ASKED, cold=await cold(talk), sizes=replace(sizes, region_high=sizes.region_low)
    )


async def begin(talk: Conversation, why: str, *, cold: bool, sizes: Budget | None = None) -> None:
    """End the epoch, if one runs, and start the next. Carried through though its turn is stopped:
    what was told must be known of the epoch that is on disk."""
    await finish(_begin(talk, why, cold, sizes))


async def _begin(talk: Conversation, why: str, cold: bool, sizes: Budget | None) -> None:
    window, old, sizes = talk.window, talk.window.epoch, sizes or budget(talk)
    sizes = replace(sizes, tail_low=max(1, sizes.tail_low))  # nothing at all is for a nap
    before, messages, now = window.tokens, len(window.entries), talk.front()
    anew = old is None or cold or old.tools != talk.tools or _sweeps(talk, sizes)
    stands = written(now).stands if anew else talk.errata.stands
    epoch = await talk.mind.begin_epoch(
        window,
        tools=talk.tools,
        system=talk.system_now() if old is None or anew else old.system,
        why=why,
        budget=sizes,
        cold=cold,
        shorten=shortened,
        standing=standing(talk.plan, stands, now, None if cold else old),
        policy=talk.wanted.policy,
    )
    talk.errata = Errata(stands, now)
    await talk.keep("errata", talk.errata.to_plain())
    await talk.keep("rate", talk.rate.to_plain())
    talk.settled_tail, talk.sent = window.tail_tokens, None
    if old is not None:
        dropped = messages - len(window.entries)
        sizes_told = talk.real(before), talk.real(window.tokens)
        talk.publish(Rebased(epoch.number, why, len(epoch.items), dropped, cold, *sizes_told))


def _sweeps(talk: Conversation, sizes: Budget) -> bool:
    """Whether the region will be swept though the cache is warm: then all behind it is written
    anew as well, and its front may as well be put right."""
    leaving = max(0, talk.window.tail_tokens - sizes.tail_low)
    return talk.window.region_tokens + leaving * sizes.condense > sizes.region_high
