"""Tellings: events in sentences, as notices."""

from __future__ import annotations

from growbox_tui.agent import events as e
from growbox_tui.widgets.notice import Level, Notice

_ENDS: dict[e.EndReason, tuple[Level, str, str]] = {
    "done": ("info", "Done.", ""),
    "length": ("warning", "The reply was cut at the length limit.", "/continue goes on."),
    "cancelled": ("info", "Stopped.", ""),
    "failed": ("error", "The turn failed.", "/retry sends your last words again."),
    "refused": ("warning", "The model refused to answer.", ""),
    "repeating": ("warning", "Stopped: the model repeated itself.", "Say it in other words."),
    "max_steps": ("warning", "Stopped: too many steps in one turn.", "/continue goes on."),
}
_ANSWERS: dict[str, tuple[Level, str]] = {
    "once": ("good", "allowed once"),
    "session": ("good", "allowed for this session"),
    "always": ("good", "always allowed"),
    "no": ("warning", "refused"),
}
_BY = {"user": "", "flag": " by --yes", "nobody": ", nobody was there to ask"}


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def turn_ended(event: e.TurnEnded, told: str = "") -> Notice:
    """Why a turn ended, and what can be done. ``told`` is not said a second time."""
    level, text, hint = _ENDS[event.reason]
    detail = "" if event.detail == told else event.detail
    return Notice(f"{text} {detail}".strip(), level, hint)


def napped(event: e.Napped) -> Notice:
    """What a nap put down and what it kept."""
    messages = _many(event.dropped_messages, "message", "messages")
    items = _many(event.dropped_items, "memory", "memories")
    kept = _many(event.kept_memories, "memory", "memories")
    return Notice(
        f"Napped. Put down: {messages}, and {items} of the prompt. Kept: all {kept} on file.",
        "good",
        "Ask about earlier things as ever; recall finds them.",
    )


def rebased(event: e.Rebased) -> Notice:
    """Why the prompt was begun anew."""
    items = _many(event.kept_items, "memory", "memories")
    messages = _many(event.dropped_messages, "message", "messages")
    return Notice(
        f"Epoch {event.epoch} begins with a shorter prompt ({event.why}): kept {items}, "
        f"put down {messages}."
    )


def retrying(event: e.Retrying) -> Notice:
    """That a request failed and is tried again."""
    when = f"Trying again in {event.seconds:.0f} s" if event.seconds >= 1 else "Trying again"
    return Notice(f"{event.why} {when} (attempt {event.attempt}).", "warning")


def approval_answered(asked: e.ApprovalAsked, event: e.ApprovalAnswered) -> Notice:
    """What was allowed or refused, and by whom."""
    level, words = _ANSWERS.get(event.choice, ("info", event.choice))
    what = "; ".join(asked.claims) or asked.preview.title
    reason = f": {event.reason}" if event.reason else ""
    return Notice(f"{what} · {words}{_BY[event.by]}{reason}", level)


def failed(event: e.Failed) -> Notice:
    """What went wrong and what to do about it."""
    return Notice(event.text, "error", event.hint)


def told(error: BaseException) -> Notice:
    """An error in its own words and with its hint where it has them, else its name and text."""
    text = getattr(error, "text", "") or f"{type(error).__name__}: {error}"
    return Notice(str(text), "error", str(getattr(error, "hint", "")))
