"""Pointing: where the user says what belongs here, by pinning it or by quoting it.

Questions that come in where it was said, or that quote the same words, are led there for good, and
no model is asked. It is taken back on the map of memory, or by unpinning.
"""

from __future__ import annotations

from growbox_tui.agent.conversation import Conversation
from growbox_tui.agent.events import Notice
from memory import MemoryFileError
from memory.recall.jumps import repeats
from memory.recall.quoting import quotations

SHOWN = 60
"""Characters of a quotation that a notice repeats."""


async def point(talk: Conversation, node: str, words: str = "") -> bool:
    """Lead from where the conversation is to a memory; whether that is new. Where nothing was said
    yet there is nowhere to lead from."""
    if not talk.window.turns:
        return False
    known = await talk.mind.jumps()
    if words and any(jump.target.id == node and repeats(words, jump.words) for jump in known):
        return False  # whoever quotes it is led there already, wherever that is
    try:
        jump = await talk.mind.jump(node, session=talk.window.session, words=words)
    except ValueError:  # the memory is all that was said here
        return False
    return jump.id not in {each.id for each in known}


async def point_no_more(talk: Conversation, node: str) -> None:
    """Take back what pinning a memory in this conversation led to it; quotations stay."""
    for jump in await talk.mind.jumps():
        if (jump.target.id, jump.session, jump.words) == (node, talk.window.session, ""):
            await talk.mind.undo_jump(jump.id)


async def point_at_quotations(talk: Conversation, typed: str) -> list[Notice]:
    """Lead to what the user's own words quote of what was said before; what is to be told of it.
    Memory that cannot be asked costs no turn."""
    told = []
    try:
        for words in quotations(typed):
            node = await talk.mind.quoted(words)
            if node is not None and await point(talk, node.id, words):
                told.append(Notice("info", _words(words, node.address)))
    except MemoryFileError as error:
        told.append(Notice("warning", f"what was quoted could not be looked up: {error}"))
    return told


def _words(words: str, address: str) -> str:
    short = words if len(words) <= SHOWN else words[: SHOWN - 1] + "…"
    return f"“{short}” leads to {address} from now on; undo it in /memory."
