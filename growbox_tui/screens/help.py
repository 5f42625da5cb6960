"""HelpScreen: keys and commands from the table of actions, and how to read the prefix bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.figures import HEAT, pad
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.memory_panel import HEAT_COLOURS, LEAVING, PIN
from growbox_tui.widgets.prefix_bar import PATTERNS

if TYPE_CHECKING:
    from growbox_tui.actions import Action
    from growbox_tui.agent.events import SegmentState

WRITING = (
    ("/", "at the very start: a command"),
    ("@", "a file of the workspace, completed as you type"),
    ("!", "at the very start: run a shell command yourself"),
    ("up, down", "at the edges: what you wrote before"),
)
ANSWERING = (
    ("tab, up", "from the composer: turn to a card that asks; a click does, too"),
    ("y, n", "allow once, refuse; at once if you turned to the card, else after a moment"),
    ("s, a", "allow for the session, always; they wait for enter, esc takes them back"),
)
STATES: tuple[tuple[SegmentState, str], ...] = (
    ("hit", "the same bytes as before: a cache can serve them"),
    ("new", "never sent before; each turn adds some, that is as it should be"),
    ("broken", "behind the first change: could have been served, and will not be"),
)
HEATS = ("hot: used just now", "warm", "cool: first to leave when room is needed")


def key_names(keys: str) -> str:
    """Textual's names as people know them: ``ctrl+j, shift+enter``, ``esc``."""
    return ", ".join(key.strip().replace("escape", "esc") for key in keys.split(","))


def table(rows: Sequence[tuple[str, str]], first: int, cells: int) -> list[Content]:
    """Two columns, the first one ``first`` cells wide, the second wrapped under itself."""
    lines = []
    for name, words in rows:
        for number, part in enumerate(Content(words).wrap(max(10, cells - first))):
            lead = pad(name, first) if number == 0 else " " * first
            lines.append(Content.assemble((lead, "$accent"), part))
    return lines


def legend(cells: int) -> list[Content]:
    """The states of the prefix bar and the heats of the window list, as they are drawn."""
    lines = [
        Content.assemble(
            (f" {state:<6} {PATTERNS[state] * 5} ", f"$prefix-{state}-text on $prefix-{state}"),
            "  ",
            part,
        )
        if number == 0
        else Content.assemble(" " * 16, part)
        for state, words in STATES
        for number, part in enumerate(Content(words).wrap(max(10, cells - 16)))
    ]
    lines.append(Content(""))
    for sign, colour, words in zip(HEAT, HEAT_COLOURS, HEATS, strict=True):
        lines.append(Content.assemble((sign, colour), f"  {words}"))
    lines.append(Content.assemble((PIN, "bold $text-accent"), "  pinned by you: it stays (/unpin)"))
    leaves = "  dropped by you: it leaves when the epoch ends (/drop)"
    lines.append(Content.assemble((LEAVING, "$text-muted"), leaves))
    return lines


def help_page(actions: Sequence[Action], cells: int) -> Content:
    """The whole page for a width in cells."""
    keys = [(key_names(action.key), action.words) for action in actions if action.key]
    commands = [
        (f"{action.command} {action.arguments}".rstrip(), action.words)
        for action in actions
        if action.command
    ]
    first = max(cell_len(name) for name, _ in (*keys, *commands, *WRITING, *ANSWERING)) + 2
    sections = (
        ("Keys", table(keys, first, cells)),
        ("Commands", table(commands, first, cells)),
        ("While writing", table(WRITING, first, cells)),
        ("When a card asks", table(ANSWERING, first, cells)),
        ("The bar and the window list", legend(cells)),
    )
    lines: list[Content] = []
    for words, body in sections:
        lines += [Content("")] if lines else []
        lines += [Content.styled(words, "bold $primary"), *body]
    return Content("\n").join(lines)


class HelpScreen(ModalScreen[None]):
    """A page that scrolls."""

    DEFAULT_CSS = page_css("HelpScreen")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,f1", "leave", "Back")]

    def __init__(self, actions: Sequence[Action]) -> None:
        super().__init__()
        self._actions = actions

    def compose(self) -> ComposeResult:
        """Title, page, keys."""
        yield title("Help", "every key and command")
        with VerticalScroll(classes="page--body"):
            yield Static(markup=False)
        yield KeyLine([("up/down", "Scroll"), ("escape", "Back")])

    def on_resize(self) -> None:
        """Lay the page out for the new width."""
        body = self.query_one(VerticalScroll)
        cells = max(20, self.size.width - 2 - body.scrollbar_size_vertical)
        body.query_one(Static).update(help_page(self._actions, cells))

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
