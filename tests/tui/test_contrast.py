"""Contrast: every text of every scene can be read in every theme."""

from __future__ import annotations

import pytest

from growbox_tui.themes import BUNDLED
from tests.tui.scenes import SCENES, app_for, play, stand_still, standstill
from tests.tui.specimens import measured

LEAST = {"contrast": 7.0}
"""The least contrast of text, where it is not that of WCAG AA."""
AA = 4.5


PLAYS = [
    *((name, BUNDLED) for name in SCENES if name != "palette"),
    # Textual colours the palette's lines when it opens, so it is opened in each theme.
    *(("palette", (theme,)) for theme in BUNDLED),
]


@pytest.mark.parametrize(("name", "themes"), PLAYS)
async def test_every_text_can_be_read_in_every_theme(
    name: str, themes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_still(monkeypatch)
    scene = SCENES[name]
    app = app_for(scene, themes[0])
    faint = set()
    async with app.run_test(size=scene.size) as pilot:
        await play(scene, pilot)
        for theme in themes:
            app.theme = theme
            await standstill(pilot, frames=1)
            seen = list(measured(app))
            assert seen
            faint |= {
                (theme, run.text, round(run.contrast, 2), run.colours)
                for run in seen
                if not run.graphic and run.contrast < LEAST.get(theme, AA)
            }
    assert faint == set()
