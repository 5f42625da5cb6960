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
    """Pairs of key and label, never none. Where they do not fit, the last one stays and those
    before it go."""

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        self._keys = tuple(keys)
        super().__init__(Page(self._rows), markup=False)

    def show(self, keys: Sequence[tuple[str, str]]) -> None:
        """Other keys from now on."""
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.update(Page(self._rows), layout=False)

    def _rows(self, width: int) -> list[Row]:
        *others, last = self._keys
        for gap in ("  ", " "):
            line = _joined([*others, last], gap)
            if line.cell_length <= width:
                return [Row(line)]
        while others and _joined([*others, last], " ").cell_length > width:
            others.pop()
        return [Row(_joined([*others, last], " ").truncate(width))]


def _joined(keys: Sequence[tuple[str, str]], gap: str) -> Content:
    items = [
        Content.assemble((key_words(key), "bold $text-accent"), f" {label}") for key, label in keys
    ]
    return Content(gap).join(items)
