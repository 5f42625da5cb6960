"""AboutScreen: what growbox is, its version and licence, and whose ideas it grew from."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.style import Style
from textual.widgets import Static

from growbox_tui import __version__
from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.key_line import KeyLine

GROWBOX = "https://github.com/NightPoetry/GrowBox"
GLIDING_HORSE = "https://github.com/doiito/gliding_horse"


def address(url: str) -> Content:
    """The address in full, and a link for terminals that follow links."""
    return Content.assemble((url, "underline $secondary")).stylize(Style(link=url))


def about() -> Content:
    """The whole page."""
    return Content.assemble(
        "A coding agent for the terminal that remembers, and whose prompt stands still. It keeps "
        "every exchange in one memory file, recalls what matters to the question, and only ever "
        "lets its prompt grow, so that a provider's prefix cache can serve it.\n\n",
        ("Based on GrowBox", "bold $primary"),
        "\nby NightPoetry: memory kept whole, recalled, cooled and slept over.\n",
        address(GROWBOX),
        "\n\n",
        ("and on Gliding Horse", "bold $primary"),
        "\nby doiito: a prompt laid out for the cache, and memory in layers.\n",
        address(GLIDING_HORSE),
        "\n\n",
        ("Licence", "bold $primary"),
        "\nMIT. The bundled model SmolLM2 is under the Apache licence, version 2.0.",
    )


class AboutScreen(ModalScreen[None]):
    """One page of text."""

    DEFAULT_CSS = page_css("AboutScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", key_display="esc")
    ]

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield title("growbox", __version__)
        with VerticalScroll(classes="page--body"):
            yield Static(about())
        yield KeyLine([("escape", "Back")])

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
