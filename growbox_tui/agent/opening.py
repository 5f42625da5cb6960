"""Opening a turn: recall, the mentioned files, and the user's words become one message."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from dataclasses import dataclass

from growbox_tui.agent.citing import heed
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.errata import corrections
from growbox_tui.agent.events import Event, Notice, TurnStarted
from growbox_tui.agent.mentions import as_block, attach
from growbox_tui.agent.messages import Part, Text
from growbox_tui.agent.placing import place
from growbox_tui.agent.pointing import point_at_quotations
from growbox_tui.agent.recall_view import recalled
from growbox_tui.agent.uncut import finish
from growbox_tui.agent.wishes import delivered, forced, keep_stated
from memory import MemoryFileError
from memory.recollection import Query
from memory.tokens import estimate

GOING_ON = {"continue", "go on", "carry on", "继续", "接着", "続けて", "계속"}
"""Words that ask for more of what is before the model, and nothing of memory."""


async def open_turn(talk: Conversation, turn: int, text: str, typed: str) -> None:
    """Record the user's message with what memory and the mentioned files add to it.

    Nothing is told of the turn before its words are on disk; they are recorded even when recall
    fails or is cancelled. ``typed`` is the part of the text that the user wrote: only there is
    ``@path`` a mention, since a pipe may bring anybody's words.
    """
    found = Found([], [], [])
    heeded: list[Event] = []
    # Before recall, so that it goes where the words point; the first words of a conversation have
    # to be on file first, to lead from.
    begun = bool(talk.window.turns)
    told = await point_at_quotations(talk, typed) if begun else []
    try:
        heeded = await heed(talk, typed)
        found = await _put_before(talk, turn, text)
        found.parts.extend(await asyncio.to_thread(_attached, talk, typed, found))
    finally:
        found.told[:0] = heeded
        await finish(_record(talk, turn, text, found))
    for notice in told or ([] if begun else await point_at_quotations(talk, typed)):
        talk.publish(notice)
    await keep_stated(talk, typed)


async def _record(talk: Conversation, turn: int, text: str, found: Found) -> None:
    where, front = talk.surroundings(), talk.front()
    notes = corrections(talk.errata.told, front)
    head: list[Part] = [Text(words) for words in (where, *notes) if words]
    node = talk.node("user", text, turn)
    parts = [*head, *found.parts, Text(text)]
    address = await talk.add(turn, "user", parts, node, found.shows)
    talk.publish(TurnStarted(turn, text, address))
    for event in found.told:
        talk.publish(event)
    await delivered(talk, front)


async def _put_before(talk: Conversation, turn: int, text: str) -> Found:
    """Notes and pinned memories that stand nowhere yet, then what recall finds beside them."""
    parts, shows = await forced(talk)
    if not asks(talk, text):
        return Found(parts, shows, [])
    found = await _remembered(talk, turn, text, set(shows))
    return Found([*parts, *found.parts], [*shows, *found.shows], found.told)


@dataclass(frozen=True, slots=True)
class Found:
    """What goes into the message beside the words, and what is told of it once it is on disk."""

    parts: list[Part]
    shows: list[str]
    """Ids of the remembered nodes in it."""
    told: list[Event]


def asks(talk: Conversation, text: str) -> bool:
    """Whether the words ask anything of memory; "continue" means what is before the model."""
    return not (talk.window.entries and text.strip(" .!。！").casefold() in GOING_ON)


def _attached(talk: Conversation, text: str, found: Found) -> list[Part]:
    """The mentioned files; a notice for each that cannot be read."""
    parts: list[Part] = []
    for file in attach(text, talk.read_file, talk.attach_budget):
        if file.problem:
            words = f"@{file.path} was not attached: {file.problem}"
            found.told.append(Notice("warning", words))
        else:
            parts.append(Text(as_block(file)))
    return parts


async def _remembered(talk: Conversation, turn: int, text: str, there: Set[str]) -> Found:
    """The memories that bear on the words and do not stand in the prompt yet, nor are ``there``
    already."""
    query = Query(text, project=str(talk.project), session=talk.window.session, turn=turn)
    try:
        found = await talk.mind.recall(query)
    except MemoryFileError as error:
        return Found([], [], [Notice("warning", f"memory could not be searched: {error}")])
    talk.looks.note(found.id, [hit.node.id for hit in found.hits])
    # In a thread: a remembered text may be megabytes, and the screen must not wait for it.
    placed = await asyncio.to_thread(place, talk, found, there)
    await talk.mind.found(
        talk.window,
        [hit.node.id for hit in found.hits],
        [hit.node.id for hit in found.hits if hit.placeholder],
    )
    tokens = sum(estimate(body) for body in placed.values())
    told: list[Event] = [recalled(found, placed, tokens)]
    if found.notice:
        told.append(Notice("info" if found.complete else "warning", found.notice))
    parts: list[Part] = [Text("\n".join(placed.values()))] if placed else []
    return Found(parts, list(placed), told)
