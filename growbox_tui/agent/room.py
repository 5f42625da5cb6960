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
from growbox_tui.agent.fullness import Fill, forced, outgrown, smaller, sweeps, worth_sweeping
from growbox_tui.agent.ledger import Ledger
from growbox_tui.agent.pace import LEAST_STATED, budget, front, room
from growbox_tui.agent.shorten import shortened
from growbox_tui.agent.standing import standing
from growbox_tui.agent.uncut import finish
from growbox_tui.agent.wishes import rule_views, show_standing
from growbox_tui.models.cache_rules import HOUR_S
from memory.types import Budget

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


def fill(talk: Conversation) -> Fill:
    """How full the prompt is."""
    view = talk.window
    sizes = room(talk), front(talk), view.region_tokens, view.tail_tokens
    return Fill(*sizes, talk.settled_tail)


def _worth_it(talk: Conversation) -> bool:
    """Whether a sweep would make the prompt smaller, or put into its front what has changed."""
    assert talk.window.epoch is not None
    changed = talk.window.epoch.system != talk.system_now()
    return worth_sweeping(fill(talk), budget(talk)) or changed or bool(talk.window.leaving)


async def make_room(talk: Conversation) -> None:
    """End the epoch when the tail has outgrown its part, or the whole its window."""
    sizes = budget(talk)
    if outgrown(fill(talk), sizes):
        await begin(talk, FULL, cold=False, sizes=sizes)
    await fit(talk, FULL)


async def fit(talk: Conversation, why: str) -> None:
    """Make the whole prompt fit the window, whatever else has to go."""
    for share in forced(fill(talk)):
        if fill(talk).fits:
            return
        await begin(talk, why, cold=False, sizes=smaller(fill(talk), budget(talk), share))


async def shorten_for(talk: Conversation, limit: int | None) -> bool:
    """Shorten a prompt that the model refused as too long. Returns whether that helped.

    ``limit``: the context window that its server stated, in tokens; where it did not, or
    one that no model has, the window is taken to be three quarters of what was refused.
    """
    before = talk.window.tokens
    if limit and limit >= LEAST_STATED:
        await talk.learn(replace(talk.learned, context=limit))
    else:  # a guess, for this session only
        talk.learned = replace(talk.learned, context=talk.real(before) * 3 // 4)
    await begin(talk, TOO_LONG, cold=False, sizes=smaller(fill(talk), budget(talk), 1.0))
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
    rules = rule_views(talk)
    before, messages, now = window.tokens, len(window.entries), talk.front()
    # After a warm sweep all behind the region is written anew, so its front may be put right too.
    anew = old is None or cold or old.tools != talk.tools or sweeps(fill(talk), sizes)
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
    show_standing(talk, rules)
