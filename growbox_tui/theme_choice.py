"""Theme choice: which theme is worn at the start, and what the user chooses later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from growbox_tui.themes import DEFAULT, load_themes, names_theme
from growbox_tui.widgets.notice import Notice

if TYPE_CHECKING:
    from growbox_tui.app import GrowboxApp


def wear(app: GrowboxApp) -> None:
    """Colours before the first frame. A broken theme is told of and left out."""
    loaded = load_themes([app.workbench.settings.theme_folder])
    for theme in loaded.themes:
        app.register_theme(theme)
    app.own_themes = tuple(theme.name for theme in loaded.themes)
    wanted = app.workbench.settings.theme
    app.theme = wanted if wanted in app.available_themes else DEFAULT
    for problem in loaded.problems:
        app.say(Notice(problem, "warning"))
    if wanted not in app.available_themes and not names_theme(loaded.problems, wanted):
        app.say(Notice(f"There is no theme {wanted!r}.", "warning", "ctrl+t shows all."))


def choose(app: GrowboxApp, name: str) -> None:
    """Use the theme of this name, or let the user try them all."""
    names = sorted(app.own_themes)
    if name in names:
        keep(app, name)
        return
    if name:
        app.say(Notice(f"There is no theme {name!r}.", "warning", f"There are: {', '.join(names)}"))
        return
    from growbox_tui.screens.theme_picker import ThemeScreen

    def chosen(choice: str | None) -> None:
        if choice:
            keep(app, choice)

    app.push_screen(ThemeScreen(names, app.theme), chosen)


def keep(app: GrowboxApp, name: str) -> None:
    """Use a theme now and from the next start on. A setting that cannot be saved is told of."""
    from growbox_tui.settings import SettingsError

    app.theme = name
    try:
        app.workbench.save_setting("theme", name)
    except (SettingsError, OSError) as error:
        app.say(Notice(f"The theme could not be kept: {error}", "warning"))
