"""Cache words: forecast, report and bound of a request as phrases, and what became of a forecast.

The prefix bar and the cache page say the same thing of the same request in the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len

from growbox_tui.widgets.figures import DOT, count, fit, money, percent
from growbox_tui.widgets.safe_text import one_line

if TYPE_CHECKING:
    from growbox_tui.agent.events import PromptBuilt, Shortfall, UsageReported, Warmed

Tone = Literal["quiet", "figure", "good", "caution", "alarm"]
"""How loud a phrase is. ``caution``: the cache was lost for a reason outside of us. ``alarm``: it
should have held."""

NAMES: dict[Shortfall, str] = {
    "first": "first prompt",
    "edit": "bytes changed",
    "epoch": "new epoch",
    "expiry": "expired",
    "model": "other model",
    "setting": "setting changed",
    "marks": "not stored",
    "look-back": "out of look-back",
    "minimum": "too short",
    "step": "rounded",
    "provider": "provider",
    "not reported": "not reported",
    "surplus": "more than forecast",
    "estimate": "estimated",
}
"""The classes of a shortfall as people read them."""
TONES: dict[Shortfall, Tone] = {
    "first": "quiet",
    "edit": "alarm",
    "epoch": "caution",
    "expiry": "caution",
    "model": "caution",
    "setting": "caution",
    "marks": "caution",
    "look-back": "alarm",
    "minimum": "quiet",
    "step": "quiet",
    "provider": "alarm",
    "not reported": "quiet",
    "surplus": "quiet",
    "estimate": "quiet",
}
STYLES: dict[Tone, str] = {
    "quiet": "$text-muted",
    "figure": "",
    "good": "$text-success",
    "caution": "$text-warning",
    "alarm": "$text-error",
}
AGREED = "as forecast"


@dataclass(frozen=True, slots=True)
class Phrase:
    """A few words and how loud they are."""

    text: str
    kind: Tone


def classed(kind: Shortfall, cause: str) -> str:
    """The class of a shortfall and its cause, without saying the same twice."""
    name, cause = NAMES.get(kind, one_line(kind)), one_line(cause)
    if not name or not cause:
        return name or cause
    if kind == "not reported":  # that much stands in the report's own place
        return cause
    return cause if cause.casefold().startswith(name.casefold()) else f"{name}: {cause}"


def outcome(kind: Shortfall, cause: str, predicted: int, reported: int | None) -> Phrase:
    """What became of a forecast: it agreed with the report, or why it did not."""
    if kind:
        return Phrase(classed(kind, cause), TONES.get(kind, "alarm"))
    if cause:
        short = reported is not None and reported < predicted
        return Phrase(one_line(cause), "alarm" if short else "quiet")
    return Phrase(AGREED, "good") if reported is not None else Phrase("not reported", "quiet")


def forecast(prompt: PromptBuilt, usage: UsageReported | None) -> Phrase:
    """What we say the cache should serve; of how much, until the report says that."""
    if usage is not None and usage.input:
        return Phrase(f"forecast {count(usage.predicted)}", "quiet")
    return Phrase(f"forecast {count(prompt.predicted)} of {count(prompt.total)}", "quiet")


def report(usage: UsageReported | None) -> Phrase:
    """What the provider said it served. A figure that was not reported is never shown as zero."""
    if usage is None:
        return Phrase("served: waiting", "quiet")
    if usage.cache_read is None:
        return Phrase("served: not reported", "quiet")
    if not usage.input:
        return Phrase(f"served {count(usage.cache_read)}, input not reported", "figure")
    share = percent(usage.cache_read / usage.input)
    return Phrase(f"served {count(usage.cache_read)} of {count(usage.input)} ({share})", "figure")


def best(prompt: PromptBuilt, usage: UsageReported | None) -> Phrase | None:
    """What the best cache could serve; ``None`` where nothing was sent before."""
    bound = usage.bound if usage is not None and usage.bound else prompt.bound
    return Phrase(f"bound {count(bound)}", "quiet") if bound else None


def verdict(prompt: PromptBuilt, usage: UsageReported | None) -> Phrase:
    """Before the report: whether the prefix holds, or why it does not. After it: whether forecast
    and report agree, or the class and the cause of what is missing."""
    if usage is not None and (usage.cache_read is not None or usage.kind or usage.cause):
        return outcome(usage.kind, usage.cause, usage.predicted, usage.cache_read)
    if prompt.kind:
        return Phrase(classed(prompt.kind, prompt.cause), TONES.get(prompt.kind, "alarm"))
    if prompt.cause:
        broken = any(segment.state == "broken" for segment in prompt.segments)
        return Phrase(one_line(prompt.cause), "alarm" if broken else "caution")
    return Phrase("first prompt" if prompt.request <= 1 else "prefix grew", "quiet")


def warmth(event: Warmed) -> Phrase:
    """That requests keep the cache alive, how many of how many, and what they cost so far."""
    return Phrase(f"kept warm {event.number} of {event.most}, {money(event.spent)}", "figure")


def row_cells(phrases: Sequence[Phrase]) -> int:
    """Cells that the phrases take in one row."""
    return sum(cell_len(phrase.text) for phrase in phrases) + len(DOT) * (len(phrases) - 1)


def phrase_rows(phrases: Sequence[Phrase], cells: int) -> list[list[Phrase]]:
    """The phrases in one row, or the last one in a row of its own, cut only if it outgrows that."""
    if row_cells(phrases) <= cells:
        return [list(phrases)]
    last = phrases[-1]
    return [list(phrases[:-1]), [Phrase(fit(last.text, cells), last.kind)]]
