"""PrefixBar: the prompt as one bar, and what a prefix cache made of it.

The first line is the prompt, its width shared out by tokens, each segment in the colour and the
pattern of its state: plain ground for what is the same as last time, dots for what is new, slashes
for what is broken. The second line holds the forecast and the provider's figure side by side;
a cause that does not fit there takes a third.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.strip import Strip
from textual.widget import Widget

from growbox_tui.widgets.cache_words import (
    Phrase,
    best,
    forecast,
    phrase_rows,
    report,
    row_cells,
    verdict,
    warmth,
)
from growbox_tui.widgets.figures import DOT, count, fit
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from rich.style import Style
    from textual.geometry import Size

    from growbox_tui.agent.events import (
        PromptBuilt,
        SegmentState,
        SegmentView,
        UsageReported,
        Warmed,
    )

PATTERNS: dict[SegmentState, str] = {"hit": " ", "new": ".", "broken": "/"}
NARROWEST = 2
"""A bar with room for a gap: segments of fewer cells are drawn whole."""
NOTHING_SENT = "no prompt sent yet"
GAP = "\u2590"
"""Half a cell of the page's ground at a segment's end, which parts it from the next."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One segment as drawn: ``text`` takes exactly ``cells`` cells."""

    text: str
    cells: int
    state: SegmentState


def share_cells(tokens: Sequence[int], cells: int) -> list[int]:
    """Cells for each segment, in proportion to its tokens.

    They sum to ``cells``. A segment with tokens gets at least one, one without gets none; where
    there are more segments than cells, the largest get one each. All zero tokens: all zero cells.
    """
    widths = [0] * len(tokens)
    filled = [index for index, number in enumerate(tokens) if number > 0]
    if not filled or cells <= 0:
        return widths
    if len(filled) >= cells:
        for index in sorted(filled, key=lambda index: (-tokens[index], index))[:cells]:
            widths[index] = 1
        return widths
    large, room = filled, cells
    while True:
        total = sum(tokens[index] for index in large)
        small = [index for index in large if tokens[index] * room < total]
        if not small:
            break
        for index in small:
            widths[index] = 1
        room -= len(small)
        large = [index for index in large if widths[index] == 0]
    for index in large:
        widths[index] = tokens[index] * room // total
    left_over = room - sum(widths[index] for index in large)
    by_rest = sorted(large, key=lambda index: (-(tokens[index] * room % total), index))
    for index in by_rest[:left_over]:
        widths[index] += 1
    return widths


def label(name: str, tokens: int, cells: int) -> str:
    """As much of ``name tokens`` as fits with a blank on both sides, or behind it; else nothing."""
    for words in (f" {name} {count(tokens)} ", f" {name} ", f"{name} "):
        if cell_len(words) <= cells:
            return words
    return ""


def stretches(segments: Sequence[SegmentView], cells: int) -> list[Stretch]:
    """The whole bar, ``cells`` cells wide, without segments that have no tokens."""
    widths = share_cells([segment.tokens for segment in segments], cells)
    drawn = []
    for segment, width in zip(segments, widths, strict=True):
        if width:
            room = width - 1 if width >= NARROWEST else width
            words = label(one_line(segment.name), segment.tokens, room)
            text = words + PATTERNS[segment.state] * (room - cell_len(words))
            drawn.append(Stretch(text + GAP * (width - room), width, segment.state))
    return drawn


class PrefixBar(Widget):
    """Draws the last prompt that was built, and its report as soon as there is one."""

    DEFAULT_CSS = """
    PrefixBar {
        height: auto;
        padding: 0 1;
        color: $foreground;
        background: $background;
    }
    PrefixBar > .prefix-bar--hit { color: $prefix-hit-text; background: $prefix-hit; }
    PrefixBar > .prefix-bar--new { color: $prefix-new-text; background: $prefix-new; }
    PrefixBar > .prefix-bar--broken {
        color: $prefix-broken-text;
        background: $prefix-broken;
        text-style: bold;
    }
    PrefixBar > .prefix-bar--empty { color: $text-muted; background: $panel; }
    PrefixBar > .prefix-bar--quiet { color: $text-muted; }
    PrefixBar > .prefix-bar--figure { color: $foreground; }
    PrefixBar > .prefix-bar--good { color: $text-success; }
    PrefixBar > .prefix-bar--caution { color: $text-warning; }
    PrefixBar > .prefix-bar--alarm { color: $text-error; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "prefix-bar--hit",
        "prefix-bar--new",
        "prefix-bar--broken",
        "prefix-bar--empty",
        "prefix-bar--quiet",
        "prefix-bar--figure",
        "prefix-bar--good",
        "prefix-bar--caution",
        "prefix-bar--alarm",
    }

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._prompt: PromptBuilt | None = None
        self._usage: UsageReported | None = None
        self._warmed: Warmed | None = None
        self._empty = NOTHING_SENT

    def clear(self, words: str = "") -> None:
        """No prompt stands here any more; ``words`` say why, where it is not the beginning."""
        self._prompt = self._usage = self._warmed = None
        self._empty = words or NOTHING_SENT
        self.tooltip = None
        self.refresh(layout=True)

    def prompt(self, event: PromptBuilt) -> None:
        """Show a prompt that is about to be sent; its report is awaited. The tooltip names every
        segment, those too that are too narrow for their name."""
        self._prompt = event
        self._usage = self._warmed = None
        lines = [f"{seg.name} {count(seg.tokens)} {seg.state}" for seg in event.segments]
        self.tooltip = Content("\n".join(one_line(line) for line in lines))
        self.refresh(layout=True)

    @property
    def awaited(self) -> PromptBuilt | None:
        """The prompt on show, while its report is still to come."""
        return self._prompt if self._usage is None else None

    def usage(self, event: UsageReported) -> None:
        """Show what the provider reported, if it speaks of the prompt on show."""
        if self._prompt is not None and event.request == self._prompt.request:
            self._usage = event
            self.refresh(layout=True)

    def warmed(self, event: Warmed | None) -> None:
        """Show that the cache is kept alive, until the next prompt is built, or no more."""
        self._warmed = event
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Two lines, or three where the cause needs one."""
        return 1 + len(self._rows(width))

    def render_line(self, y: int) -> Strip:
        """The bar, then the words."""
        width = self.size.width
        if y == 0:
            return self._bar(width)
        rows = self._rows(width)
        return self._words(rows[y - 1] if y <= len(rows) else [], width)

    def _rows(self, width: int) -> list[list[Phrase]]:
        prompt = self._prompt
        if prompt is None:
            return [[Phrase(fit("what a cache can serve of it will stand here", width), "quiet")]]
        usage = self._usage
        head = [forecast(prompt, usage), report(usage)]
        bound = best(prompt, usage)
        last = verdict(prompt, usage)
        figures = [*head, bound] if bound else head
        epoch = Phrase(f"epoch {prompt.epoch}", "quiet")
        rows = phrase_rows([epoch, *figures, last], width)
        if len(rows) > 1:
            rows = phrase_rows([*figures, last], width)
        rows = rows if row_cells(rows[0]) <= width else phrase_rows([*head, last], width)
        return self._with_warmth(rows, width)

    def _with_warmth(self, rows: list[list[Phrase]], width: int) -> list[list[Phrase]]:
        """What became of the last request stays readable while its cache is kept alive."""
        if self._warmed is None:
            return rows
        warm = warmth(self._warmed)
        if row_cells([*rows[-1], warm]) <= width:
            return [*rows[:-1], [*rows[-1], warm]]
        return [*rows, [Phrase(fit(warm.text, width), warm.kind)]]

    def _bar(self, width: int) -> Strip:
        drawn = stretches(self._prompt.segments, width) if self._prompt else []
        if not drawn:
            words = fit(f" {self._empty}", width)
            return self._strip([(words + " " * (width - cell_len(words)), "empty")], width)
        return self._strip([(stretch.text, stretch.state) for stretch in drawn], width)

    def _words(self, row: list[Phrase], width: int) -> Strip:
        parts: list[tuple[str, str]] = []
        for phrase in row:
            parts += (
                [(DOT, "quiet"), (phrase.text, phrase.kind)]
                if parts
                else [(phrase.text, phrase.kind)]
            )
        return self._strip(parts, width)

    def _strip(self, parts: list[tuple[str, str]], width: int) -> Strip:
        from rich.segment import Segment

        segments = []
        for text, kind in parts:
            style = self.get_component_rich_style(f"prefix-bar--{kind}")
            words = text.rstrip(GAP)
            segments.append(Segment(words, style))
            if words != text:
                segments.append(Segment(GAP, self._gap_style(style)))
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    def _gap_style(self, bar: Style) -> Style:
        from rich.style import Style as RichStyle

        return RichStyle(color=self.rich_style.bgcolor, bgcolor=bar.bgcolor)
