"""Recall commands: the map of memory, a question to it, why it answered as it did, and that it was
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from growbox_tui.agent.words import opened, sentences
from growbox_tui.widgets.composer import Draft
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.recall_card import RecallCard
from growbox_tui.widgets.safe_text import in_short

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, Recalled
    from growbox_tui.agent.session import Session
    from growbox_tui.app import GrowboxApp
    from growbox_tui.screens.recall import Depth

NAMES = frozenset({"recall", "why", "wrong"})
"""The actions that are done here."""
NOTHING_RECALLED = "Nothing was recalled in this conversation yet."
NOTHING_WRONG = "The last recall found nothing that could be wrong."
NOT_KEPT = "The last recall was not kept on file, so nothing can be learned from it."


def perform(app: GrowboxApp, session: Session, name: str, argument: str) -> None:
    """Do the action ``name``, one of ``NAMES``, with what followed its slash command."""
    match name:
        case "recall" if argument:
            look(app, session, argument)
        case "why":
            app.start(_why(app, session), "page")
        case "wrong":
            _wrong(app, argument)
        case _:
            app.chat.composer.put(Draft(f"/{name} "))


def look(app: GrowboxApp, session: Session, text: str, depth: Depth = "shallow") -> None:
    """Open the page that asks memory."""
    from growbox_tui.screens.recall import RecallScreen, RecallVerbs

    async def wrong(recollection: int, address: str) -> Recalled:
        return await session.wrong(recollection, [address], aloud=False)

    verbs = RecallVerbs(session.recall_steps, wrong, session.pin)
    app.push_screen(RecallScreen(text, verbs, depth))


async def _why(app: GrowboxApp, session: Session) -> None:
    event = await session.why()
    if event is None:
        app.say(Notice(NOTHING_RECALLED, hint="/recall TEXT asks memory."))
        return
    from growbox_tui.screens.why import WhyScreen

    app.push_screen(WhyScreen(event, lambda: look(app, session, event.query, "deeper")))


def _wrong(app: GrowboxApp, argument: str) -> None:
    """Call the last recall wrong, or those of its memories that hold these words."""
    event = app.router.recalled
    if event is None:
        app.say(Notice(NOTHING_RECALLED, "warning"))
        return
    meant = _meant(event.hits, argument)
    if not event.hits:
        app.say(Notice(NOTHING_WRONG, "warning", "/recall TEXT asks in other words."))
    elif not event.recollection:
        app.say(Notice(NOT_KEPT, "warning"))
    elif argument and not meant:
        words = f"No memory of the last recall holds “{in_short(argument)}”."
        app.say(Notice(words, "warning", "/why shows them."))
    else:
        say_wrong(app, event, [hit.address for hit in meant] if argument else [])


def _meant(hits: tuple[HitView, ...], argument: str) -> list[HitView]:
    """The memory of this address, else those that hold every word, in any case."""
    if exact := [hit for hit in hits if hit.address == argument]:
        return exact
    parts = argument.casefold().split()
    return [hit for hit in hits if all(part in hit.text.casefold() for part in parts)]


def say_wrong(app: GrowboxApp, event: Recalled, addresses: list[str] | None = None) -> None:
    """Learn that these memories of a recall, or all of them, were not what was meant, and dig
    deeper at once."""
    session = app.session
    if session is None:
        return
    cards = [card for card in app.chat.conversation.query(RecallCard) if card.event == event]
    whole = not addresses or len(addresses) == len(event.hits)
    for card in cards:
        card.called_wrong(whole)
    app.start(_dig(app, session, event, addresses or [], cards), "wrong")


async def _dig(
    app: GrowboxApp,
    session: Session,
    event: Recalled,
    addresses: list[str],
    cards: list[RecallCard],
) -> None:
    try:
        await session.wrong(event.recollection, addresses)
    except LookupError as error:
        app.say(Notice(sentences(opened(str(error))), "warning"))
        for card in cards:
            card.called_wrong(False)
