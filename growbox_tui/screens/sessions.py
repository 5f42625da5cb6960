"""SessionsScreen: the conversations on file, newest first; typing narrows the list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.chooser import Chooser, Row
from growbox_tui.widgets.figures import (
    DOT,
    fit,
    pad,
    pad_left,
    plural,
    short_model,
    short_path,
    stamp,
    when,
)
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from memory.types import SessionInfo

TIME, TURNS = 6, 11


def session_line(info: SessionInfo, now: datetime, home: str, cells: int) -> Content:
    """Time, title, turns and project in columns of one line."""
    project_cells = max(12, cells // 4)
    title_cells = max(0, cells - TIME - TURNS - project_cells - 8)
    return Content.assemble(
        " ",
        (pad_left(when(stamp(info.updated), now), TIME), "$text-muted"),
        "  ",
        pad(one_line(info.title) or "(nothing said yet)", title_cells),
        "  ",
        (pad_left(plural(info.turns, "turn"), TURNS), "$text-muted"),
        "  ",
        (pad(short_path(info.project, home, project_cells), project_cells), "$secondary"),
    )


def session_row(info: SessionInfo, now: datetime, home: str) -> Row:
    """The session as something to choose; found by title, project, id and model."""
    search = " ".join((info.title, info.project, info.id, info.model))
    return Row(info.id, search, lambda cells: session_line(info, now, home, cells))


class SessionsScreen(ModalScreen[str | None]):
    """Dismisses with the id of the session to resume, or ``None``."""

    DEFAULT_CSS = page_css("SessionsScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
    ]

    def __init__(self, sessions: Sequence[SessionInfo]) -> None:
        super().__init__()
        self._sessions = {info.id: info for info in sessions}

    def compose(self) -> ComposeResult:
        """Title, list, and what the marked session is in full."""
        now, home = datetime.now(UTC), str(Path.home())
        yield title("Sessions", plural(len(self._sessions), "conversation"))
        with Vertical(classes="page--body"):
            yield Chooser(
                [session_row(info, now, home) for info in self._sessions.values()],
                hint="type to narrow: words of the title, folder or model",
                empty="No session holds these words."
                if self._sessions
                else "No sessions yet. The first one starts when you ask something.",
            )
        yield Static(classes="page--note", markup=False)
        yield KeyLine([("enter", "Resume"), ("up/down", "Choose"), ("escape", "Back")])

    @on(Chooser.Pointed)
    def _tell(self, event: Chooser.Pointed) -> None:
        info = self._sessions[event.key]
        words = DOT.join(
            (f"{stamp(info.updated)} UTC", one_line(info.project), short_model(info.model), info.id)
        )
        line = Content.assemble(
            (fit(one_line(info.title), max(8, 2 * (self.size.width - 2))), "$foreground"),
            "\n",
            words,
        )
        self.query_one(".page--note", Static).update(line)

    @on(Chooser.Chosen)
    def _take(self, event: Chooser.Chosen) -> None:
        if event.key is not None:
            self.dismiss(event.key)

    def action_leave(self) -> None:
        """Back, with nothing chosen."""
        self.dismiss(None)
