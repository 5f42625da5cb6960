from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from textual.screen import Screen
from textual.widgets import Input

from growbox_tui import __version__
from growbox_tui.actions import ACTIONS
from growbox_tui.screens.about import GLIDING_HORSE, GROWBOX, AboutScreen
from growbox_tui.screens.help import HelpScreen, help_page
from growbox_tui.screens.memory import MemoryScreen
from growbox_tui.screens.models import ModelsScreen
from growbox_tui.screens.sessions import SessionsScreen
from growbox_tui.screens.theme_picker import ThemeScreen
from growbox_tui.themes import BUNDLED
from tests.tui.specimens import HITS, ITEMS, MODELS, SESSIONS, STATE, Specimen, rows, shown

SCREENS: dict[str, Callable[[], Screen[Any]]] = {
    "about": AboutScreen,
    "help": lambda: HelpScreen(ACTIONS),
    "memory": lambda: MemoryScreen(STATE, ITEMS, HITS),
    "empty memory": lambda: MemoryScreen(None),
    "models": lambda: ModelsScreen(MODELS, MODELS[1]),
    "sessions": lambda: SessionsScreen(SESSIONS),
    "no sessions": lambda: SessionsScreen([]),
    "themes": lambda: ThemeScreen(BUNDLED, "growbox-dark"),
}
NOTHING = "nothing yet"


class Opened:
    """A screen pushed over the specimen, and what it was dismissed with."""

    def __init__(self, app: Specimen, pilot: Any) -> None:
        self.app = app
        self.pilot = pilot
        self.answer: object = NOTHING

    async def push(self, screen: Screen[Any]) -> None:
        def keep(answer: object) -> None:
            self.answer = answer

        await self.app.push_screen(screen, keep)
        await self.settle()

    async def settle(self) -> None:
        # A chooser draws its rows one refresh after it knows its width.
        await self.pilot.pause()
        await self.pilot.pause()

    async def press(self, *keys: str) -> str:
        await self.pilot.press(*keys)
        await self.settle()
        return shown(self.app)


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_each_screen_fills_the_terminal_shows_its_keys_and_leaves_on_esc(
    name: str, size: tuple[int, int]
) -> None:
    app = Specimen()
    async with app.run_test(size=size) as pilot:
        opened = Opened(app, pilot)
        await opened.push(SCREENS[name]())
        assert all(cell_len(row) == size[0] for row in rows(app))
        assert "esc" in rows(app)[-1]
        assert "<svg" in app.export_screenshot()
        await opened.press("escape")
        assert opened.answer is None
        assert len(app.screen_stack) == 1


@pytest.mark.parametrize("name", sorted(set(SCREENS) - {"themes"}))
async def test_no_screen_scrolls_sideways_at_80_columns(name: str) -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        await Opened(app, pilot).push(SCREENS[name]())
        assert not any(widget.show_horizontal_scrollbar for widget in app.screen.query("*"))


# ---- help and about --------------------------------------------------------------------------


def test_help_names_every_key_and_every_command_of_the_table() -> None:
    text = help_page(ACTIONS, 78).plain
    for action in ACTIONS:
        assert action.words.split()[0] in text
        if action.command:
            assert action.command in text
        for key in filter(None, action.key.split(",")):
            assert key.replace("escape", "esc") in text
    assert all(state in text for state in ("hit", "new", "broken", "@", "!"))


@pytest.mark.parametrize("cells", [58, 78, 198])
def test_help_never_outgrows_its_width(cells: int) -> None:
    assert max(cell_len(line) for line in help_page(ACTIONS, cells).plain.split("\n")) <= cells


async def test_about_credits_both_originals_with_links_that_can_be_seen_and_followed() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        await Opened(app, pilot).push(AboutScreen())
        text = shown(app)
        for words in (__version__, "MIT", "Based on GrowBox", "Gliding Horse"):
            assert words in text
        links = {
            segment.style.link
            for strip in app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.link
        }
        assert links == {GROWBOX, GLIDING_HORSE}
        assert GROWBOX in text and GLIDING_HORSE in text


# ---- sessions --------------------------------------------------------------------------------


async def test_sessions_are_narrowed_by_typing_in_any_script_and_taken_with_enter() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(SessionsScreen(SESSIONS))
        assert "30 conversations" in shown(app)
        app.screen.query_one(Input).value = "剪枝 天气"
        await opened.settle()
        assert "Add a --json flag" not in shown(app)
        await opened.press("down", "enter")
        assert opened.answer == "s004"


async def test_the_marked_session_is_told_in_full_below_the_list() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        await Opened(app, pilot).push(SessionsScreen(SESSIONS))
        below = "\n".join(rows(app)[-4:])
        assert "branch nodes, and what did we decide about it?" in below
        assert "/home/ada/src/orchard" in below
        assert "s000" in below


async def test_no_match_and_no_sessions_are_said_in_words() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(SessionsScreen(SESSIONS))
        assert "No session holds these words" in await opened.press(*"zzz")
        await opened.press("enter")
        assert opened.answer == NOTHING
        await opened.press("escape")
        await opened.push(SessionsScreen([]))
        assert "No sessions yet" in shown(app)


async def test_a_hostile_title_stays_a_title() -> None:
    bad = replace(
        SESSIONS[0], title="[red]x[/red]\x1b[2J\u202egnp\nnew line", project="\x1b]0;p\x07"
    )
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        await Opened(app, pilot).push(SessionsScreen([bad]))
        text = shown(app)
        assert "[red]x[/red]" in text
        assert not set(text) & {"\x1b", "\x07", "\u202e"}


# ---- models ----------------------------------------------------------------------------------


async def test_the_model_that_speaks_now_is_marked_and_another_is_taken() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(ModelsScreen(MODELS, MODELS[1]))
        assert f"{MODELS[1]}  now" in shown(app)
        await opened.press("down", "enter")
        assert opened.answer == MODELS[2]


async def test_a_model_that_is_not_listed_can_be_typed() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(ModelsScreen(MODELS, MODELS[1]))
        assert "Not in the list" in await opened.press(*"groq")
        app.screen.query_one(Input).value = "groq/llama-4"
        await opened.press("enter")
        assert opened.answer == "groq/llama-4"


async def test_without_any_name_there_is_still_a_line_to_type_in() -> None:
    app = Specimen()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(ModelsScreen([], ""))
        await opened.press("enter")
        assert opened.answer == NOTHING
        await opened.press("a", "enter")
        assert opened.answer == "a"


# ---- themes ----------------------------------------------------------------------------------


async def test_a_theme_is_tried_on_the_screen_behind_and_esc_puts_the_old_one_back() -> None:
    app = Specimen("growbox-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(ThemeScreen(BUNDLED, "growbox-dark"))
        assert app.theme == "growbox-dark"
        assert "region" in await opened.press("down", "down", "down")
        assert app.theme == "paper"
        await opened.press("escape")
        assert app.theme == "growbox-dark"
        assert opened.answer is None


async def test_a_theme_that_is_kept_stays_and_is_told() -> None:
    app = Specimen("growbox-dark")
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app, pilot)
        await opened.push(ThemeScreen(BUNDLED, "growbox-dark"))
        await opened.press(*"moss", "enter")
        assert (opened.answer, app.theme) == ("moss", "moss")
