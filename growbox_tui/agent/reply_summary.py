"""Reply summary: the one line in which a model may sum up a turn at the end of its last reply.

It stands there as ``<sum>one line</sum>``. The stored message keeps it, since it must go back to
the byte; the screen never shows it, and memory takes the line instead of an extract. What only
looks like one, in the middle of a reply or never closed, is words like any other. Where it is all
that the reply says it is the reply: the user must not see nothing.
"""

from __future__ import annotations

OPEN, CLOSE = "<sum>", "</sum>"
LONGEST = 600
"""Characters of a summary; more than that is no line, and is shown."""


class SummaryFilter:
    """Takes a reply piece by piece and gives what may be shown."""

    def __init__(self) -> None:
        self._held = ""
        """Not shown yet: what may be, or may become, a summary at the end."""
        self._said = False
        """Whether anything that can be read was shown."""

    def feed(self, piece: str) -> str:
        """One more piece; what is certain to be no summary by now."""
        shown = self._sifted(piece)
        self._said = self._said or bool(shown.strip())
        return shown

    def _sifted(self, piece: str) -> str:
        self._held += piece
        shown = ""
        while True:
            words, found, rest = self._held.partition(OPEN)
            shown += words
            if not found:
                kept = _begun(words)
                self._held = words[len(words) - kept :]
                return shown[: len(shown) - kept]
            inside, closed, behind = rest.partition(CLOSE)
            if _may_be(inside) and not (closed and behind.strip()):
                self._held = OPEN + rest
                return shown
            # It cannot end the reply any more: it is words, and so is all before the next one.
            shown += OPEN
            self._held = rest

    def finish(self) -> tuple[str, str]:
        """At the reply's end: the rest that may be shown, and the summary (either may be empty)."""
        held, self._held = self._held, ""
        inside, closed, _ = held.removeprefix(OPEN).partition(CLOSE)
        if held.startswith(OPEN) and closed and inside.strip():
            line = " ".join(inside.split())
            return ("", line) if self._said else (line, "")
        return ("", "") if held.startswith(OPEN) and closed else (held, "")


def split(text: str) -> tuple[str, str]:
    """A whole reply: its visible words, and its summary (empty where it has none)."""
    sieve = SummaryFilter()
    shown = sieve.feed(text)
    rest, summary = sieve.finish()
    return (shown + rest).rstrip() if summary else shown + rest, summary


def _begun(text: str) -> int:
    """How many characters at the text's end may be the beginning of ``<sum>``."""
    return next((n for n in range(len(OPEN) - 1, 0, -1) if text.endswith(OPEN[:n])), 0)


def _may_be(inside: str) -> bool:
    """Whether this, closed or not yet, can still be one line."""
    return len(inside) <= LONGEST and OPEN not in inside and "\n" not in inside.strip("\n")
