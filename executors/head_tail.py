"""HeadTail: output of any length in bounded memory: its beginning and its end stay."""

from __future__ import annotations

from collections import deque

KEPT = 8 * 1024 * 1024
"""Characters kept in all, half at each end."""


class HeadTail:
    """Append text; read it back with a note where the middle is gone."""

    def __init__(self, limit: int = KEPT) -> None:
        self._half = limit // 2
        self._head: list[str] = []
        self._head_size = 0
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._lost = 0

    def append(self, text: str) -> None:
        """Add text at the end."""
        room = self._half - self._head_size
        if room > 0:
            self._head.append(text[:room])
            self._head_size += len(text[:room])
            text = text[room:]
        if not text:
            return
        self._tail.append(text)
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0]) >= self._half:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._lost += len(gone)

    def text(self) -> str:
        """All of it, or both ends with a line that says how much is missing between them."""
        head, tail = "".join(self._head), "".join(self._tail)
        lost = self._lost + max(0, len(tail) - self._half)
        if not lost:
            return head + tail
        return f"{head}\n[{lost} characters were not kept]\n{tail[-self._half :]}"
