"""Detail rows: what a tool card, an approval or a recall opens to, bounded and coloured."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from growbox_tui.agent.events import DetailView
from growbox_tui.widgets.markdown_rows import coloured
from growbox_tui.widgets.page import Row, wrapped
from growbox_tui.widgets.safe_text import safe

BODY_LINES = 200
"""Lines of a body that are drawn; the rest stays behind its address."""
INDENT = Content("    ")
_DIFF_STYLES = (
    ("+++", "bold"),
    ("---", "bold"),
    ("@@", "$text-accent"),
    ("+", "$text-success"),
    ("-", "$text-error"),
)


def diff_line(line: str) -> Content:
    """One line of a unified diff; the sign stays, so that colour is not needed to read it."""
    for sign, style in _DIFF_STYLES:
        if line.startswith(sign):
            return Content.styled(line, style)
    return Content(line)


def bounded(text: str, limit: int) -> tuple[list[str], list[str], int]:
    """The first and the last lines of a text, and how many lie between them. Two thirds of
    ``limit`` go to the head; the tail is empty when all fits."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= limit:
        return lines, [], 0
    head = max(1, limit * 2 // 3)
    tail = max(1, limit - head)
    return lines[:head], lines[-tail:], len(lines) - head - tail


def _painted(lines: list[str], kind: str, language: str) -> Content:
    if kind == "diff":
        return Content("\n").join([diff_line(line) for line in lines])
    return coloured("\n".join(lines), language)


def detail_rows(
    detail: DetailView,
    width: int,
    address: str = "",
    limit: int = BODY_LINES,
    more: str = "",
) -> Iterator[Row]:
    """The body at a width in cells, about ``limit`` source lines at most, and its address.
    ``more`` says how to see the lines that are left out."""
    head, tail, hidden = bounded(safe(detail.body), limit)
    kind = "diff" if detail.kind == "diff" or detail.language == "diff" else detail.kind
    if detail.body.strip():
        yield from wrapped(_painted(head, kind, detail.language), width, INDENT, INDENT)
    if hidden:
        more = f"whole: {address}" if address else more
        note = f"… {hidden} more lines" + (f" · {more}" if more else "")
        yield from wrapped(Content.styled(note, "$text-muted"), width, INDENT, INDENT)
        yield from wrapped(_painted(tail, kind, detail.language), width, INDENT, INDENT)
    elif address:
        yield Row(INDENT + Content.styled(address, "$text-muted"), len(INDENT))
