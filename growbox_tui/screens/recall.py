"""RecallScreen: a question to memory, the ladder as it is climbed, what was found. The user digs
deeper from here, has everything read, calls a memory wrong, or pins one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from growbox_tui.screens.page import page_css, title, told
from growbox_tui.widgets.figures import fit
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.map_rows import MapRow, Section
from growbox_tui.widgets.recall_words import in_short, price_of_all
from growbox_tui.widgets.safe_text import one_line, unmarked
from growbox_tui.widgets.section_list import SectionList
from growbox_tui.widgets.step_table import gaps, ladder
from growbox_tui.widgets.window_rows import hit_row

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, Recalled, StepView

Depth = Literal["shallow", "deeper", "exhaustive"]
"""How far the ladder is climbed whatever its cheaper steps bring."""
LEAST_FOR_DETAIL = 20
"""Lines of the terminal from which the marked memory is told in full."""
NOT_ALL = "Not all of it could be read."
LEAST_FOR_ALL = 30
"""Lines from which a step that found nothing has a line of its own."""
KEYS = (
    ("g", "Deeper"), ("x", "Everything"), ("w", "Wrong"), ("enter", "Pin"), ("escape", "Back"),
)  # fmt: skip
EMPTY_KEYS = (("g", "Deeper"), ("x", "Everything"), ("escape", "Back"))
RUNNING_KEYS = (("escape", "Stop"),)
ASK_KEYS = (("y", "Read everything"), ("n", "Leave it"))


class Ask(Protocol):
    """How the page asks memory."""

    async def __call__(
        self, text: str, *, deeper: bool, exhaustive: bool, told: Callable[[StepView], None]
    ) -> Recalled:
        """Climb the ladder; ``told`` is called after each step."""


@dataclass(frozen=True, slots=True)
class RecallVerbs:
    """What the page asks of the session."""

    ask: Ask
    wrong: Callable[[int, str], Awaitable[Recalled]]
    """(recollection, address): it is not what was meant; what a deeper look brings instead."""
    pin: Callable[[str], Awaitable[object]]


class RecallScreen(ModalScreen[None]):
    """The steps above, the memories below, the marked one in full."""

    DEFAULT_CSS = (
        page_css("RecallScreen")
        + """
    RecallScreen > .page--body { scrollbar-gutter: auto; }
    RecallScreen > .page--body > Static { height: auto; margin: 0 0 1 0; }
    RecallScreen > .detail { height: auto; padding: 0 1; margin: 1 0 0 0; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back"),
        Binding("g", "deeper", "Deeper"),
        Binding("x", "everything", "Everything"),
        Binding("w", "wrong", "Wrong"),
        Binding("y", "answer(True)", "Yes", show=False),
        Binding("n", "answer(False)", "No", show=False),
    ]

    def __init__(self, text: str, verbs: RecallVerbs, depth: Depth = "shallow") -> None:
        """``text``: the question, which is asked as soon as the page is open."""
        super().__init__()
        self._text = text
        self._verbs = verbs
        self._depth: Depth = depth
        self._steps: list[StepView] = []
        self._found: Recalled | None = None
        self._wrong: set[str] = set()
        """Addresses that the user called wrong."""
        self._running = self._asks = False
        self._said = ""

    def compose(self) -> ComposeResult:
        """Title, ladder, what came of it, memories, the marked one, keys."""
        yield title("Recall")
        with Vertical(classes="page--body"):
            yield Static(classes="ladder", markup=False)
            yield Static(classes="answer", markup=False)
            yield SectionList()
        yield Static(classes="detail", markup=False)
        yield KeyLine(RUNNING_KEYS)

    def on_mount(self) -> None:
        """Ask at once."""
        self._list.focus()
        self._climb(self._depth)

    def on_resize(self) -> None:
        """Lay the page out for the new size."""
        self.call_after_refresh(self._draw)

    @property
    def _list(self) -> SectionList:
        return self.query_one(SectionList)

    # ---- asking ------------------------------------------------------------------------------

    def _climb(self, depth: Depth) -> None:
        self._depth, self._running, self._asks, self._said = depth, True, False, ""
        self._steps, self._found = [], None
        self._draw()
        self.run_worker(self._ask(), exit_on_error=False, group="recall", exclusive=True)

    async def _ask(self) -> None:
        try:
            found = await self._verbs.ask(
                self._text,
                deeper=self._depth != "shallow",
                exhaustive=self._depth == "exhaustive",
                told=self._step,
            )
        except Exception as error:  # noqa: BLE001  the page outlives a failed recall, and tells it
            self._running = False
            self._say(told(error))
        else:
            self._show(found)

    def _step(self, step: StepView) -> None:
        self._steps.append(step)
        if self.is_mounted:
            self._draw()

    def _show(self, found: Recalled) -> None:
        self._running, self._found = False, found
        if self._depth == "exhaustive" and not found.complete and not self._said:
            self._said = NOT_ALL
        self._steps = list(found.steps) or self._steps
        self._draw()

    # ---- drawing -----------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_mounted:
            return
        cells = max(40, self.size.width - 2)
        head = Content.assemble(("Recall", "bold $primary"), f"  {one_line(self._text)}")
        self.query_one(".page--title", Static).update(head.truncate(cells, ellipsis=True))
        by = self._found.answered_by if self._found is not None else ""
        brief = self.size.height < LEAST_FOR_ALL
        lines = ladder(self._steps, cells, answered_by=by, running=self._running, brief=brief)
        self.query_one(".ladder", Static).update(Content("\n").join(lines))
        answer = self.query_one(".answer", Static)
        answer.display = bool(self._outcome())
        answer.update(self._outcome())
        self._list.show([Section("", "", [self._row(hit) for hit in self._hits])])
        self._keys()

    @property
    def _hits(self) -> tuple[HitView, ...]:
        return self._found.hits if self._found is not None else ()

    def _row(self, hit: HitView) -> MapRow:
        return hit_row(hit, datetime.now(UTC), wrong=hit.address in self._wrong)

    def _outcome(self) -> Content:
        """What came of it; while something is asked, the question."""
        found = self._found
        if found is None:
            return Content(self._said)
        if self._asks:
            price = price_of_all(found.price, complete=found.complete)
            return Content.assemble((price, "$text-warning"), " Shall it?")
        said = f"{self._said} " if self._said else ""
        return Content.assemble((said, "$text-success"), f"{in_short(found)}. ", gaps(found))

    @on(SectionList.Pointed)
    def _point(self, event: SectionList.Pointed) -> None:
        event.stop()
        widget = self.query_one(".detail", Static)
        row = event.row
        widget.display = row is not None and self.size.height >= LEAST_FOR_DETAIL
        if row is not None:
            widget.update(Content("\n").join(row.tell(max(20, self.size.width - 2))))

    def _keys(self) -> None:
        line = self.query_one(KeyLine)
        if self._running:
            line.show(RUNNING_KEYS)
        elif self._asks:
            line.show(ASK_KEYS)
        else:
            line.show(KEYS if self._hits else EMPTY_KEYS)

    def _say(self, words: str) -> None:
        self._said = words
        self._draw()

    # ---- keys --------------------------------------------------------------------------------

    @property
    def _free(self) -> bool:
        """Whether nothing runs and nothing is asked."""
        return not self._running and not self._asks

    def action_deeper(self) -> None:
        """Go on to exact reading, whatever was found."""
        if self._free:
            self._climb("deeper")

    def action_everything(self) -> None:
        """Read everything: the price comes first."""
        if not self._free:
            return
        if self._found is None:
            self._climb("exhaustive")
            return
        self._asks = True
        self._draw()

    def action_answer(self, yes: bool) -> None:
        """Whether everything shall be read."""
        if self._asks and yes:
            self._climb("exhaustive")
        elif self._asks:
            self._asks = False
            self._draw()

    def _marked(self) -> HitView | None:
        row = self._list.marked
        address = row.key.partition(":")[2] if row is not None else ""
        return next((hit for hit in self._hits if hit.address == address), None)

    def action_wrong(self) -> None:
        """The marked memory is not what was meant."""
        hit, found = self._marked(), self._found
        if not self._free or hit is None or found is None or hit.address in self._wrong:
            return
        if not found.recollection:
            self._say("This recall was not kept on file, so nothing can be learned from it.")
            return
        self._wrong.add(hit.address)
        self._running = True
        self._draw()
        self.run_worker(
            self._dig(found.recollection, hit), exit_on_error=False, group="recall", exclusive=True
        )

    async def _dig(self, recollection: int, hit: HitView) -> None:
        try:
            found = await self._verbs.wrong(recollection, hit.address)
        except Exception as error:  # noqa: BLE001  the page outlives a failed write, and tells it
            self._wrong.discard(hit.address)
            self._running = False
            self._say(told(error))
            return
        self._said = f"Learned: not “{fit(unmarked(hit.text), 40)}”. Looked deeper."
        self._show(found)

    @on(OptionList.OptionSelected)
    def _pin(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        hit = self._marked()
        if self._free and hit is not None:
            self.run_worker(self._pinned(hit), exit_on_error=False, group="pin")

    async def _pinned(self, hit: HitView) -> None:
        try:
            await self._verbs.pin(hit.address)
        except Exception as error:  # noqa: BLE001  the page outlives a failed write, and tells it
            self._say(told(error))
        else:
            self._say("Pinned: it stays before the model.")

    def action_leave(self) -> None:
        """Not to read everything; else to stop, and back."""
        if self._asks:
            self.action_answer(False)
        else:
            self.dismiss()
