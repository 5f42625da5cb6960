"""Safe text: what a model or a tool wrote, made fit for a terminal.

Escape sequences are taken out, other control bytes and signs that reorder or hide text are shown
as what they are. Nothing here is ever read as markup.
"""

from __future__ import annotations

import re
import unicodedata

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|\Z)"  # OSC, DCS
    r"|\x1b[ -/]*[0-~]"  # all other escapes
)
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control bytes but tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, embeddings, overrides, isolates
    "\u2028\u2029\ufff9-\ufffb"  # line separators and annotations
    "\ud800-\udfff]"  # halves of a surrogate pair cannot be written at all
)
_TAB = 4


def _shown(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"


def safe(text: str) -> str:
    """The text without terminal sequences, its line ends as ``\\n``, tabs as spaces, and every
    control byte or bidi override visible. Never longer than eight times the input."""
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(_TAB)
    return _UNSAFE.sub(_shown, _SEQUENCE.sub("", text))


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
    found = _UNSAFE.fullmatch(char)
    if found is not None:
        return _shown(found)
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
    return _UNSAFE.sub("", _SEQUENCE.sub("", text))
