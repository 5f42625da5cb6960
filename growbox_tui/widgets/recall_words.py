"""Recall words: which step of the ladder answered, what it cost and what is missing, in words.

The card, the panel, the recall page and the page that explains say the same thing of the same
recall in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from growbox_tui.widgets.figures import count, plural
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import HitView, PriceView, Recalled

RUNGS = ("jumps", "pins", "pointers", "anchors", "near", "scan", "reading")
"""The steps of the ladder, cheapest first."""
MEANS: dict[str, str] = {
    "jumps": "where you pointed",
    "pins": "what you pinned",
    "pointers": "ways that past questions made",
    "anchors": "traces of what has left the window",
    "near": "likeness of words, meaning and time",
    "scan": "every vector, one by one",
    "reading": "a judge that reads the text itself",
}
"""What each step goes by."""
UNKNOWN_PRICE = "Nobody knows what that costs; it may be a call for every few memories."
FREE = "By what is known, nothing is left to read; everything would be read again all the same."
NOT_COMPLETE = "Not complete"
ALL_OF_IT = "Nothing that bears on it can be missing, but for what the caps cut off."


def answered(event: Recalled) -> str:
    """``by pointers``; empty where nothing was found, or it was not told."""
    return f"by {one_line(event.answered_by)}" if event.answered_by else ""


def cost(event: Recalled) -> str:
    """``2 calls, 1.2k tokens``: what judges took; empty where none was asked."""
    calls = sum(step.calls for step in event.steps)
    tokens = sum(step.tokens for step in event.steps)
    return f"{plural(calls, 'call')}, {count(tokens)} tokens" if calls else ""


def milliseconds(ms: float) -> str:
    """``0.1 ms``, ``27 ms``, ``1.4 s``, ``2 m 05 s``, in at most eight cells."""
    if ms < 10:
        return f"{ms:.1f} ms"
    if ms < 999.5:
        return f"{ms:.0f} ms"
    seconds = ms / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} m {seconds % 60:02.0f} s"


def price_words(price: PriceView) -> str:
    """``96 calls, 410k tokens``."""
    return f"{plural(price.calls, 'call')}, {count(price.tokens)} tokens"


def unread(event: Recalled) -> int:
    """How many memories may hold what is missing."""
    if event.price is not None:
        return event.price.nodes
    return sum(stretch.hi - stretch.lo + 1 for stretch in event.unread)


def stretches(event: Recalled, most: int = 3) -> str:
    """``1 to 4,960 and 5,705 to 6,100``: where they lie on the timeline; the ``most`` longest."""
    spans = sorted(event.unread, key=lambda span: span.lo - span.hi)
    shown = sorted(spans[:most], key=lambda span: span.lo)
    words = [f"{s.lo:,} to {s.hi:,}" if s.hi > s.lo else f"{s.lo:,}" for s in shown]
    if more := len(spans) - len(shown):
        words.append(f"{more:,} other stretches" if more > 1 else "one other stretch")
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def missing(event: Recalled) -> str:
    """Whether anything may be missing, where it lies, and what reading it would cost."""
    if event.complete:
        return ALL_OF_IT
    number = unread(event)
    said = [NOT_COMPLETE]
    if event.notice:
        said.append(one_line(event.notice).rstrip("."))
    if number:
        many = plural(number, "memory", "memories")
        where = f" ({stretches(event)})" if event.unread else ""
        said.append(f"{many}{where} {'is' if number == 1 else 'are'} unread for this question")
    words = ": ".join([said[0], "; ".join(said[1:])]) if said[1:] else said[0]
    if event.price is not None:
        them = "it" if number == 1 else "them"
        words += f". Reading {them} takes {price_words(event.price)}"
    return words + "."


def in_short(event: Recalled) -> str:
    """``3 memories, answered by pointers, 2 calls, 1.2k tokens, 27 ms``."""
    found = plural(len(event.hits), "memory", "memories") if event.hits else "Nothing found"
    by = f"answered {answered(event)}" if event.answered_by else ""
    return ", ".join(filter(None, (found, by, cost(event), milliseconds(event.ms))))


def brought(hit: HitView) -> str:
    """How one memory was found: its step, or the ways where the step was not told."""
    return one_line(hit.rung or " + ".join(hit.ways))


def grounds(hit: HitView) -> str:
    """Why it is trusted to bear on the question, as far as that is known."""
    if hit.confirmed:
        return "a judge said yes"
    if hit.key:
        return "nobody read it for these words"
    return "it looks alike, nobody read it" if hit.placeholder else ""


def part(hit: HitView) -> str:
    """``characters 120 to 480``; empty where all of it bears on the question."""
    return f"characters {hit.piece[0]:,} to {hit.piece[1]:,}" if hit.piece else ""


def price_of_all(price: PriceView | None, *, complete: bool) -> str:
    """What reading everything would cost, in a sentence."""
    if price is not None:
        many = plural(price.nodes, "memory", "memories")
        return f"Reading {many} takes {price_words(price)} of the judge."
    return FREE if complete else UNKNOWN_PRICE
