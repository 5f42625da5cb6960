"""MemoryScreen: the map of memory. What was read of the timeline, the ways that questions made,
what is owed, where the user pointed, and what stands before the model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from growbox_tui.agent import events as e
from growbox_tui.refresh import Refresh
from growbox_tui.screens.page import page_css, title, told
from growbox_tui.widgets.figures import plural, size
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.map_rows import MapRow, learned, spot_words
from growbox_tui.widgets.safe_text import in_short
from growbox_tui.widgets.section_list import SectionList
from growbox_tui.widgets.timeline_strip import axis, legend, strip
from growbox_tui.widgets.window_rows import file_section, hits_section, window_section

if TYPE_CHECKING:
    from memory.recall.overview import MemoryMap
    from memory.types import MemoryState

LEAST_FOR_DETAIL = 18
"""Lines of the terminal from which the marked row is told in full."""
KEYS = (("up/down", "Choose"), ("tab", "Section"), ("escape", "Back"))
GONE = "This jump is no more."


@dataclass(frozen=True, slots=True)
class MapVerbs:
    """What the page asks of the session."""

    read: Callable[[], Awaitable[MemoryMap]]
    """The map as it is now."""
    undo: Callable[[int], Awaitable[object]]
    """Take the jump of this number back. Raises ``LookupError`` for an unknown one."""


class MemoryScreen(ModalScreen[None]):
    """Strip, list, and the marked row in full."""

    DEFAULT_CSS = (
        page_css("MemoryScreen")
        + """
    MemoryScreen > .page--body { scrollbar-gutter: auto; }
    MemoryScreen > .page--body > Static { height: auto; margin: 0 0 1 0; }
    MemoryScreen > .detail { height: auto; padding: 0 1; margin: 1 0 0 0; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f2", "leave", "Back"),
        Binding("u", "undo", "Undo"),
    ]

    def __init__(
        self,
        state: MemoryState | None,
        items: Sequence[e.WindowItemView] = (),
        hits: Sequence[e.HitView] = (),
        known: MemoryMap | None = None,
        verbs: MapVerbs | None = None,
    ) -> None:
        """``hits`` are those of the last recall. ``known`` and ``verbs`` are missing where no
        session is open."""
        super().__init__()
        self._state = state
        self._items = tuple(items)
        self._hits = tuple(hits)
        self._known = known
        self._verbs = verbs
        self._said = ""
        self._again = Refresh(self._load)

    def compose(self) -> ComposeResult:
        """Title, strip, list, the marked row, keys."""
        yield title("Memory", self._figures())
        with Vertical(classes="page--body"):
            yield Static(classes="strip", markup=False)
            yield SectionList()
        yield Static(classes="detail", markup=False)
        yield KeyLine(KEYS)

    def on_mount(self) -> None:
        """The arrow keys move the mark."""
        self._list.focus()
        self._fill()

    def on_resize(self) -> None:
        """Lay the strip out for the new width."""
        self.call_after_refresh(self._draw_strip)

    @property
    def _list(self) -> SectionList:
        return self.query_one(SectionList)

    def _figures(self) -> str:
        state = self._state
        if state is None:
            return "the memory file is not open yet"
        many = plural(state.nodes, "memory", "memories")
        return f"{many} in {plural(state.sessions, 'conversation')}, {size(state.bytes)}"

    # ---- what happens meanwhile --------------------------------------------------------------

    def hears(self, event: e.Event) -> None:
        """Something was found, or stands elsewhere now."""
        match event:
            case e.WindowChanged():
                self._items = event.items
                self._fill()
            case e.Recalled():
                self._hits = event.hits
                self.run_worker(self._again(), exit_on_error=False)
            case _:
                pass

    async def _load(self) -> MemoryMap | None:
        if self._verbs is not None:
            self._known = await self._verbs.read()
        self._fill()
        self._draw_strip()
        return self._known

    # ---- drawing -----------------------------------------------------------------------------

    def _fill(self) -> None:
        now = datetime.now(UTC)
        known = learned(self._known, now) if self._known is not None else []
        window = window_section(self._items, now), hits_section(self._hits, now)
        self._list.show([*known, *window, file_section(self._state)])

    def _draw_strip(self) -> None:
        widget = self.query_one(".strip", Static)
        widget.display = self._known is not None
        if self._known is None:
            return
        cells = max(40, self.size.width - 2)
        buckets = self._known.buckets
        lines = [strip(buckets, cells)]
        if buckets:
            lines += [axis(buckets, datetime.now(UTC), cells), legend(buckets, cells)]
        widget.update(Content("\n").join(lines))

    @on(SectionList.Pointed)
    def _point(self, event: SectionList.Pointed) -> None:
        event.stop()
        self._said = ""
        self._tell(event.row)

    def _tell(self, row: MapRow | None) -> None:
        widget = self.query_one(".detail", Static)
        widget.display = self.size.height >= LEAST_FOR_DETAIL or bool(self._said)
        cells = max(20, self.size.width - 2)
        lines = row.tell(cells) if row is not None else [Content("")]
        if self._said:
            told = Content.styled(self._said, "$text-success").truncate(cells, ellipsis=True)
            lines = [told, *lines[1:]]
        widget.update(Content("\n").join(lines))
        kind = row.key.partition(":")[0] if row is not None else ""
        own = {"pointer": [("enter", "Keys")], "jump": [("u", "Undo")]}.get(kind, [])
        self.query_one(KeyLine).show([*own, *KEYS])

    # ---- keys --------------------------------------------------------------------------------

    def _number(self, kind: str) -> int | None:
        """The number of the marked row, where it is one of this kind."""
        row = self._list.marked
        name, _, number = row.key.partition(":") if row is not None else ("", "", "")
        return int(number) if name == kind else None

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        number = self._number("pointer")
        views = self._known.pointers if self._known is not None else ()
        found = next((view for view in views if view.id == number), None)
        if found is not None:
            from growbox_tui.screens.pointer import PointerScreen

            self.app.push_screen(PointerScreen(found))

    def action_undo(self) -> None:
        """Take the marked jump back."""
        number = self._number("jump")
        if number is not None and self._verbs is not None:
            self.run_worker(self._undo(number, self._verbs), exit_on_error=False, group="undo")

    async def _undo(self, number: int, verbs: MapVerbs) -> None:
        jumps = self._known.jumps if self._known is not None else ()
        jump = next((jump for jump in jumps if jump.id == number), None)
        try:
            await verbs.undo(number)
            where = in_short(spot_words(jump.target)) if jump is not None else ""
            said = f"Taken back: the jump to {where}."
        except LookupError:
            said = GONE
        except Exception as error:  # noqa: BLE001  the page outlives a failed write, and tells it
            said = told(error)
        await self._load()
        # Behind the news of where the mark is now, which would take the words away.
        self.call_after_refresh(self._say, said)

    def _say(self, words: str) -> None:
        self._said = words
        self._tell(self._list.marked)

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
