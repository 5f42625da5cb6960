"""RulesScreen: what the user stated, a line each: which stand in the prompt and which wait for the
next epoch; added, edited and deleted in place.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from growbox_tui.agent import events as e
from growbox_tui.agent.words import opened, sentences
from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.figures import plural
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.rule_line import RuleLine
from growbox_tui.widgets.safe_text import safe, typed
from memory.context.constraints import MOST_RULES

if TYPE_CHECKING:
    from growbox_tui.agent.events import RuleView

NONE_YET = (
    "No rules yet. What you state as one (“always …”, “never …”), or add while the agent runs, "
    "will stand here, and in every prompt."
)
LIST_KEYS = (
    ("a", "Add"), ("enter", "Edit"), ("d", "Delete"), ("up/down", "Choose"), ("escape", "Back"),
)  # fmt: skip
WRITE_KEYS = (("enter", "Keep"), ("escape", "Leave it"))
ASK_KEYS = (("y", "Delete"), ("n", "Keep it"))
EMPTY_KEYS = (("a", "Add"), ("escape", "Back"))


@dataclass(frozen=True, slots=True)
class RuleVerbs:
    """What can be done with rules; each change is told of by an event."""

    add: Callable[[str], Awaitable[object]]
    edit: Callable[[int, str], Awaitable[object]]
    drop: Callable[[int], Awaitable[object]]


class RulesScreen(ModalScreen[None]):
    """The lines, a place to write, and what became of the last change."""

    DEFAULT_CSS = (
        page_css("RulesScreen")
        + """
    RulesScreen > .page--body { overflow-y: auto; }
    RulesScreen > .page--body > .none { color: $text-muted; height: auto; }
    RulesScreen Input {
        background: $surface;
        color: $foreground;
        border: none;
        height: 1;
        margin: 0 0 0 13;
        padding: 0 1;
        background-tint: transparent;
    }
    RulesScreen Input > .input--placeholder { color: $text-disabled; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("a", "add", "Add"),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("home", "move(-1000)", "First", show=False),
        Binding("end", "move(1000)", "Last", show=False),
    ]

    def __init__(self, rules: Sequence[RuleView], verbs: RuleVerbs) -> None:
        super().__init__()
        self._rules = tuple(rules)
        self._verbs = verbs
        self._edits: int | None = None
        """The rule that is being written anew; ``None`` for one that is added."""

    def compose(self) -> ComposeResult:
        """Title, rules, what was told, keys."""
        yield title("Rules")
        yield Vertical(classes="page--body")
        yield Static(classes="page--note", markup=False)
        yield KeyLine(LIST_KEYS)

    async def on_mount(self) -> None:
        """The first rule has the mark."""
        await self._show(self._rules, 0)

    # ---- what happens meanwhile --------------------------------------------------------------

    def hears(self, event: e.Event) -> None:
        """The rules changed, here or by what the user says in the conversation."""
        match event:
            case e.RulesChanged():
                self._say(event.notice)
                self.run_worker(self._changed(event.rules), group="rules", exclusive=True)
            case e.Notice():
                self._say(event.text)
            case _:
                pass

    async def _changed(self, rules: Sequence[RuleView]) -> None:
        """What is being written stays as it is; the lines are drawn when it is finished."""
        at = self._place()
        self._rules = tuple(rules)
        if not self.query(Input):
            await self._show(self._rules, at)
        self._head()

    def _say(self, words: str) -> None:
        if words:
            self.query_one(".page--note", Static).update(safe(sentences(words)))

    # ---- drawing -----------------------------------------------------------------------------

    @property
    def _body(self) -> Vertical:
        # One that scrolls by keys of its own would take the keys that move the mark.
        return self.query_one(Vertical)

    @property
    def _lines(self) -> list[RuleLine]:
        return list(self.query(RuleLine))

    def _place(self) -> int:
        """Which line has the mark; 0 where none has."""
        return next((at for at, line in enumerate(self._lines) if line is self.focused), 0)

    async def _show(self, rules: Sequence[RuleView], at: int) -> None:
        body = self._body
        lines: list[Widget] = [RuleLine(rule) for rule in rules]
        async with self.batch():
            await body.remove_children()
            await body.mount_all(lines or [Static(NONE_YET, markup=False, classes="none")])
        self._mark(at)
        self._head()

    def _mark(self, at: int) -> None:
        lines = self._lines
        if lines:
            # At once: ``focus`` would only take it later, and the next key may be here already.
            self.set_focus(lines[max(0, min(at, len(lines) - 1))])
        self._keys()

    def _head(self) -> None:
        waiting = sum(not rule.standing for rule in self._rules)
        words = f"{len(self._rules)} of {MOST_RULES}"
        if waiting:
            words += f", {plural(waiting, 'waits', 'wait')} for the next epoch"
        line = Content.assemble(("Rules", "bold $primary"), (f"  {words}", "$text-muted"))
        cells = max(20, self.size.width - 2)
        self.query_one(".page--title", Static).update(line.truncate(cells, ellipsis=True))

    def _keys(self) -> None:
        keys = self.query_one(KeyLine)
        if self.query(Input):
            keys.show(WRITE_KEYS)
        elif any(line.asks for line in self._lines):
            keys.show(ASK_KEYS)
        else:
            keys.show(LIST_KEYS if self._rules else EMPTY_KEYS)

    def on_resize(self) -> None:
        """The title is cut to the width."""
        if self.is_mounted:
            self._head()

    # ---- keys --------------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Mark another rule."""
        if not self.query(Input):
            self._mark(self._place() + step)

    async def action_add(self) -> None:
        """Write a new rule below the others."""
        if not self.query(Input):
            await self._write(None, "")

    @on(RuleLine.Edited)
    async def _edit(self, event: RuleLine.Edited) -> None:
        event.stop()
        await self._write(event.line, event.line.rule.text)

    @on(RuleLine.Asked)
    def _ask(self, event: RuleLine.Asked) -> None:
        event.stop()
        self._keys()

    @on(RuleLine.Dropped)
    def _drop(self, event: RuleLine.Dropped) -> None:
        event.stop()
        self._do(self._verbs.drop(event.line.rule.id))

    async def _write(self, line: RuleLine | None, text: str) -> None:
        """A line to write in, in the place of ``line`` or below all."""
        entry = Input(
            text, placeholder="what shall always hold?", compact=True, select_on_focus=False
        )
        self._edits = line.rule.id if line is not None else None
        if line is None:
            await self._body.mount(entry)
        else:
            await self._body.mount(entry, after=line)
            line.display = False
        entry.focus()
        entry.scroll_visible(animate=False)
        self._keys()

    @on(Input.Submitted)
    async def _written(self, event: Input.Submitted) -> None:
        event.stop()
        text = " ".join(typed(event.value).split())
        before = next((rule.text for rule in self._rules if rule.id == self._edits), "")
        edits = self._edits
        await self._close_line()
        if text and text != before:
            self._do(self._verbs.add(text) if edits is None else self._verbs.edit(edits, text))

    async def _close_line(self) -> None:
        at = next((at for at, line in enumerate(self._lines) if not line.display), len(self._rules))
        await self.query(Input).remove()
        await self._show(self._rules, at)

    def _do(self, change: Awaitable[object]) -> None:
        self.run_worker(self._told(change), exit_on_error=False)

    async def _told(self, change: Awaitable[object]) -> None:
        try:
            await change
        except Exception as error:  # noqa: BLE001  the page outlives a failed write, and tells it
            named = f"{type(error).__name__}: {error}"
            gone = opened(str(error)) if isinstance(error, LookupError) else named
            self._say(str(getattr(error, "text", "")) or gone)

    async def action_leave(self) -> None:
        """Leave what is being written, or the page."""
        if self.query(Input):
            await self._close_line()
        else:
            self.dismiss()
