"""The common look of the full screens: a title, a body, a footer of keys; no boxes."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from growbox_tui.agent.words import opened, sentences


def page_css(screen: str) -> str:
    """The style sheet of the screen class named ``screen``."""
    return f"""
    {screen} {{ background: $background; color: $foreground; }}
    {screen} > .page--title {{ height: 1; padding: 0 1; margin: 0 0 1 0; }}
    {screen} > .page--body {{
        height: 1fr;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        background: $background;
    }}
    {screen} > KeyLine {{ height: 1; padding: 0 1; background: $panel; }}
    {screen} > .page--note {{ height: auto; padding: 1 1 0 1; color: $text-muted; }}
    """


def title(words: str, note: str = "") -> Static:
    """The first line of a screen."""
    return Static(
        Content.assemble((words, "bold $primary"), (f"  {note}" if note else "", "$text-muted")),
        classes="page--title",
    )


def told(error: Exception) -> str:
    """An error in sentences: its own words where it has them, and what to do about it."""
    if isinstance(error, LookupError):
        return sentences(opened(str(error)))
    words = getattr(error, "text", "") or f"{type(error).__name__}: {error}"
    return sentences(str(words), str(getattr(error, "hint", "")))
