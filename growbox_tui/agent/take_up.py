"""Take up: what a conversation goes on with when a new process opens it."""

from __future__ import annotations

from growbox_tui.agent.accounting import recall_requests
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.errata import Errata, Front, written
from growbox_tui.agent.events import PlanItem
from growbox_tui.agent.pace import recall_rate


async def take_up(talk: Conversation) -> None:
    """Read what earlier processes kept: what the model taught, and of this session its rules, its
    plan, what was told, and the rate at which it grows. A new session has none of that."""
    session, kept = talk.window.session, talk.mind.kept
    await talk.use(talk.model)
    talk.rules = await talk.mind.rules(session)
    talk.plan = tuple(PlanItem(text, state) for text, state in await kept(f"plan:{session}", []))
    talk.waiting = tuple(await kept(f"waiting:{session}", []))
    await recall_rate(talk)
    told = await kept(f"errata:{session}")
    if told is not None:
        talk.errata = Errata.from_plain(told)
    elif talk.window.epoch is not None:
        # Files of an earlier version: what stood there was instructions alone.
        talk.errata = written(Front("\n".join(talk.window.epoch.system[2:])))
    await recall_requests(talk)
