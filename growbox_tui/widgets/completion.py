"""Completion: the list above the composer, of commands or files."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.page import Page, Row
from growbox_tui.widgets.safe_text import one_line

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that may be put into the composer."""

    insert: str
    """What replaces the word that is being typed."""
    label: str
    words: str = ""
    """What it does, beside the label."""


class Completion(Static):
    """Draws offers and which one is chosen; the composer keeps the keys."""

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self.offers: list[Offer] = []
        self.chosen = 0
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether there is anything to choose."""
        return bool(self.offers)

    def show(self, offers: list[Offer]) -> None:
        """Offer these; none closes the list."""
        if offers != self.offers:
            self.offers, self.chosen = offers, 0
        self.display = bool(offers)
        self._redraw()

    def move(self, step: int) -> None:
        """Choose the next or the one before; goes round."""
        self.chosen = (self.chosen + step) % len(self.offers)
        self._redraw()

    def choice(self) -> Offer:
        """The chosen offer. There must be one."""
        return self.offers[self.chosen]

    def _redraw(self) -> None:
        self.update(Page(self._rows))

    def _rows(self, width: int) -> list[Row]:
        first = max(0, min(self.chosen - SHOWN // 2, len(self.offers) - SHOWN))
        shown = self.offers[first : first + SHOWN]
        label_width = max((Content(offer.label).cell_length for offer in shown), default=0)
        rows = []
        for index, offer in enumerate(shown, start=first):
            here = index == self.chosen
            label = Content(one_line(offer.label))
            line = Content.assemble(
                ("> " if here else "  ", "bold $text-accent"),
                label.pad_right(max(0, label_width - label.cell_length)),
                (f"  {offer.words}", "$text-muted"),
            ).truncate(width, ellipsis=True)
            rows.append(Row(line.stylize("bold") if here else line))
        return rows
