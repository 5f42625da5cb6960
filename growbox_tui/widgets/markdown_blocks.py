"""Markdown to blocks: headings, lists, quotes, code, tables, in the theme's colours.

The answer of a model is text from outside: links are shown with their address and cannot be
clicked, HTML is shown as written, and control bytes are made visible first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from textual.content import Content

from growbox_tui.widgets.safe_text import safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_HEADINGS = {"h1": "bold underline $text-primary", "h2": "bold $text-primary"}
_MARKS = {"strong": "bold", "em": "italic", "s": "strike"}


@dataclass(frozen=True, slots=True)
class TextBlock:
    body: Content
    first: str
    rest: str
    gap: bool


@dataclass(frozen=True, slots=True)
class CodeBlock:
    code: str
    language: str
    lead: str
    gap: bool


@dataclass(frozen=True, slots=True)
class TableBlock:
    lines: tuple[tuple[Content, ...], ...]
    """The first one is the heading."""
    right: tuple[bool, ...]
    """Which columns stand on the right."""
    lead: str
    gap: bool


@dataclass(frozen=True, slots=True)
class RuleBlock:
    lead: str
    gap: bool


Block = TextBlock | CodeBlock | TableBlock | RuleBlock


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables and strike-through. Loaded when the first answer comes."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def closed_length(text: str) -> int:
    """How many characters of a growing text are in blocks that no later text can change.

    All blocks but the last one are closed, so a streamed answer re-reads only its last block.
    """
    starts = [token.map[0] for token in parser().parse(text) if token.level == 0 and token.map]
    if not starts:
        return 0
    last = max(starts)
    lines = text.splitlines(keepends=True)
    return sum(len(line) for line in lines[:last])


def _wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in ("W", "F")


def _break(parts: list[tuple[str, str]], following: Token | None) -> str:
    """What a line break inside a paragraph becomes: nothing between two wide characters."""
    before = parts[-1][0][-1:] if parts else ""
    after = following.content[:1] if following is not None else ""
    return "" if before and after and _wide(before) and _wide(after) else " "


class _Inline:
    """Gathers the words of one paragraph; holds the open weights and links."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, str]] = []
        self._styles: list[str] = []
        self._links: list[tuple[str, int]] = []

    def say(self, text: str, style: str = "") -> None:
        self.parts.append((text, " ".join((*self._styles, style)).strip()))

    def close_link(self) -> None:
        """The address follows the words unless the words are the address."""
        self._styles.remove("underline")
        target, start = self._links.pop()
        if target != "".join(text for text, _ in self.parts[start:]):
            self.parts.append((f" ({target})", "$text-muted"))

    def token(self, token: Token, following: Token | None) -> None:
        name, _, edge = token.type.rpartition("_")
        match name, edge:
            case "", "softbreak":
                self.say(_break(self.parts, following))
            case "", "hardbreak":
                self.say("\n")
            case "code", "inline":
                self.say(token.content, "$text-accent")
            case "", "image":
                self.say(f"[{token.content}] ({token.attrs.get('src', '')})")
            case "link", "open":
                self._links.append((str(token.attrs.get("href", "")), len(self.parts)))
                self._styles.append("underline")
            case "link", "close":
                self.close_link()
            case _, "open" if name in _MARKS:
                self._styles.append(_MARKS[name])
            case _, "close" if name in _MARKS:
                self._styles.remove(_MARKS[name])
            case _:
                self.say(token.content)


def inline(tokens: Sequence[Token]) -> Content:
    """The words of one paragraph with their weights and colours."""
    words = _Inline()
    for index, token in enumerate(tokens):
        words.token(token, tokens[index + 1] if index + 1 < len(tokens) else None)
    return Content.assemble(*words.parts)


@dataclass(slots=True)
class _Frame:
    """An open list item or quote: what stands before its first row and before the others."""

    first: str
    rest: str
    used: bool = False


class _Walk:
    """Goes through the tokens once and gathers blocks; holds the open lists and quotes."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._frames: list[_Frame] = []
        self._lists: list[int | None] = []
        self._tight = False

    def leads(self) -> tuple[str, str]:
        """Before the first row of the next block, and before its other rows."""
        first = "".join(frame.rest if frame.used else frame.first for frame in self._frames)
        for frame in self._frames:
            frame.used = True
        return first, "".join(frame.rest for frame in self._frames)

    def gap(self) -> bool:
        """Whether the next block stands apart from the one before."""
        return bool(self.blocks) and not self._tight

    def open_item(self, token: Token) -> None:
        number = self._lists[-1]
        mark = "• " if number is None else f"{token.info}{token.markup} "
        self._frames.append(_Frame(mark, " " * len(mark)))

    def run(self, tokens: Sequence[Token]) -> list[Block]:
        """All blocks of a parsed text."""
        for index, token in enumerate(tokens):
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    ordered = token.type == "ordered_list_open"
                    self._lists.append(1 if ordered else None)
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                    self._tight = bool(self._lists)
                case "list_item_open":
                    self.open_item(token)
                case "blockquote_open":
                    self._frames.append(_Frame("│ ", "│ "))
                case "list_item_close" | "blockquote_close":
                    self._frames.pop()
                case "inline":
                    self.text(tokens[index - 1], token)
                case "fence" | "code_block" | "html_block":
                    self.code(token)
                case "hr":
                    self.blocks.append(RuleBlock(self.leads()[0], self.gap()))
                case "table_open":
                    self.table(tokens[index:])
                case _:
                    pass
        return self.blocks

    def text(self, opener: Token, token: Token) -> None:
        """A paragraph or a heading. Cells of tables are read with their table."""
        if opener.type in ("th_open", "td_open"):
            return
        body = inline(token.children or ())
        if opener.type == "heading_open":
            body = body.stylize(_HEADINGS.get(opener.tag, "bold"))
        gap = bool(self.blocks) and not (self._tight and opener.hidden)
        first, rest = self.leads()
        self.blocks.append(TextBlock(body, first, rest, gap))
        self._tight = opener.hidden

    def code(self, token: Token) -> None:
        language = token.info.split()[0] if token.info.split() else ""
        self.blocks.append(
            CodeBlock(token.content.rstrip("\n"), language, self.leads()[1], self.gap())
        )

    def table(self, tokens: Sequence[Token]) -> None:
        lines: list[tuple[Content, ...]] = []
        cells: list[Content] = []
        right: list[bool] = []
        for index, token in enumerate(tokens):
            if token.type == "inline":
                style = "bold" if tokens[index - 1].type == "th_open" else ""
                if not lines:
                    right.append(tokens[index - 1].attrGet("style") == "text-align:right")
                cells.append(inline(token.children or ()).stylize(style))
            elif token.type == "tr_close":
                lines.append(tuple(cells))
                cells = []
            elif token.type == "table_close":
                break
        self.blocks.append(TableBlock(tuple(lines), tuple(right), self.leads()[1], self.gap()))


def parse(text: str) -> list[Block]:
    """The blocks of a Markdown text that may come from anywhere."""
    return _Walk().run(parser().parse(safe(text)))
