"""Prompt commands: what the user does to the prompt itself: shorten it, state rules, pin memories,
add to it, keep its cache alive."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from growbox_tui import pages
from growbox_tui.agent.words import opened, sentences
from growbox_tui.shown_memories import Shown, Verb, matching, offered
from growbox_tui.widgets.composer import Draft
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.safe_text import in_short, unmarked

if TYPE_CHECKING:
    from growbox_tui.agent.session import Session
    from growbox_tui.app import GrowboxApp

NAMES = frozenset({"cache", "rules", "compact", "pin", "unpin", "drop", "remember", "warm"})
"""The actions that are done here."""
WARM = (
    "Requests keep the cache alive between turns, as far as they cost less than they save; "
    "the line below the bar shows each."
)
COLD = "The cache is let go when its time is over."
SHORT = "The prompt is as short as it can be without losing what was last said."
STILL_SHOWN = "What was dropped stands in one of these messages, and leaves with it."
WITH_MESSAGE = "with the message that shows it: when an epoch ends for which that is too old."
NONE: dict[Verb, str] = {
    "pin": "No memory is shown that could be pinned.",
    "unpin": "No memory is pinned.",
    "drop": "No memory stands before the model that could leave it.",
}


def perform(app: GrowboxApp, session: Session, name: str, argument: str) -> None:
    """Do the action ``name``, one of ``NAMES``, with what followed its slash command."""
    match name:
        case "cache":
            app.start(pages.cache(app, session), "page")
        case "rules":
            _rules(app, session, argument)
        case "compact":
            app.start(_compact(app, session), "compact")
        case "pin" | "unpin" | "drop":
            _memory(app, session, argument, name)
        case "remember" if argument:
            app.start(_remember(app, session, argument), "remember")
        case "warm" if argument in ("on", "off"):
            app.start(_warm(app, session, on=argument == "on"), "warm")
        case "warm" if argument:
            app.say(Notice(f"/warm {argument} means nothing.", "warning", "/warm on or /warm off"))
        case "warm":
            words = WARM if session.warm else COLD
            app.say(Notice(words, hint="/warm on and /warm off change it."))
        case _:
            app.chat.composer.put(Draft(f"/{name} "))


# ---- rules -----------------------------------------------------------------------------------


def _rules(app: GrowboxApp, session: Session, argument: str) -> None:
    word, _, rest = argument.partition(" ")
    rest = rest.strip()
    match word.lower():
        case "":
            app.start(pages.rules(app, session), "page")
        case "add" if rest:
            app.start(_done(app, session.add_rule(rest)), "rules")
        case "drop" if rest.isdecimal():
            app.start(_done(app, session.drop_rule(int(rest))), "rules")
        case "add" | "drop":
            app.chat.composer.put(Draft(f"/rules {word.lower()} "))
        case _:
            hint = "/rules add TEXT states one, /rules drop N takes one back, /rules shows all."
            app.say(Notice(f"/rules {argument} means nothing.", "warning", hint))


async def _done(app: GrowboxApp, work: Awaitable[object], words: str = "") -> None:
    """Await ``work`` and say ``words``; what does not exist is told of, and nothing else done."""
    try:
        await work
    except LookupError as error:
        app.say(Notice(sentences(opened(str(error))), "warning"))
    else:
        if words:
            app.say(Notice(words, "good"))


# ---- the prompt ------------------------------------------------------------------------------


async def _compact(app: GrowboxApp, session: Session) -> None:
    if not await session.compact():
        kept = any(item.leaving and item.place == "tail" for item in app.router.window)
        app.say(Notice(SHORT, hint=STILL_SHOWN if kept else ""))


async def _remember(app: GrowboxApp, session: Session, text: str) -> None:
    await session.remember(text)
    words = f"Remembered: “{in_short(text)}”. The model reads it with your next words."
    app.say(Notice(words, "good"))


async def _warm(app: GrowboxApp, session: Session, *, on: bool) -> None:
    await session.keep_warm(on)
    if not on:
        app.chat.prefix_bar.warmed(None)
    app.say(Notice(WARM if on else COLD, "good"))


# ---- memories --------------------------------------------------------------------------------


def _memory(app: GrowboxApp, session: Session, argument: str, verb: Verb) -> None:
    """Pin, let go or drop the memory of these words, or of this address; where several hold the
    words, or there are none, the user chooses."""
    found = matching(offered(verb, app.router.window, app.router.hits), argument)
    if argument.startswith("mem://") and not found:
        _do(app, session, Shown(argument, argument, "", False), verb)
    elif argument and len(found) == 1:
        _do(app, session, found[0], verb)
    elif found:
        _choose(app, session, found, verb)
    elif argument:
        words = f"No memory that is shown holds “{in_short(argument)}”."
        hint = "/memory shows what stands before the model, with addresses."
        app.say(Notice(words, "warning", hint))
    else:
        app.say(Notice(NONE[verb]))


def _choose(app: GrowboxApp, session: Session, found: Sequence[Shown], verb: Verb) -> None:
    from growbox_tui.screens.pins import PinsScreen

    by_address = {memory.address: memory for memory in found}

    def chosen(address: str | None) -> None:
        if address is not None:
            _do(app, session, by_address[address], verb)

    app.push_screen(PinsScreen(found, verb), chosen)


def _do(app: GrowboxApp, session: Session, memory: Shown, verb: Verb) -> None:
    label, address = in_short(unmarked(memory.label)), memory.address
    match verb:
        case "pin":
            work = session.pin(address)
            words = f"Pinned: {label}. It stays before the model."
        case "unpin":
            work, words = session.unpin(address), f"No longer pinned: {label}."
        case "drop":
            work = session.drop(address)
            when = WITH_MESSAGE if memory.in_message else "when this epoch ends."
            words = f"Dropped: {label}. It leaves the prompt {when}"
    app.start(_done(app, work, words), verb)
