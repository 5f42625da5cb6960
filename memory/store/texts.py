"""Text made fit for storage: valid Unicode, bounded, and JSON that reads back the same."""

from __future__ import annotations

import json
import os
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32 without i, l, o and u: an address can be read out and typed in."""
ID_LENGTH = 12


def clean(text: str) -> str:
    """The text with lone surrogates (bytes that were never valid UTF-8) replaced by U+FFFD.

    NUL stays: SQLite keeps it as long as no SQL function is asked to measure the text.
    """
    return _SURROGATE.sub("\ufffd", text)


def bounded(text: str, limit: int) -> str:
    """The text, or its head and tail with a note between, at most ``limit`` characters long."""
    if len(text) <= limit:
        return text
    note = f"\n[… {len(text) - limit} characters or more left out: too long to be kept whole …]\n"
    room = max(0, limit - len(note))
    head = room * 2 // 3
    tail = room - head
    return text[:head] + note + (text[-tail:] if tail else "")


def to_json(value: Any) -> str:
    """Compact JSON. ASCII only, so that lone surrogates survive a round trip."""
    return json.dumps(value, separators=(",", ":"))


def from_json(text: str) -> Any:
    """What ``to_json`` wrote."""
    return json.loads(text)


def new_id() -> str:
    """A random name of 12 characters (60 bits). The caller checks that it is not taken."""
    number = int.from_bytes(os.urandom(8)) >> 4
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in range(ID_LENGTH))
