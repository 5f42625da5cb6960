"""Pace: how fast the prompt grows, and what follows for its sizes.

The economy itself is memory's; here are its inputs: the room that model and user leave, the
provider's prices, and the rate at which calls append.
"""

from __future__ import annotations

from growbox_tui.agent.conversation import Conversation
from growbox_tui.models.cache_rules import CacheRules
from memory.context import economy
from memory.context.economy import AppendRate, Prices
from memory.tokens import estimate
from memory.types import Budget

LEAST_WINDOW = 256
"""Estimated tokens of the smallest window that is reckoned with; a model may state any number."""

LEAST_STATED = 512
"""Tokens of the smallest context that a server is believed to have: no model that talks has less,
and what is believed is remembered of the model for good."""

LEAST_BESIDE = 2_000
"""Estimated tokens beside tools, system text and rules, however small a window the user wants: in
less an epoch would end at every request, and no cache would serve any of them."""


def room(talk: Conversation) -> int:
    """Estimated tokens that a prompt may take: what the model takes, and no more than the user
    wants it to, as long as that leaves room for a conversation."""
    most = int(talk.usable / talk.learned.ratio)
    if talk.wanted.window is not None:
        wanted = int(talk.wanted.window / talk.learned.ratio)
        most = min(most, max(wanted, front(talk) + LEAST_BESIDE))
    return max(LEAST_WINDOW, most)


def narrow(talk: Conversation) -> str:
    """What to tell of a window that is too small for any conversation; empty for one that is not.
    Told once."""
    wanted, used = talk.wanted.window, talk.real(room(talk))
    if wanted is None or used <= wanted or talk.told_narrow:
        return ""
    talk.told_narrow = True
    return (
        f"The window of {wanted:,} tokens is smaller than what stands in front of every prompt "
        f"and {LEAST_BESIDE:,} beside it; {used:,} are used."
    )


def budget(talk: Conversation) -> Budget:
    """The sizes that hold now, in estimated tokens."""
    window = room(talk)
    fixed = front(talk)
    return economy.budget(
        window,
        min(fixed, window),
        talk.rate,
        prices(talk.cache_rules),
        region=_region(talk, window),
        filled=talk.window.region_tokens,
    )


def front(talk: Conversation) -> int:
    """Estimated tokens of what stands in front of the region: tools, system text and rules."""
    view = talk.window
    if view.epoch is None:
        return sum(map(estimate, (*talk.tools, *talk.system_now())))
    return view.tokens - view.region_tokens - view.tail_tokens


def _region(talk: Conversation, window: int) -> int | None:
    """What the user wants of the region, in estimated tokens."""
    region = talk.wanted.region
    if region is None:
        return None
    return int(window * region if region <= 1 else region / talk.learned.ratio)


def prices(rules: CacheRules) -> Prices:
    """What a model's cache charges, as shares of its input price."""
    return Prices(1.0, 1.0) if rules.kind == "none" else Prices(rules.read, rules.write)


def note_growth(talk: Conversation) -> None:
    """Learn the rate from what stands in the prompt since the request before. Called once for
    each request, before it goes out."""
    assert talk.window.epoch is not None, "a request is laid out from an epoch"
    now = (talk.window.epoch.number, talk.window.tokens)
    before, talk.grown_from = talk.grown_from, now
    if before[0] == now[0]:
        talk.rate = talk.rate.after(now[1] - before[1])


async def recall_rate(talk: Conversation) -> None:
    """Take up the rate that an earlier process learnt in this conversation."""
    kept = await talk.mind.kept(f"rate:{talk.window.session}")
    if kept is not None:
        talk.rate = AppendRate.from_plain(kept)
