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
SHORT_PREVIEW = 8
"""Rows of a preview below which a diff begins with its first change."""
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


def painted(lines: list[str], kind: str, language: str) -> Content:
    """Lines of a body in the colours of their kind."""
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
    kind = _kind(detail)
    if detail.body.strip():
        yield from wrapped(painted(head, kind, detail.language), width, INDENT, INDENT)
    if hidden:
        more = f"whole: {address}" if address else more
        note = f"… {hidden} more lines" + (f" · {more}" if more else "")
        yield from wrapped(Content.styled(note, "$text-muted"), width, INDENT, INDENT)
        yield from wrapped(painted(tail, kind, detail.language), width, INDENT, INDENT)
    elif address:
        yield Row(INDENT + Content.styled(address, "$text-muted"), len(INDENT))


def _kind(detail: DetailView) -> str:
    return "diff" if detail.language == "diff" else detail.kind


def preview_rows(detail: DetailView, width: int, limit: int, more: str) -> list[Row]:
    """The body in at most ``limit`` rows (three at least): its first and its last lines, and
    between them how many are left out. Of a diff the first changed line is always among them."""
    kind = _kind(detail)
    lines = safe(detail.body).rstrip("\n").split("\n")
    if kind == "diff":
        lines = _from_change(lines, limit)
    fits = len(lines) <= limit
    head, tail, hidden = bounded("\n".join(lines), limit if fits else limit - 1)
    first = wrapped(painted(head, kind, detail.language), width, INDENT, INDENT)
    if fits and len(first) <= limit:
        return first
    last = wrapped(painted(tail, kind, detail.language), width, INDENT, INDENT) if tail else first
    above = max(1, (limit - 1) * 2 // 3)
    below = limit - 1 - above
    words = f"… {hidden} more lines · {more}" if hidden else f"… more · {more}"
    note = Content.styled(words, "$text-muted").truncate(width - len(INDENT), ellipsis=True)
    return [*first[:above], Row(INDENT + note, len(INDENT)), *(last[-below:] if below else [])]


def _from_change(lines: list[str], limit: int) -> list[str]:
    """A diff without the names of its files, which stand elsewhere; where there is little room,
    from its first changed line on."""
    start = next((at for at, line in enumerate(lines) if line.startswith("@@")), 0)
    if limit < SHORT_PREVIEW:
        changed = (at for at in range(start, len(lines)) if lines[at][:1] in ("+", "-"))
        start = next(changed, start)
    return lines[start:]
