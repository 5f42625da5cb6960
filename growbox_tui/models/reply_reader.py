"""ReplyReader: tells thoughts from words in a local model's text, and where a tool call opens.

Pure and incremental: text goes in as it is generated, pieces come out as soon as they can no
longer turn out to be part of a mark.
"""

from __future__ import annotations

from typing import Literal

from growbox_tui.models.protocol import TextPiece, ThinkingPiece
from growbox_tui.models.tool_grammar import OPEN

THINK, END_THINK = "<think>", "</think>"


class ReplyReader:
    """Reads one reply."""

    def __init__(self, *, thinking: bool = False, calls: bool = False) -> None:
        """``thinking``: the prompt has opened a thought. ``calls``: look for ``<tool_call>``."""
        self.thoughts = ""
        self.words = ""
        self.opened = False
        """A tool call begins; ``rest`` is what came after the mark."""
        self.rest = ""
        self._calls = calls
        self._state: Literal["start", "thought", "words"] = "thought" if thinking else "start"
        self._held = ""

    def feed(self, text: str) -> list[TextPiece | ThinkingPiece]:
        """Pieces that are sure now. Nothing more comes once ``opened`` is set."""
        self._held += text
        pieces: list[TextPiece | ThinkingPiece] = []
        if self._state == "start":
            self._begin()
        if self._state == "thought":
            thought, closed = self._until(END_THINK)
            pieces += self._thought(thought)
            if closed:
                self._state = "words"
        if self._state == "words":
            words, self.opened = self._until(OPEN) if self._calls else self._until("")
            if self.opened:
                self.rest, self._held = self._held, ""
            pieces += self._word(words)
        return pieces

    def finish(self) -> list[TextPiece | ThinkingPiece]:
        """The reply is over: what was held back was no mark after all."""
        left, self._held = self._held.rstrip(), ""
        return self._thought(left) if self._state == "thought" else self._word(left)

    def _begin(self) -> None:
        self._held = self._held.lstrip()
        if self._held.startswith(THINK):
            self._held = self._held.removeprefix(THINK)
            self._state = "thought"
        elif not THINK.startswith(self._held):
            self._state = "words"

    def _until(self, mark: str) -> tuple[str, bool]:
        """What stands before ``mark`` or before what may become it, without the space there."""
        before, found, after = self._held.partition(mark) if mark else (self._held, "", "")
        if found:
            self._held = after
            return before.rstrip(), True
        sure = before
        for size in range(min(len(mark) - 1, len(before)), 0, -1):
            if mark.startswith(before[-size:]):
                sure = before[:-size]
                break
        sure = sure.rstrip()
        self._held = before[len(sure) :]
        return sure, False

    def _thought(self, text: str) -> list[TextPiece | ThinkingPiece]:
        text = text if self.thoughts else text.lstrip()
        self.thoughts += text
        return [ThinkingPiece(text)] if text else []

    def _word(self, text: str) -> list[TextPiece | ThinkingPiece]:
        text = text if self.words else text.lstrip()
        self.words += text
        return [TextPiece(text)] if text else []
