"""Clean: text from a model or a command, made safe for a terminal.

Escape sequences could set the clipboard or the title, and bidirectional overrides show a line
other than it is. Newlines and tabs stay; everything else that steers is shown by name. The screen
reads the same table.
"""

from __future__ import annotations

import re

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control bytes but tab and newline
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, embeddings, overrides, isolates
    "\u2028\u2029\ufff9-\ufffb"  # line separators and annotations
    "\U000e0000-\U000e007f"  # tags: invisible letters
    "\ud800-\udfff]"  # halves of a surrogate pair cannot be written at all
)


def clean(text: str) -> str:
    """The text with every steering character replaced by a visible sign."""
    return STEERING.sub(visible_sign, text)


def visible_sign(found: re.Match[str]) -> str:
    """What is shown in a steering character's place."""
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
