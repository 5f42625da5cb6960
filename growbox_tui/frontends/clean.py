"""Clean: text from a model or a command, made safe for a terminal.

Escape sequences could set the clipboard or the title, and bidirectional overrides show a line
other than it is. Newlines and tabs stay; everything else that steers is shown by name.
"""

from __future__ import annotations

import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """The text with every steering character replaced by a visible sign."""
    return _STEERING.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"
