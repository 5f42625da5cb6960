"""Pictures: each scene draws the same cells as when it was last looked at, and cuts nothing.

After a change that is meant: ``pytest -n 0 tests/tui/test_snapshots.py --snapshot-update``, then
look at every picture that changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from growbox_tui.themes import BUNDLED
from tests.tui.conftest import refusal
from tests.tui.cuts import cuts
from tests.tui.scenes import SCENES, app_for, play, stand_still

Draw = Callable[[str, str], None]
REPORTS = "TEXTUAL_SNAPSHOT_TEMPDIR"


@pytest.fixture(scope="session")
def report_folder() -> str:
    """Where the plugin gathers what differs; read before a test's own environment is made."""
    return os.environ[REPORTS]


@pytest.fixture
def draw(
    snap_compare: Any, monkeypatch: pytest.MonkeyPatch, report_folder: str, pytestconfig: Any
) -> Draw:
    """Plays a scene in a theme and compares the picture with the one on file."""
    if why_not := refusal(pytestconfig):
        pytest.fail(why_not, pytrace=False)
    monkeypatch.setenv(REPORTS, report_folder)
    stand_still(monkeypatch)

    def drawn(name: str, theme: str) -> None:
        scene = SCENES[name]
        found: list[str] = []

        async def before(pilot: Pilot[Any]) -> None:
            await play(scene, pilot)
            found.extend(cuts(pilot.app))

        same = snap_compare(app_for(scene, theme), terminal_size=scene.size, run_before=before)
        assert found == []
        assert same, f"{name} looks different; snapshot_report.html shows both pictures"

    return drawn


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_looks_as_when_it_was_last_looked_at(draw: Draw, name: str) -> None:
    draw(name, BUNDLED[0])


@pytest.mark.parametrize("theme", BUNDLED[1:])
def test_a_conversation_looks_as_when_it_was_last_looked_at_in(draw: Draw, theme: str) -> None:
    draw("chat_wide", theme)


@pytest.mark.parametrize("theme", BUNDLED[1:])
@pytest.mark.parametrize("name", ["cache", "cache_wide", "rules", "rules_wide"])
def test_a_page_looks_as_when_it_was_last_looked_at_in(draw: Draw, name: str, theme: str) -> None:
    draw(name, theme)
