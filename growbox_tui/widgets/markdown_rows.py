"""Markdown rows: blocks laid out at a width in cells."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from growbox_tui.widgets.line_breaks import broken
from growbox_tui.widgets.markdown_blocks import (
    Block,
    CodeBlock,
    RuleBlock,
    TableBlock,
    TextBlock,
    parse,
)
from growbox_tui.widgets.page import Row, wrapped

HIGHLIGHT_LIMIT = 20_000
"""Characters of code up to which it is coloured; colouring more would hold up the screen."""


def coloured(code: str, language: str) -> Content:
    """Code in the theme's colours; plain where the language is unknown or the code is long."""
    if not language or len(code) > HIGHLIGHT_LIMIT:
        return Content(code)
    from textual.highlight import highlight

    return highlight(code, language=language, tab_size=4)


def _code_rows(block: CodeBlock, width: int) -> Iterator[Row]:
    lead = Content(block.lead)
    room = max(2, width - lead.cell_length - 2)
    body = coloured(block.code, block.language)
    for row in wrapped(body, room, Content(""), Content("")):
        line = Content(" ") + row.content
        padded = line.pad_right(max(0, room + 2 - line.cell_length)).stylize("on $boost")
        yield Row(lead + padded, len(lead) + 1, row.glue)


def _column_widths(block: TableBlock, room: int) -> list[int]:
    count = max(len(line) for line in block.lines)
    natural = [
        max((line[index].cell_length for line in block.lines if index < len(line)), default=1)
        for index in range(count)
    ]
    widths = [max(1, width) for width in natural]
    while sum(widths) + 2 * (count - 1) > room and max(widths) > 4:
        widths[widths.index(max(widths))] -= 1
    return widths


def _aligned(cell: Content, size: int, right: bool) -> Content:
    free = max(0, size - cell.cell_length)
    return cell.pad_left(free) if right else cell.pad_right(free)


def _table_rows(block: TableBlock, width: int) -> Iterator[Row]:
    lead = Content(block.lead)
    widths = _column_widths(block, width - lead.cell_length)
    for number, line in enumerate(block.lines):
        columns = [
            broken(cell, size) or [Content("")] for cell, size in zip(line, widths, strict=False)
        ]
        for level in range(max(len(column) for column in columns)):
            cells = [(column[level] if level < len(column) else Content("")) for column in columns]
            padded = [
                _aligned(cell, size, right)
                for cell, size, right in zip(cells, widths, block.right, strict=False)
            ]
            yield Row(lead + Content("  ").join(padded), len(lead))
        if number == 0:
            rule = Content("  ".join("─" * size for size in widths)).stylize("$text-muted")
            yield Row(lead + rule, len(lead))


def rows_of(block: Block, width: int) -> list[Row]:
    """One block at a width in cells, with the empty row before it where it stands apart."""
    rows = [Row(Content(""))] if block.gap else []
    match block:
        case TextBlock(body, first, rest):
            lead, others = (Content(mark).stylize("$text-muted") for mark in (first, rest))
            rows.extend(wrapped(body, width, lead, others))
        case CodeBlock():
            rows.extend(_code_rows(block, width))
        case TableBlock():
            rows.extend(_table_rows(block, width))
        case RuleBlock(lead):
            line = "─" * max(2, width - len(lead))
            rows.append(Row(Content(lead) + Content(line).stylize("$text-muted")))
    return rows


def markdown_rows(text: str, width: int) -> list[Row]:
    """A whole Markdown text as rows of at most ``width`` cells."""
    rows: list[Row] = []
    for block in parse(text):
        rows.extend(rows_of(block, width))
    return rows
