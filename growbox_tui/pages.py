"""Pages: the full screens of the table of actions, opened over the conversation, and told what
happens meanwhile where they go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from growbox_tui.actions import ACTIONS

if TYPE_CHECKING:
    from growbox_tui.agent.events import Event
    from growbox_tui.agent.session import Session
    from growbox_tui.app import GrowboxApp


@runtime_checkable
class Hears(Protocol):
    """A page that goes on while events come."""

    def hears(self, event: Event) -> None:
        """Show what of it belongs on this page."""


def hear(app: GrowboxApp, event: Event) -> None:
    """Give an event to the pages that are open."""
    for screen in app.screen_stack[1:]:
        if isinstance(screen, Hears):
            screen.hears(event)


def still(app: GrowboxApp, name: str) -> None:
    """Open a page that needs nothing from the session."""
    if name == "help":
        from growbox_tui.screens.help import HelpScreen

        app.push_screen(HelpScreen(ACTIONS))
    else:
        from growbox_tui.screens.about import AboutScreen

        app.push_screen(AboutScreen())


async def memory(app: GrowboxApp) -> None:
    """The map of memory, the window and the last recall."""
    from growbox_tui.screens.memory import MapVerbs, MemoryScreen

    state, session, shown = await app.workbench.state(), app.session, app.router
    if session is None:
        app.push_screen(MemoryScreen(state, shown.window, shown.hits))
        return
    verbs, known = MapVerbs(session.map, session.undo_jump), await session.map()
    app.push_screen(MemoryScreen(state, shown.window, shown.hits, known, verbs))


async def cache(app: GrowboxApp, session: Session) -> None:
    """What the cache made of each request."""
    from growbox_tui.screens.cache import CacheScreen

    story = await session.cache_story()
    app.push_screen(CacheScreen(story, session.cache_story, app.router.under_way))


async def rules(app: GrowboxApp, session: Session) -> None:
    """What the user stated."""
    from growbox_tui.screens.rules import RulesScreen, RuleVerbs

    verbs = RuleVerbs(session.add_rule, session.edit_rule, session.drop_rule)
    app.push_screen(RulesScreen(await session.rules(), verbs))
