from __future__ import annotations

from pathlib import Path

import pytest
from textual.color import Color

from growbox_tui.theme_colours import contrast
from growbox_tui.themes import (
    BUNDLED,
    OWN,
    load_themes,
    parse_theme,
    variable_defaults,
)
from tests.tui.specimens import Specimen, measured
from tests.tui.test_screens import SCREENS

LEAST = {"contrast": 7.0}
INKS = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")


def too_faint(app: Specimen, theme: str) -> set[tuple[str, float, str]]:
    return {
        (run.text, round(run.contrast, 2), run.colours)
        for run in measured(app)
        if not run.graphic and run.contrast < LEAST.get(theme, 4.5)
    }


def test_five_themes_are_bundled_and_have_no_mistakes() -> None:
    loaded = load_themes()
    assert [theme.name for theme in loaded.themes] == list(BUNDLED)
    assert loaded.problems == []


def test_bundled_themes_differ_in_ground_and_in_growth() -> None:
    themes = load_themes().themes
    assert len({theme.background for theme in themes}) == len(themes)
    assert len({theme.primary for theme in themes}) == len(themes)
    assert {theme.dark for theme in themes} == {True, False}


@pytest.mark.parametrize("name", BUNDLED)
def test_every_ink_of_a_theme_can_be_read_on_every_ground_of_it(name: str) -> None:
    theme = next(theme for theme in load_themes().themes if theme.name == name)
    colours = {**theme.to_color_system().generate(), **theme.variables}
    for ground in ("background", "surface", "panel"):
        for ink in (*INKS, "text-muted", "text-disabled"):
            measure = contrast(Color.parse(colours[ink]), Color.parse(colours[ground]))
            assert measure >= LEAST.get(name, 4.5), (ink, ground, measure)
        for ink in ("heat-hot", "heat-warm", "heat-cool"):
            measure = contrast(Color.parse(colours[ink]), Color.parse(colours[ground]))
            assert measure >= 3, (ink, ground, measure)


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
async def test_all_text_of_the_chrome_can_be_read(name: str, size: tuple[int, int]) -> None:
    app = Specimen(name)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert too_faint(app, name) == set()


@pytest.mark.parametrize("name", BUNDLED)
async def test_all_text_of_the_screens_can_be_read(name: str) -> None:
    app = Specimen(name)
    async with app.run_test(size=(80, 24)) as pilot:
        for screen in SCREENS.values():
            await app.push_screen(screen())
            await pilot.pause()
            await pilot.pause()
            assert too_faint(app, app.theme) == set()
            app.pop_screen()


@pytest.mark.parametrize("ground", ["#101010", "#777777", "#F0F0F0"])
async def test_a_two_line_theme_loads_and_the_rest_is_derived_readable(ground: str) -> None:
    mini = parse_theme("mini.toml", f'name = "mini"\nprimary = "teal"\nbackground = "{ground}"')
    assert set(OWN) <= set(mini.variables)
    for name in ("background", "surface", "panel"):
        shade = Color.parse(mini.to_color_system().generate()[name])
        assert contrast(Color.parse(str(mini.foreground)), shade) >= 4.5
        assert contrast(Color.parse(mini.variables["text-muted"]), shade) >= 4.5
    for state in ("hit", "new", "broken"):
        ink, bar = mini.variables[f"prefix-{state}-text"], mini.variables[f"prefix-{state}"]
        assert contrast(Color.parse(ink), Color.parse(bar)) >= 4.5


async def test_a_theme_of_textual_itself_falls_back_to_our_variables() -> None:
    assert variable_defaults() == OWN
    app = Specimen("textual-dark")
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.pause()
        assert any("region" in run.text for run in measured(app))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (
            'name = "x"\n\nprimry = "red"',
            "line 3",
            'unknown key "primry" (did you mean "primary"?)',
        ),
        ('name = "x"\nprimary = "re"', "line 2", '"primary" must be a colour'),
        ('name = "x"\nprimary = "red"\ndark = "no"', "line 3", '"dark" must be true or false'),
        (
            'name = "x"\nprimary = "red"\n[variables]\nprefix-hot = "red"',
            "line 4",
            'unknown variable "prefix-hot" (did you mean "prefix-hit"?)',
        ),
        (
            'name = "x"\nprimary = "red"\n[variables]\nlink-style = "loud"',
            "line 4",
            '"link-style" must be a text style',
        ),
        ('primary = "red"', "mine.toml", 'the key "name" is missing'),
        ('name = "a,b"\nprimary = "red"', "line 1", "a word without spaces and commas"),
        ('name = "x"\nprimary = ', "line 2", "not valid TOML"),
        ('name = "x"\nprimary = "red"\nvariables = 3', "line 3", "must be a table"),
    ],
)
def test_a_mistake_names_the_file_the_line_the_key_and_the_nearest_right_one(
    text: str, place: str, words: str
) -> None:
    with pytest.raises(ValueError, match=r"^mine\.toml") as caught:
        parse_theme("mine.toml", text)
    assert place in str(caught.value)
    assert words in str(caught.value)


def test_a_broken_theme_is_told_of_and_the_others_load(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('name = "a"\nprimary = "teal"\n')
    (tmp_path / "b.toml").write_text('name = "b"\ncolour = "teal"\n')
    (tmp_path / "c.toml").write_bytes(b'name = "\xff"')
    loaded = load_themes([tmp_path, tmp_path / "missing"])
    assert [theme.name for theme in loaded.themes] == [*BUNDLED, "a"]
    assert len(loaded.problems) == 2
    assert str(tmp_path / "b.toml") in loaded.problems[0]


def test_a_theme_of_the_user_takes_the_place_of_a_bundled_one(tmp_path: Path) -> None:
    (tmp_path / "moss.toml").write_text('name = "moss"\nprimary = "#123456"\n')
    themes = {theme.name: theme for theme in load_themes([tmp_path]).themes}
    assert themes["moss"].primary == "#123456"
    assert len(themes) == len(BUNDLED)
