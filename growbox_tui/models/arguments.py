"""Tool arguments: strict reading of the JSON text that a model wrote.

What the user approves must be what runs, so nothing is guessed: text that two parsers could read
differently (duplicate keys, NaN, raw control characters) is refused with the reason.
"""

from __future__ import annotations

import json
import math
from typing import Any

from growbox_tui.models.pieces import mend

MAX_DEPTH = 64
"""Nesting beyond this is refused; no hand's schema comes near it."""


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {key!r} stands there twice")
            seen.add(key)
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def strict_json(text: str) -> Any:
    """The value of a JSON text. Raises ``ValueError`` for anything but plain, unambiguous JSON."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_no_duplicates,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
    if _deeper_than(value, MAX_DEPTH):
        raise ValueError("it is nested too deep")
    return value


def _deeper_than(value: Any, limit: int) -> bool:
    """Whether more than ``limit`` objects and lists stand inside one another."""
    level = [value]
    for _ in range(limit):
        level = [
            item
            for node in level
            if isinstance(node, dict | list)
            for item in (node.values() if isinstance(node, dict) else node)
        ]
    return any(isinstance(node, dict | list) for node in level)


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def read_arguments(text: str) -> tuple[str, str]:
    """``(arguments, fault)``: the JSON text of an object, and why it must not be run.

    No text at all, and ``null``, mean ``{}``. Text that was encoded twice is decoded once more.
    With a fault the arguments are ``{}``; without one the text stays as the model wrote it.
    """
    text = mend(text)
    if not text.strip():
        return "{}", ""
    try:
        value = strict_json(text)
        if isinstance(value, str):
            text = value
            value = strict_json(text)
    except ValueError as error:
        return "{}", f"the arguments are not valid JSON: {error}"
    if value is None:
        return "{}", ""
    if not isinstance(value, dict):
        return "{}", "the arguments are not a JSON object"
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if _has_surrogates(plain):
        # Half a character would break the first thing that encodes it: a file, a database, a pipe.
        return mend(plain), ""
    return text, ""


def as_text(arguments: object) -> str:
    """Arguments as text, whatever a server sent: text stays, objects become JSON."""
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return ""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def is_whole(text: str) -> bool:
    """Whether a text is one complete JSON object already."""
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(strict_json(text), dict)
    except ValueError:
        return False
