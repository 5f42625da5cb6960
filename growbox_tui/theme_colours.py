"""Theme colours: the contrast of two colours, and what follows where a theme leaves some out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.color import Color
    from textual.theme import Theme

COLOURS = (
    "primary", "secondary", "accent", "foreground", "background", "surface", "panel", "boost",
    "success", "warning", "error",
)  # fmt: skip
"""The fields of Textual's ``Theme`` that hold a colour."""
READABLE = 4.5
"""The least contrast of text that we derive (WCAG 2, level AA)."""


def contrast(one: Color, other: Color) -> float:
    """WCAG 2 contrast of two opaque colours, 1 to 21."""

    def luminance(colour: Color) -> float:
        parts = (
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
            for value in colour.normalized
        )
        return sum(
            share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
        )

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def loudest(grounds: Iterable[Color]) -> Color:
    """Black or white, whichever can be read better on all of them."""
    from textual.color import Color

    shades = list(grounds)
    return max(
        Color(255, 255, 255),
        Color(0, 0, 0),
        key=lambda ink: min(contrast(ink, shade) for shade in shades),
    )


def completed(body: Mapping[str, Any]) -> dict[str, Any]:
    """``body`` with what follows from its background, if it names one.

    Textual would take a light background without ``dark = false`` for a dark theme, give it dark
    surfaces, and invert a middle grey into another middle grey for its text.
    """
    from textual.color import Color

    full = dict(body)
    if "background" not in full or Color.parse(full["background"]).ansi is not None:
        return full
    ground = Color.parse(full["background"])
    ink = loudest([ground])
    full.setdefault("dark", ink.r == 255)
    full.setdefault("foreground", ground.blend(ink, 0.9).hex6 if ink.r else ink.hex6)
    # Away from the ink, so that text keeps its contrast.
    away = Color(0, 0, 0) if ink.r else Color(255, 255, 255)
    lift = ink if contrast(ground, ink) > 12 else away
    full.setdefault("surface", ground.blend(lift, 0.05).hex6)
    full.setdefault("panel", ground.blend(lift, 0.1).hex6)
    return full


def derived(theme: Theme) -> dict[str, str]:
    """Variables that follow from the theme's colours, so that a two-line theme is readable."""
    from textual.color import Color

    made = {name: Color.parse(value) for name, value in _bases(theme).items()}
    if any(colour.ansi is not None for colour in made.values()):
        return {}
    grounds = [made[name] for name in ("background", "surface", "panel")]
    strongest = loudest(grounds)

    def quiet(colour: Color) -> str:
        """The colour, moved towards black or white until it can be read on every ground."""
        for tenth in range(11):
            moved = colour.blend(strongest, tenth / 10)
            if all(contrast(moved, ground) >= READABLE for ground in grounds):
                return moved.hex6
        return strongest.hex6

    faint = made["foreground"].blend(made["background"], 0.35)
    follows = {
        "text-muted": quiet(faint),
        "text-disabled": quiet(faint),
        "scrollbar": made["foreground"].blend(made["background"], 0.7).hex6,
        "scrollbar-background": made["background"].hex6,
    }
    states = {"hit": made["success"], "new": made["warning"], "broken": made["error"]}
    for state, usual in states.items():
        ground = Color.parse(theme.variables.get(f"prefix-{state}", usual.hex6))
        follows[f"prefix-{state}"] = ground.hex6
        follows[f"prefix-{state}-text"] = loudest([ground]).hex6
    follows["heat-hot"] = quiet(made["primary"])
    follows["heat-warm"] = quiet(made["primary"].blend(made["background"], 0.3))
    follows["heat-cool"] = quiet(faint)
    follows["block-cursor-foreground"] = loudest([made["primary"]]).hex6
    return follows


def _bases(theme: Theme) -> dict[str, str]:
    """The theme's colours with Textual's own stand-ins for those it leaves out."""
    generated = theme.to_color_system().generate()
    bases = {name: generated[name] for name in COLOURS if name != "boost"}
    if theme.error is None:
        # Textual would make it the primary colour, and "broken" would look like "hit".
        bases["error"] = "#B3261E"
    if theme.warning is None:
        bases["warning"] = "#E3B23C"
    return bases
