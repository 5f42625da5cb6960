"""Text in pieces: halves of characters joined, reasoning in ``<think>`` tags told from words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OPEN, _CLOSE = "<think>", "</think>"


def mend(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain_text(content: Any) -> str:
    """The text of a ``content`` field: a string, or a list of parts of which the texts count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(plain_text(part) for part in content)
    if isinstance(content, dict):
        return plain_text(content.get("text"))
    return ""


def mapping(value: Any) -> Mapping[str, Any]:
    """The value, if it is a JSON object; else an empty one, in which every field is missing."""
    return value if isinstance(value, Mapping) else {}


class Mender:
    """``mend`` for a text that comes in pieces: a pair may be split over two of them."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        piece = self._half + piece
        self._half = ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._half = piece[:-1], piece[-1]
        return mend(piece)

    def flush(self) -> str:
        """What was held back, at the end."""
        half, self._half = self._half, ""
        return mend(half)


class ThinkSplitter:
    """Takes a leading ``<think>…</think>`` out of visible text.

    Servers without a parser for reasoning leave the tags in the text. Only tags at the very start
    count: later ones are words about tags.
    """

    def __init__(self) -> None:
        self._held = ""
        self._state = "start"

    def feed(self, piece: str) -> tuple[str, str]:
        """``(thinking, visible)`` that this piece settles."""
        if self._state == "words":
            return "", piece
        self._held += piece
        if self._state == "start":
            begin = self._held.lstrip()
            if not begin.startswith(_OPEN):
                if _OPEN.startswith(begin):
                    return "", ""
                return "", self._leave()
            self._state, self._held = "thinking", begin[len(_OPEN) :]
        if self._state == "gap":
            return "", self._after_gap()
        thought, found, rest = self._held.partition(_CLOSE)
        if found:
            self._held, self._state = rest, "gap"
            return thought, self._after_gap()
        keep = _overlap(thought)
        self._held = thought[len(thought) - keep :]
        return thought[: len(thought) - keep], ""

    def flush(self) -> tuple[str, str]:
        """What was held back, at the end."""
        held, thinking = self._held, self._state == "thinking"
        self._held = ""
        return (held, "") if thinking else ("", held)

    def _after_gap(self) -> str:
        self._held = self._held.lstrip("\n")
        return self._leave() if self._held else ""

    def _leave(self) -> str:
        held, self._held, self._state = self._held, "", "words"
        return held


def _overlap(text: str) -> int:
    """How many characters at the end of the text may be the beginning of the closing tag."""
    return next((n for n in range(len(_CLOSE) - 1, 0, -1) if text.endswith(_CLOSE[:n])), 0)
