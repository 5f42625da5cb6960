"""Commands: what each action of the table does, given the running app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from growbox_tui import pages, prompt_commands, recall_commands, theme_choice
from growbox_tui.actions import by_command, nearest_command
from growbox_tui.widgets.composer import Draft
from growbox_tui.widgets.figures import plural
from growbox_tui.widgets.notice import Notice
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.session import Session
    from growbox_tui.app import GrowboxApp

NOT_OPEN = "The session is not open yet."


def command(app: GrowboxApp, word: str, argument: str, text: str) -> None:
    """Do what a slash command says; ``text`` is all that was written, to be mended if need be."""
    action = by_command(word.lower())
    if action is None:
        app.say(Notice(f"There is no command {word}.", "warning", f"{nearest_command(word)}?"))
        app.chat.composer.put(Draft(text))
        return
    perform(app, action.name, argument)


def shell(app: GrowboxApp, line: str) -> None:
    """Run a command of the user's own."""
    if app.session is None:
        app.say(Notice(NOT_OPEN, "warning"))
    elif line:
        app.start(app.session.run_shell(line), group="turn")


def perform(app: GrowboxApp, name: str, argument: str) -> None:
    """Do the action ``name``, with what followed its slash command. Raises ``ValueError`` for a
    name that has no meaning here."""
    match name:
        case "help" | "about":
            pages.still(app, name)
        case "memory":
            app.start(pages.memory(app), "page")
        case _ if name in prompt_commands.NAMES | recall_commands.NAMES:
            if app.session is None:
                app.say(Notice(NOT_OPEN, "warning"))
            elif name in recall_commands.NAMES:
                recall_commands.perform(app, app.session, name, argument)
            else:
                prompt_commands.perform(app, app.session, name, argument)
        case "stop" | "nap" | "continue" | "retry" | "cost":
            _session(app, name)
        case "model":
            _model(app, argument)
        case "grants":
            _grants(app, argument)
        case "new":
            app.start(app.open_session(None, current_model(app)), "open")
        case "resume":
            app.start(_resume(app, argument), "open")
        case "theme":
            theme_choice.choose(app, argument)
        case "open":
            app.chat.turn_card()
        case "bottom":
            app.chat.conversation.follow()
        case "quit":
            app.exit()
        case _:
            raise ValueError(f"no such action: {name}")


def _session(app: GrowboxApp, name: str) -> None:
    session = app.session
    if session is None:
        app.say(Notice(NOT_OPEN, "warning"))
        return
    match name:
        case "stop" if session.busy:
            app.router.state("stopping")
            app.start(session.cancel(), "stop")
        case "nap":
            app.start(session.nap(), "nap")
        case "continue":
            app.send("continue")
        case "retry" if app.router.last_prompt:
            app.send(app.router.last_prompt)
        case "retry":
            app.say(Notice("Nothing was said yet.", "warning"))
        case "cost":
            app.say(Notice(cost_words(app)))
        case _:
            pass


def current_model(app: GrowboxApp) -> str:
    """Who answers now; empty before a session is open."""
    return app.session.model_name if app.session is not None else ""


def cost_words(app: GrowboxApp) -> str:
    """What this run used, in a sentence; what is not known is said to be so."""
    figures = app.router.figures
    cost = app.session.cost if app.session is not None else None
    known = "the price is not known" if cost is None else f"${cost:.4f}"
    price = known if figures.requests or cost else "nothing spent yet"
    silent = f" (of which {figures.unreported} reported no usage)" if figures.unreported else ""
    return (
        f"{plural(figures.requests, 'request')}{silent} with {figures.model}: "
        f"{figures.input:,} tokens in, {figures.output:,} out, {price}."
    )


def _model(app: GrowboxApp, name: str) -> None:
    session = app.session
    if session is None:
        app.say(Notice(NOT_OPEN, "warning"))
        return
    if name:
        app.start(session.use_model(name), "model")
        return
    from growbox_tui.screens.models import ModelsScreen

    def chosen(choice: str | None) -> None:
        if choice and choice != session.model_name:
            app.start(session.use_model(choice), "model")

    app.push_screen(ModelsScreen(app.workbench.model_names(), session.model_name), chosen)


def _grants(app: GrowboxApp, argument: str) -> None:
    session = app.session
    if session is None:
        app.say(Notice(NOT_OPEN, "warning"))
    elif argument == "":
        app.start(_list_grants(app, session), "grants")
    elif argument == "clear":
        app.start(_forget_grants(app, session), "grants")
    else:
        app.say(Notice(f"/grants {argument} means nothing.", "warning", "/grants clear forgets."))


async def _list_grants(app: GrowboxApp, session: Session) -> None:
    granted = await session.grants()
    if granted:
        lines = "\n".join(f"  {one_line(command)}" for command in granted)
        app.say(Notice(f"Always allowed in this folder:\n{lines}", hint="/grants clear forgets."))
    else:
        app.say(Notice("No command is always allowed in this folder."))


async def _forget_grants(app: GrowboxApp, session: Session) -> None:
    await session.forget_grants()
    app.say(Notice("Forgotten: every command in this folder is asked for again.", "good"))


async def _resume(app: GrowboxApp, session: str) -> None:
    if session:
        await app.open_session(session)
        return
    from growbox_tui.screens.sessions import SessionsScreen

    def chosen(choice: str | None) -> None:
        if choice and (app.session is None or choice != app.session.id):
            app.start(app.open_session(choice), "open")

    app.push_screen(SessionsScreen(await app.workbench.sessions()), chosen)
