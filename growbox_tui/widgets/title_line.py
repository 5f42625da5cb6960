"""TitleLine: where we are: the folder and its branch, and a mark while it is only a demo.

Who speaks and what it cost stand in the status line; nothing is shown twice.
"""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len
from textual.content import Content
from textual.widget import Widget

from growbox_tui.widgets.figures import DOT, fit, short_path
from growbox_tui.widgets.safe_text import one_line

NAME = "growbox"
MARK = " DEMO "


class TitleLine(Widget):
    """One line; whatever it has to shorten can be read whole in its tooltip."""

    DEFAULT_CSS = """
    TitleLine {
        height: 1;
        padding: 0 1;
        color: $text-muted;
        background: $background;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._project = ""
        self._branch = ""
        self._demo = False

    def show(self, project: str, branch: str, model: str, demo: bool) -> None:
        """``project`` is a folder, ``branch`` may be empty."""
        self._project = project
        self._branch = one_line(branch)
        self._demo = demo
        lines = (one_line(project), self._branch, one_line(model))
        self.tooltip = Content("\n".join(line for line in lines if line)) or None
        self.refresh()

    def render(self) -> Content:
        """Name, folder and branch from the left, the mark at the right edge."""
        width = self.size.width
        mark = MARK if self._demo else ""
        room = width - len(NAME) - 2 - (len(mark) + 1 if mark else 0)
        branch = fit(self._branch, max(0, room // 3)) if self._branch else ""
        tail = DOT + branch if branch else ""
        path = short_path(self._project, str(Path.home()), max(0, room - cell_len(tail)))
        gap = width - len(NAME) - 2 - cell_len(path + tail) - len(mark)
        return Content.assemble(
            (NAME, "bold $primary"),
            "  ",
            (path, "$foreground"),
            (tail, "$text-muted"),
            " " * max(0, gap),
            (mark, "bold $prefix-new-text on $prefix-new"),
        )
