"""WhyScreen: the last recall explained: which step answered and by what, what the others did, what
may be missing, and what it would cost to look.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from growbox_tui.screens.page import page_css, title
from growbox_tui.widgets.key_line import KeyLine
from growbox_tui.widgets.memory_panel import heading
from growbox_tui.widgets.recall_words import (
    MEANS,
    RUNGS,
    brought,
    cost,
    grounds,
    milliseconds,
    part,
)
from growbox_tui.widgets.safe_text import one_line, unmarked
from growbox_tui.widgets.step_table import gaps, ladder

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, Recalled

LEAD = "  "
TEXT = 160
"""Characters of a memory that are shown."""
CHEAPER = (
    "The steps are tried from the cheapest on, and no further than one of them is sure. "
    "What was learned changes the price of an answer, never what can be found."
)


def broken(words: str | Content, cells: int, lead: str = "") -> list[Content]:
    """Words in lines of at most ``cells`` cells, each behind ``lead``."""
    body = Content(words) if isinstance(words, str) else words
    return [Content(lead) + line for line in body.wrap(max(10, cells - len(lead)))]


def because(event: Recalled) -> str:
    """Which step answered, and by what, in sentences."""
    if not event.hits:
        return "No step found anything that bears on it."
    best = event.hits[0]
    rung = event.answered_by
    if not rung:
        return f"The best memory was found by {' and '.join(map(one_line, best.ways)) or 'chance'}."
    words = f"The best memory came from {rung}: {MEANS.get(rung, rung)}."
    if best.key:
        words += f" The past question “{one_line(best.key)}” had led there."
    trust = grounds(best)
    return f"{words} {trust[0].upper()}{trust[1:]}." if trust else words


def spent(event: Recalled) -> str:
    """What the search took."""
    read = cost(event)
    judged = f"judges took {read}" if read else "no judge was asked"
    return f"The search took {milliseconds(event.ms)}; {judged}."


def skipped(event: Recalled) -> str:
    """Which steps were not climbed; empty where all were, or nothing was told."""
    left = [rung for rung in RUNGS if rung not in {step.rung for step in event.steps}]
    if not left or not event.steps:
        return ""
    sure = event.hits and (event.hits[0].confirmed or event.hits[0].key)
    why = " The step before them was sure." if sure else ""
    return f"Not climbed: {', '.join(left)}.{why}"


def hit_lines(hit: HitView, cells: int) -> list[Content]:
    """One memory: how it came, why it is trusted, where it stands."""
    facts = filter(None, (brought(hit), grounds(hit), part(hit), one_line(hit.address)))
    key = f"by “{one_line(hit.key)}”" if hit.key else ""
    return [
        *broken(unmarked(hit.text)[:TEXT], cells, LEAD),
        *(broken(Content.styled(key, "$text-muted"), cells, LEAD * 2) if key else []),
        *broken(Content.styled(", ".join(facts), "$text-muted"), cells, LEAD * 2),
    ]


def why_page(event: Recalled, cells: int) -> Content:
    """The whole page for a width in cells."""
    lines = [
        *broken(f"“{one_line(event.query)}”", cells),
        Content(""),
        *broken(f"{because(event)} {spent(event)}", cells),
        *(broken(Content.styled(left, "$text-muted"), cells) if (left := skipped(event)) else ()),
        Content(""),
        heading("What may be missing"),
        *broken(gaps(event), cells),
        Content(""),
    ]
    if event.steps:
        lines += [heading("The ladder"), *ladder(event.steps, cells, answered_by=event.answered_by)]
        lines += [*broken(Content.styled(CHEAPER, "$text-muted"), cells), Content("")]
    lines.append(heading("What was found", str(len(event.hits)) if event.hits else "nothing"))
    for hit in event.hits:
        lines += hit_lines(hit, cells)
    return Content("\n").join(lines)


class WhyScreen(ModalScreen[None]):
    """A page that scrolls."""

    DEFAULT_CSS = page_css("WhyScreen")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back"),
        Binding("g", "deeper", "Deeper"),
    ]

    def __init__(self, event: Recalled, deeper: Callable[[], None]) -> None:
        """``deeper`` opens the page that asks the same again and goes on to exact reading."""
        super().__init__()
        self._event = event
        self._deeper = deeper

    def compose(self) -> ComposeResult:
        """Title, page, keys."""
        yield title("Why", "how the last recall came about")
        with VerticalScroll(classes="page--body"):
            yield Static(markup=False)
        yield KeyLine([("up/down", "Scroll"), ("g", "Deeper"), ("escape", "Back")])

    def on_resize(self) -> None:
        """Lay the page out for the new width."""
        body = self.query_one(VerticalScroll)
        cells = max(40, self.size.width - 2 - body.scrollbar_size_vertical)
        body.query_one(Static).update(why_page(self._event, cells))

    def action_deeper(self) -> None:
        """Ask again, and go on to exact reading."""
        self.dismiss()
        self._deeper()

    def action_leave(self) -> None:
        """Back."""
        self.dismiss()
