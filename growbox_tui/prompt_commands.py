"""Prompt commands: what the user does to the prompt itself: shorten it, state rules, pin memories,
add to it, keep its cache alive."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from growbox_tui import pages
from growbox_tui.agent.words import sentences
from growbox_tui.shown_memories import Shown, matching, shown_memories
from growbox_tui.widgets.composer import Draft
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.safe_text import in_short, unmarked

if TYPE_CHECKING:
    from growbox_tui.agent.session import Session
    from growbox_tui.app import GrowboxApp

NAMES = frozenset({"cache", "rules", "compact", "pin", "unpin", "remember", "warm"})
"""The actions that are done here."""


def perform(app: GrowboxApp, session: Session, name: str, argument: str) -> None:
    """Do the action ``name``, one of ``NAMES``, with what followed its slash command."""
    match name:
        case "cache":
            app.start(pages.cache(app, session), "page")
        case "rules":
            _rules(app, session, argument)
        case "compact":
            app.start(_compact(app, session), "compact")
        case "pin" | "unpin":
            _pin(app, session, argument, on=name == "pin")
        case "remember" if argument:
            app.start(_remember(app, session, argument), "remember")
        case "warm" if argument in ("on", "off"):
            app.start(_warm(app, session, on=argument == "on"), "warm")
        case "warm" if argument:
            app.say(Notice(f"/warm {argument} means nothing.", "warning", "/warm on or /warm off"))
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
        app.say(Notice(sentences(str(error)), "warning"))
    else:
        if words:
            app.say(Notice(words, "good"))


# ---- the prompt ------------------------------------------------------------------------------


async def _compact(app: GrowboxApp, session: Session) -> None:
    if not await session.compact():
        app.say(Notice("The prompt is as short as it can be without losing what was last said."))


async def _remember(app: GrowboxApp, session: Session, text: str) -> None:
    await session.remember(text)
    words = f"Remembered: “{in_short(text)}”. The model reads it with your next words."
    app.say(Notice(words, "good"))


async def _warm(app: GrowboxApp, session: Session, *, on: bool) -> None:
    await session.keep_warm(on)
    words = (
        "Requests keep the cache alive between turns, as far as they cost less than they save; "
        "the line below the bar shows each."
        if on
        else "The cache is let go when its time is over."
    )
    app.say(Notice(words, "good"))


# ---- pins ------------------------------------------------------------------------------------


def _pin(app: GrowboxApp, session: Session, argument: str, *, on: bool) -> None:
    shown = [
        memory
        for memory in shown_memories(app.router.window, app.router.hits)
        if memory.pinned != on
    ]
    found = matching(shown, argument)
    if argument.startswith("mem://") and not found:
        _set_pin(app, session, Shown(argument, argument, "", not on), on=on)
    elif argument and len(found) == 1:
        _set_pin(app, session, found[0], on=on)
    elif found:
        _choose(app, session, found, on=on)
    elif not argument and not on:
        app.say(Notice("No memory is pinned."))
    else:
        words = f"No memory that is shown holds “{in_short(argument)}”." if argument else ""
        hint = "/memory shows what stands before the model, with addresses."
        app.say(Notice(words or "No memory is shown that could be pinned.", "warning", hint))


def _choose(app: GrowboxApp, session: Session, found: Sequence[Shown], *, on: bool) -> None:
    from growbox_tui.screens.pins import PinsScreen

    by_address = {memory.address: memory for memory in found}

    def chosen(address: str | None) -> None:
        if address is not None:
            _set_pin(app, session, by_address[address], on=on)

    app.push_screen(PinsScreen(found, pins=on), chosen)


def _set_pin(app: GrowboxApp, session: Session, memory: Shown, *, on: bool) -> None:
    label = in_short(unmarked(memory.label))
    words = f"Pinned: {label}. It stays before the model." if on else f"No longer pinned: {label}."
    work = session.pin(memory.address) if on else session.unpin(memory.address)
    app.start(_done(app, work, words), "pin")
