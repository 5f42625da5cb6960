from __future__ import annotations

from growbox_tui.actions import ACTIONS
from growbox_tui.screens.about import AboutScreen
from growbox_tui.screens.help import HelpScreen
from growbox_tui.screens.memory import MemoryScreen
from growbox_tui.screens.models import ModelsScreen
from growbox_tui.screens.sessions import SessionsScreen
from growbox_tui.screens.theme_picker import ThemeScreen
from growbox_tui.themes import BUNDLED
from tests.tui.specimens import HITS, ITEMS, MODELS, SESSIONS, STATE

SCREENS = {
    "about": AboutScreen,
    "help": lambda: HelpScreen(ACTIONS),
    "memory": lambda: MemoryScreen(STATE, ITEMS, HITS),
    "empty memory": lambda: MemoryScreen(None),
    "models": lambda: ModelsScreen(MODELS, MODELS[1]),
    "sessions": lambda: SessionsScreen(SESSIONS),
    "no sessions": lambda: SessionsScreen([]),
    "themes": lambda: ThemeScreen(BUNDLED, "growbox-dark"),
}
