"""Citing: what the model used of its memories confirms them, and the user's complaint does not.

A turn's end tells memory which of what it brought was cited or paged in. Words that begin with a
complaint, and a refusal of an edit that does, make what the answer rested on wrong for its
question, and memory digs deeper at once.
"""

from __future__ import annotations

from growbox_tui.agent.complaints import complains
from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.dispatch import Done
from growbox_tui.agent.events import Event, Notice
from growbox_tui.agent.recalling import LEARNED, dig_deeper
from memory import MemoryFileError
from memory.recall.references import refers_back

REFUSED = "the user refused this: "
"""How a refusal with a reason begins."""
EDITS = frozenset({"edit_file", "write_file"})


async def confirm_cited(talk: Conversation) -> None:
    """Tell memory what the turn's replies cited and what was paged in. Nothing is told of a turn
    that cited nothing: most models do not say what they used."""
    for number, ids in talk.looks.used(talk.window.remembered).items():
        try:
            await talk.mind.confirm(number, ids)
        except LookupError:
            continue  # so long ago that the recollection is not on file any more
        except MemoryFileError as error:
            talk.publish(Notice("warning", f"what was cited could not be learned: {error}"))


async def heed(talk: Conversation, typed: str) -> list[Event]:
    """Begin a turn: if its words complain of the last answer, learn that what it rested on was
    wrong; what a deeper look finds goes to the model with these words. What is to be told of it."""
    blamed = talk.looks.blamed() if complains(typed) else {}
    talk.looks.forget()
    return await _blame(talk, blamed)


async def heed_refusal(talk: Conversation, done: Done) -> None:
    """An edit that the user refused, saying that it is wrong or not what was decided: likewise.
    What the deeper look finds goes to the model with the user's next words."""
    if done.call.name not in EDITS or not done.is_error:
        return
    _, refused, reason = done.content.partition(REFUSED)
    if refused and (complains(reason) or refers_back(reason)):
        blamed = talk.looks.brought()
        talk.looks.forget()
        for event in await _blame(talk, blamed):
            talk.publish(event)


async def _blame(talk: Conversation, blamed: dict[int, list[str]]) -> list[Event]:
    told: list[Event] = []
    for number, ids in blamed.items():
        try:
            event = await dig_deeper(talk, number, ids)
        except LookupError:
            continue  # so long ago that the recollection is not on file any more
        except MemoryFileError as error:
            told.append(Notice("warning", f"what was wrong could not be learned: {error}"))
        else:
            told += [Notice("info", LEARNED), event]
    return told
