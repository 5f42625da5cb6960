"""Recalling: what the user asks of memory itself. A question, why it answered, that it was wrong,
and the map of what it has learned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import Notice, Recalled, StepView
from growbox_tui.agent.placing import place
from growbox_tui.agent.recall_view import recalled, step_view
from memory.recall.overview import Jump, MemoryMap
from memory.recollection import Query, Recollection
from memory.tokens import estimate

SCHEME = "mem://"
LEARNED = "Learned: questions like this one are led elsewhere from now on."


async def recall_steps(
    talk: Conversation,
    text: str,
    *,
    deeper: bool = False,
    exhaustive: bool = False,
    told: Callable[[StepView], None] = lambda _: None,
) -> Recalled:
    """Ask memory without a word to the model; ``told`` is called after each step of the ladder.

    ``deeper`` goes on to exact reading whatever was found, ``exhaustive`` reads everything.
    """
    query = Query(
        text,
        project=str(talk.project),
        session=talk.window.session,
        turn=talk.window.turns,
        deeper=deeper,
        exhaustive=exhaustive,
    )
    found = await talk.mind.recall(query, lambda step: told(step_view(step)))
    return _looked_up(talk, found)


async def why(talk: Conversation) -> Recalled | None:
    """The last recall of this session, as it was; ``None`` where there was none."""
    found = await talk.mind.why(talk.window.session)
    return _looked_up(talk, found) if found is not None else None


async def wrong(
    talk: Conversation, recollection: int, addresses: Sequence[str] = (), *, aloud: bool = True
) -> Recalled:
    """Learn that memories of a recollection were not what was meant (without addresses: none of
    them was), and dig deeper at once.

    ``aloud``: it is told of in the conversation, and what the deeper look found goes to the model
    with the user's next words. Raises ``LookupError`` for a recollection that is not on file.
    """
    ids = [address.removeprefix(SCHEME) for address in addresses]
    if not aloud:
        return _looked_up(talk, await talk.mind.wrong(recollection, ids))
    event = await dig_deeper(talk, recollection, ids)
    talk.publish(Notice("info", LEARNED))
    talk.publish(event)
    return event


async def dig_deeper(talk: Conversation, recollection: int, ids: Sequence[str]) -> Recalled:
    """As ``wrong``, told to the model but not in the conversation yet; the event that tells it."""
    found = await talk.mind.wrong(recollection, ids)
    placed = await asyncio.to_thread(place, talk, found, set(ids))
    tokens = sum(estimate(body) for body in placed.values())
    event = recalled(found, placed, tokens, "wrong")
    if placed:
        talk.waiting = tuple(dict.fromkeys([*talk.waiting, *placed]))
        await talk.keep("waiting", list(talk.waiting))
    return event


async def chart(talk: Conversation) -> MemoryMap:
    """What recall has learned so far, and what was read of the timeline."""
    return await talk.mind.map()


async def undo_jump(talk: Conversation, number: int) -> Jump:
    """Take back where the user pointed. Raises ``LookupError`` for an unknown jump."""
    jump = await talk.mind.undo_jump(number)
    if jump is None:
        raise LookupError(f"there is no jump {number}")
    return jump


def _looked_up(talk: Conversation, found: Recollection) -> Recalled:
    """As an event, in which what stands in the prompt counts as placed."""
    standing = {hit.node.id for hit in found.hits if talk.window.holds(hit.node.id)}
    return recalled(found, standing, occasion="asked")
