"""Safe text: what a model or a tool wrote, made fit for a terminal.

Escape sequences are taken out, other control bytes and signs that reorder or hide text are shown
as what they are. Nothing here is ever read as markup.
"""

from __future__ import annotations

import re
import unicodedata

from growbox_tui.frontends.clean import STEERING, visible_sign

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|\Z)"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]"  # all other escapes
)
_TAB = 4


def safe(text: str) -> str:
    """The text without terminal sequences, its line ends as ``\\n``, tabs as spaces, and every
    control byte or bidi override visible. Never longer than eight times the input."""
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(_TAB)
    return STEERING.sub(visible_sign, _SEQUENCE.sub("", text))


def one_line(text: str) -> str:
    """``safe``, and on one line: runs of white space become one space."""
    return " ".join(safe(text).split())


def visible(text: str) -> str:
    """The text with everything shown that a terminal would hide: nothing is taken out. For what
    is about to be run, where a hidden sign could change what it does."""
    return "".join(_plain(char) for char in text.expandtabs(_TAB))


def _plain(char: str) -> str:
    if char in "\n " or (char.isprintable() and char.isascii()):
        return char
    found = STEERING.fullmatch(char)
    if found is not None:
        return visible_sign(found)
    hidden = unicodedata.category(char) in ("Cf", "Cn", "Co", "Zl", "Zp", "Zs")
    return f"⟨U+{ord(char):04X}⟩" if hidden else char


_MARKUP = re.compile(r"^\s*(?:#{1,6}|>|[-*+]|\d+[.)])\s+|\*\*|`+", re.MULTILINE)


def unmarked(text: str) -> str:
    """``one_line`` without the signs of Markdown, for a place where it is not drawn."""
    return one_line(_MARKUP.sub("", text))


IN_SHORT = 300
"""Characters of one line that stand for the whole."""


def in_short(text: str) -> str:
    """One line for a text that may have many: its first one, and how many there are."""
    lines = visible(text).strip().split("\n")
    first = lines[0].strip()
    if len(first) > IN_SHORT:
        first = first[:IN_SHORT] + "…"
    return f"{first} … ({len(lines)} lines)" if len(lines) > 1 else first


def typed(text: str) -> str:
    """What may enter the composer: line ends as ``\\n``, no sequences, no control bytes."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return STEERING.sub("", _SEQUENCE.sub("", text))
