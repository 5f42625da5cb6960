"""KeyLine: the footer, all keys that work now on one line."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets._static import Static

from growbox_tui.widgets.page import Page, Row


def key_words(key: str) -> str:
    """A key as the footer writes it: ``ctrl+p`` is ``^p``."""
    names = {"enter": "⏎", "escape": "esc"}
    return names.get(key, key.replace("ctrl+", "^"))


class KeyLine(Static):
    """Pairs of key and label; those that do not fit are left to the help screen."""

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        self._keys = tuple(keys)
        super().__init__(Page(self._rows), markup=False)

    def show(self, keys: Sequence[tuple[str, str]]) -> None:
        """Other keys from now on."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.update(Page(self._rows), layout=False)

    def _rows(self, width: int) -> list[Row]:
        line = Content("")
        for key, label in self._keys:
            gap = "  " if line else ""
            item = Content.assemble(gap, (key_words(key), "bold $text-accent"), f" {label}")
            if line.cell_length + item.cell_length > width:
                break
            line += item
        return [Row(line)]
